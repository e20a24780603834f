#include "core/wire/messages/consumer_group_heartbeat.h"

namespace leat::wire {

std::span<const Field> ConsumerGroupHeartbeatRequest::TopicPartitions::fields() {
    static constexpr Field list[] = {
        field<&TopicPartitions::topic_id>("TopicId"),
        field<&TopicPartitions::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> ConsumerGroupHeartbeatRequest::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupHeartbeatRequest::group_id>("GroupId"),
        field<&ConsumerGroupHeartbeatRequest::member_id>("MemberId"),
        field<&ConsumerGroupHeartbeatRequest::member_epoch>("MemberEpoch"),
        field<&ConsumerGroupHeartbeatRequest::instance_id>("InstanceId"),
        field<&ConsumerGroupHeartbeatRequest::rack_id>("RackId"),
        field<&ConsumerGroupHeartbeatRequest::rebalance_timeout_ms>("RebalanceTimeoutMs"),
        field<&ConsumerGroupHeartbeatRequest::subscribed_topic_names>("SubscribedTopicNames"),
        field<&ConsumerGroupHeartbeatRequest::subscribed_topic_regex>("SubscribedTopicRegex")
            .in(since(1)),
        field<&ConsumerGroupHeartbeatRequest::server_assignor>("ServerAssignor"),
        field<&ConsumerGroupHeartbeatRequest::topic_partitions>("TopicPartitions"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupHeartbeatRequest::traits{
    .name = "ConsumerGroupHeartbeatRequest",
    .key = ApiKey::consumer_group_heartbeat,
    .versions = {0, 1},
    .flexible = always,
    .fields = &ConsumerGroupHeartbeatRequest::fields,
};

std::span<const Field> ConsumerGroupHeartbeatResponse::TopicPartitions::fields() {
    static constexpr Field list[] = {
        field<&TopicPartitions::topic_id>("TopicId"),
        field<&TopicPartitions::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> ConsumerGroupHeartbeatResponse::Assignment::fields() {
    static constexpr Field list[] = {
        field<&Assignment::topic_partitions>("TopicPartitions"),
    };
    return list;
}

std::span<const Field> ConsumerGroupHeartbeatResponse::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupHeartbeatResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&ConsumerGroupHeartbeatResponse::error_code>("ErrorCode"),
        field<&ConsumerGroupHeartbeatResponse::error_message>("ErrorMessage"),
        field<&ConsumerGroupHeartbeatResponse::member_id>("MemberId"),
        field<&ConsumerGroupHeartbeatResponse::member_epoch>("MemberEpoch"),
        field<&ConsumerGroupHeartbeatResponse::heartbeat_interval_ms>("HeartbeatIntervalMs"),
        field<&ConsumerGroupHeartbeatResponse::assignment>("Assignment"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupHeartbeatResponse::traits{
    .name = "ConsumerGroupHeartbeatResponse",
    .key = ApiKey::consumer_group_heartbeat,
    .versions = {0, 1},
    .flexible = always,
    .fields = &ConsumerGroupHeartbeatResponse::fields,
};

}  // namespace leat::wire
