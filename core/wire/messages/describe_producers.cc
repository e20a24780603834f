#include "core/wire/messages/describe_producers.h"

namespace leat::wire {

std::span<const Field> DescribeProducersRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partition_indexes>("PartitionIndexes"),
    };
    return list;
}

std::span<const Field> DescribeProducersRequest::fields() {
    static constexpr Field list[] = {
        field<&DescribeProducersRequest::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits DescribeProducersRequest::traits{
    .name = "DescribeProducersRequest",
    .key = ApiKey::describe_producers,
    .versions = {0, 0},
    .flexible = since(0),
    .fields = &DescribeProducersRequest::fields,
};

std::span<const Field> DescribeProducersResponse::Producer::fields() {
    static constexpr Field list[] = {
        field<&Producer::producer_id>("ProducerId"),
        field<&Producer::producer_epoch>("ProducerEpoch"),
        field<&Producer::last_sequence>("LastSequence"),
        field<&Producer::last_timestamp>("LastTimestamp"),
        field<&Producer::coordinator_epoch>("CoordinatorEpoch"),
        field<&Producer::current_txn_start_offset>("CurrentTxnStartOffset"),
    };
    return list;
}

std::span<const Field> DescribeProducersResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::partition_index>("PartitionIndex"),
        field<&Partition::error_code>("ErrorCode"),
        field<&Partition::error_message>("ErrorMessage"),
        field<&Partition::active_producers>("ActiveProducers"),
    };
    return list;
}

std::span<const Field> DescribeProducersResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> DescribeProducersResponse::fields() {
    static constexpr Field list[] = {
        field<&DescribeProducersResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&DescribeProducersResponse::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits DescribeProducersResponse::traits{
    .name = "DescribeProducersResponse",
    .key = ApiKey::describe_producers,
    .versions = {0, 0},
    .flexible = since(0),
    .fields = &DescribeProducersResponse::fields,
};

}  // namespace leat::wire
