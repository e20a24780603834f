#include "core/wire/messages/describe_log_dirs.h"

namespace leat::wire {

std::span<const Field> DescribeLogDirsRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic>("Topic"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> DescribeLogDirsRequest::fields() {
    static constexpr Field list[] = {
        field<&DescribeLogDirsRequest::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits DescribeLogDirsRequest::traits{
    .name = "DescribeLogDirsRequest",
    .key = ApiKey::describe_log_dirs,
    .versions = {1, 5},
    .flexible = since(2),
    .fields = &DescribeLogDirsRequest::fields,
};

std::span<const Field> DescribeLogDirsResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::partition_size>("PartitionSize"),
        field<&Partition::offset_lag>("OffsetLag"),
        field<&Partition::is_future_key>("IsFutureKey"),
    };
    return list;
}

std::span<const Field> DescribeLogDirsResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> DescribeLogDirsResponse::Result::fields() {
    static constexpr Field list[] = {
        field<&Result::error_code>("ErrorCode"),
        field<&Result::log_dir>("LogDir"),
        field<&Result::topics>("Topics"),
        field<&Result::total_bytes>("TotalBytes").in(since(4)).ignorable(),
        field<&Result::usable_bytes>("UsableBytes").in(since(4)).ignorable(),
        field<&Result::is_cordoned>("IsCordoned").in(since(5)).ignorable(),
    };
    return list;
}

std::span<const Field> DescribeLogDirsResponse::fields() {
    static constexpr Field list[] = {
        field<&DescribeLogDirsResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&DescribeLogDirsResponse::error_code>("ErrorCode").in(since(3)).ignorable(),
        field<&DescribeLogDirsResponse::results>("Results"),
    };
    return list;
}

constinit const MessageTraits DescribeLogDirsResponse::traits{
    .name = "DescribeLogDirsResponse",
    .key = ApiKey::describe_log_dirs,
    .versions = {1, 5},
    .flexible = since(2),
    .fields = &DescribeLogDirsResponse::fields,
};

}  // namespace leat::wire
