#include "core/wire/messages/consumer_group_describe.h"

namespace leat::wire {

std::span<const Field> ConsumerGroupDescribeRequest::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupDescribeRequest::group_ids>("GroupIds"),
        field<&ConsumerGroupDescribeRequest::include_authorized_operations>(
            "IncludeAuthorizedOperations"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupDescribeRequest::traits{
    .name = "ConsumerGroupDescribeRequest",
    .key = ApiKey::consumer_group_describe,
    .versions = {0, 1},
    .flexible = always,
    .fields = &ConsumerGroupDescribeRequest::fields,
};

std::span<const Field> ConsumerGroupDescribeResponse::TopicPartitions::fields() {
    static constexpr Field list[] = {
        field<&TopicPartitions::topic_id>("TopicId"),
        field<&TopicPartitions::topic_name>("TopicName"),
        field<&TopicPartitions::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> ConsumerGroupDescribeResponse::Assignment::fields() {
    static constexpr Field list[] = {
        field<&Assignment::topic_partitions>("TopicPartitions"),
    };
    return list;
}

std::span<const Field> ConsumerGroupDescribeResponse::Member::fields() {
    static constexpr Field list[] = {
        field<&Member::member_id>("MemberId"),
        field<&Member::instance_id>("InstanceId"),
        field<&Member::rack_id>("RackId"),
        field<&Member::member_epoch>("MemberEpoch"),
        field<&Member::client_id>("ClientId"),
        field<&Member::client_host>("ClientHost"),
        field<&Member::subscribed_topic_names>("SubscribedTopicNames"),
        field<&Member::subscribed_topic_regex>("SubscribedTopicRegex"),
        field<&Member::assignment>("Assignment"),
        field<&Member::target_assignment>("TargetAssignment"),
        field<&Member::member_type>("MemberType").in(since(1)).ignorable(),
    };
    return list;
}

std::span<const Field> ConsumerGroupDescribeResponse::Group::fields() {
    static constexpr Field list[] = {
        field<&Group::error_code>("ErrorCode"),
        field<&Group::error_message>("ErrorMessage"),
        field<&Group::group_id>("GroupId"),
        field<&Group::group_state>("GroupState"),
        field<&Group::group_epoch>("GroupEpoch"),
        field<&Group::assignment_epoch>("AssignmentEpoch"),
        field<&Group::assignor_name>("AssignorName"),
        field<&Group::members>("Members"),
        field<&Group::authorized_operations>("AuthorizedOperations"),
    };
    return list;
}

std::span<const Field> ConsumerGroupDescribeResponse::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupDescribeResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&ConsumerGroupDescribeResponse::groups>("Groups"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupDescribeResponse::traits{
    .name = "ConsumerGroupDescribeResponse",
    .key = ApiKey::consumer_group_describe,
    .versions = {0, 1},
    .flexible = always,
    .fields = &ConsumerGroupDescribeResponse::fields,
};

}  // namespace leat::wire
