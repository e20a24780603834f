#include "core/wire/messages/create_topics.h"

namespace leat::wire {

std::span<const Field> CreateTopicsRequest::Assignment::fields() {
    static constexpr Field list[] = {
        field<&Assignment::partition_index>("PartitionIndex"),
        field<&Assignment::broker_ids>("BrokerIds"),
    };
    return list;
}

std::span<const Field> CreateTopicsRequest::Config::fields() {
    static constexpr Field list[] = {
        field<&Config::name>("Name"),
        field<&Config::value>("Value"),
    };
    return list;
}

std::span<const Field> CreateTopicsRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::num_partitions>("NumPartitions"),
        field<&Topic::replication_factor>("ReplicationFactor"),
        field<&Topic::assignments>("Assignments"),
        field<&Topic::configs>("Configs"),
    };
    return list;
}

std::span<const Field> CreateTopicsRequest::fields() {
    static constexpr Field list[] = {
        field<&CreateTopicsRequest::topics>("Topics"),
        field<&CreateTopicsRequest::timeout_ms>("timeoutMs"),
        field<&CreateTopicsRequest::validate_only>("validateOnly").in(since(1)),
    };
    return list;
}

constinit const MessageTraits CreateTopicsRequest::traits{
    .name = "CreateTopicsRequest",
    .key = ApiKey::create_topics,
    .versions = {0, 7},
    .flexible = since(5),
    .fields = &CreateTopicsRequest::fields,
};

std::span<const Field> CreateTopicsResponse::Config::fields() {
    static constexpr Field list[] = {
        field<&Config::name>("Name").in(since(5)),
        field<&Config::value>("Value").in(since(5)),
        field<&Config::read_only>("ReadOnly").in(since(5)),
        field<&Config::config_source>("ConfigSource").in(since(5)).ignorable(),
        field<&Config::is_sensitive>("IsSensitive").in(since(5)),
    };
    return list;
}

std::span<const Field> CreateTopicsResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::topic_id>("TopicId").in(since(7)).ignorable(),
        field<&Topic::error_code>("ErrorCode"),
        field<&Topic::error_message>("ErrorMessage").in(since(1)).ignorable(),
        field<&Topic::topic_config_error_code>("TopicConfigErrorCode")
            .in(since(5)).tagged(0).ignorable(),
        field<&Topic::num_partitions>("NumPartitions").in(since(5)).ignorable(),
        field<&Topic::replication_factor>("ReplicationFactor").in(since(5)).ignorable(),
        field<&Topic::configs>("Configs").in(since(5)).ignorable(),
    };
    return list;
}

std::span<const Field> CreateTopicsResponse::fields() {
    static constexpr Field list[] = {
        field<&CreateTopicsResponse::throttle_time_ms>("ThrottleTimeMs").in(since(2)).ignorable(),
        field<&CreateTopicsResponse::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits CreateTopicsResponse::traits{
    .name = "CreateTopicsResponse",
    .key = ApiKey::create_topics,
    .versions = {0, 7},
    .flexible = since(5),
    .fields = &CreateTopicsResponse::fields,
};

}  // namespace leat::wire
