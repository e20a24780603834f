#include "core/wire/group_records/consumer_group.h"

namespace leat::wire {

std::span<const Field> ConsumerGroupMetadataKey::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupMetadataKey::group_id>("GroupId"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupMetadataKey::traits{
    .name = "ConsumerGroupMetadataKey",
    .versions = {0, 0},
    .fields = &ConsumerGroupMetadataKey::fields,
};

std::span<const Field> ConsumerGroupMetadataValue::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupMetadataValue::epoch>("Epoch"),
        field<&ConsumerGroupMetadataValue::metadata_hash>("MetadataHash").tagged(0),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupMetadataValue::traits{
    .name = "ConsumerGroupMetadataValue",
    .versions = {0, 0},
    .flexible = always,
    .fields = &ConsumerGroupMetadataValue::fields,
};

std::span<const Field> ConsumerGroupPartitionMetadataKey::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupPartitionMetadataKey::group_id>("GroupId"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupPartitionMetadataKey::traits{
    .name = "ConsumerGroupPartitionMetadataKey",
    .versions = {0, 0},
    .fields = &ConsumerGroupPartitionMetadataKey::fields,
};

std::span<const Field> ConsumerGroupPartitionMetadataValue::PartitionMetadata::fields() {
    static constexpr Field list[] = {
        field<&PartitionMetadata::partition>("Partition"),
        field<&PartitionMetadata::racks>("Racks"),
    };
    return list;
}

std::span<const Field> ConsumerGroupPartitionMetadataValue::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::topic_id>("TopicId"),
        field<&Topic::topic_name>("TopicName"),
        field<&Topic::num_partitions>("NumPartitions"),
        field<&Topic::partition_metadata>("PartitionMetadata"),
    };
    return list;
}

std::span<const Field> ConsumerGroupPartitionMetadataValue::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupPartitionMetadataValue::topics>("Topics"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupPartitionMetadataValue::traits{
    .name = "ConsumerGroupPartitionMetadataValue",
    .versions = {0, 0},
    .flexible = always,
    .fields = &ConsumerGroupPartitionMetadataValue::fields,
};

std::span<const Field> ConsumerGroupMemberMetadataKey::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupMemberMetadataKey::group_id>("GroupId"),
        field<&ConsumerGroupMemberMetadataKey::member_id>("MemberId"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupMemberMetadataKey::traits{
    .name = "ConsumerGroupMemberMetadataKey",
    .versions = {0, 0},
    .fields = &ConsumerGroupMemberMetadataKey::fields,
};

std::span<const Field> ConsumerGroupMemberMetadataValue::ClassicProtocol::fields() {
    static constexpr Field list[] = {
        field<&ClassicProtocol::name>("Name"),
        field<&ClassicProtocol::metadata>("Metadata"),
    };
    return list;
}

std::span<const Field> ConsumerGroupMemberMetadataValue::ClassicMemberMetadata::fields() {
    static constexpr Field list[] = {
        field<&ClassicMemberMetadata::session_timeout_ms>("SessionTimeoutMs"),
        field<&ClassicMemberMetadata::supported_protocols>("SupportedProtocols"),
    };
    return list;
}

std::span<const Field> ConsumerGroupMemberMetadataValue::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupMemberMetadataValue::instance_id>("InstanceId"),
        field<&ConsumerGroupMemberMetadataValue::rack_id>("RackId"),
        field<&ConsumerGroupMemberMetadataValue::client_id>("ClientId"),
        field<&ConsumerGroupMemberMetadataValue::client_host>("ClientHost"),
        field<&ConsumerGroupMemberMetadataValue::subscribed_topic_names>("SubscribedTopicNames"),
        field<&ConsumerGroupMemberMetadataValue::subscribed_topic_regex>("SubscribedTopicRegex"),
        field<&ConsumerGroupMemberMetadataValue::rebalance_timeout_ms>("RebalanceTimeoutMs"),
        field<&ConsumerGroupMemberMetadataValue::server_assignor>("ServerAssignor"),
        field<&ConsumerGroupMemberMetadataValue::classic_member_metadata>("ClassicMemberMetadata")
            .tagged(0),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupMemberMetadataValue::traits{
    .name = "ConsumerGroupMemberMetadataValue",
    .versions = {0, 0},
    .flexible = always,
    .fields = &ConsumerGroupMemberMetadataValue::fields,
};

std::span<const Field> ConsumerGroupTargetAssignmentMetadataKey::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupTargetAssignmentMetadataKey::group_id>("GroupId"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupTargetAssignmentMetadataKey::traits{
    .name = "ConsumerGroupTargetAssignmentMetadataKey",
    .versions = {0, 0},
    .fields = &ConsumerGroupTargetAssignmentMetadataKey::fields,
};

std::span<const Field> ConsumerGroupTargetAssignmentMetadataValue::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupTargetAssignmentMetadataValue::assignment_epoch>("AssignmentEpoch"),
        field<&ConsumerGroupTargetAssignmentMetadataValue::assignment_timestamp>(
            "AssignmentTimestamp")
            .tagged(0)
            .ignorable(),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupTargetAssignmentMetadataValue::traits{
    .name = "ConsumerGroupTargetAssignmentMetadataValue",
    .versions = {0, 0},
    .flexible = always,
    .fields = &ConsumerGroupTargetAssignmentMetadataValue::fields,
};

std::span<const Field> ConsumerGroupTargetAssignmentMemberKey::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupTargetAssignmentMemberKey::group_id>("GroupId"),
        field<&ConsumerGroupTargetAssignmentMemberKey::member_id>("MemberId"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupTargetAssignmentMemberKey::traits{
    .name = "ConsumerGroupTargetAssignmentMemberKey",
    .versions = {0, 0},
    .fields = &ConsumerGroupTargetAssignmentMemberKey::fields,
};

std::span<const Field> ConsumerGroupTargetAssignmentMemberValue::TopicPartition::fields() {
    static constexpr Field list[] = {
        field<&TopicPartition::topic_id>("TopicId"),
        field<&TopicPartition::partitions>("Partitions"),
    };
    return list;
}

std::span<const Field> ConsumerGroupTargetAssignmentMemberValue::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupTargetAssignmentMemberValue::topic_partitions>("TopicPartitions"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupTargetAssignmentMemberValue::traits{
    .name = "ConsumerGroupTargetAssignmentMemberValue",
    .versions = {0, 0},
    .flexible = always,
    .fields = &ConsumerGroupTargetAssignmentMemberValue::fields,
};

std::span<const Field> ConsumerGroupCurrentMemberAssignmentKey::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupCurrentMemberAssignmentKey::group_id>("GroupId"),
        field<&ConsumerGroupCurrentMemberAssignmentKey::member_id>("MemberId"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupCurrentMemberAssignmentKey::traits{
    .name = "ConsumerGroupCurrentMemberAssignmentKey",
    .versions = {0, 0},
    .fields = &ConsumerGroupCurrentMemberAssignmentKey::fields,
};

std::span<const Field> ConsumerGroupCurrentMemberAssignmentValue::TopicPartitions::fields() {
    static constexpr Field list[] = {
        field<&TopicPartitions::topic_id>("TopicId"),
        field<&TopicPartitions::partitions>("Partitions"),
        field<&TopicPartitions::assignment_epochs>("AssignmentEpochs").tagged(0),
    };
    return list;
}

std::span<const Field> ConsumerGroupCurrentMemberAssignmentValue::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupCurrentMemberAssignmentValue::member_epoch>("MemberEpoch"),
        field<&ConsumerGroupCurrentMemberAssignmentValue::previous_member_epoch>(
            "PreviousMemberEpoch"),
        field<&ConsumerGroupCurrentMemberAssignmentValue::state>("State"),
        field<&ConsumerGroupCurrentMemberAssignmentValue::assigned_partitions>(
            "AssignedPartitions"),
        field<&ConsumerGroupCurrentMemberAssignmentValue::partitions_pending_revocation>(
            "PartitionsPendingRevocation"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupCurrentMemberAssignmentValue::traits{
    .name = "ConsumerGroupCurrentMemberAssignmentValue",
    .versions = {0, 0},
    .flexible = always,
    .fields = &ConsumerGroupCurrentMemberAssignmentValue::fields,
};

std::span<const Field> ConsumerGroupRegularExpressionKey::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupRegularExpressionKey::group_id>("GroupId"),
        field<&ConsumerGroupRegularExpressionKey::regular_expression>("RegularExpression"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupRegularExpressionKey::traits{
    .name = "ConsumerGroupRegularExpressionKey",
    .versions = {0, 0},
    .fields = &ConsumerGroupRegularExpressionKey::fields,
};

std::span<const Field> ConsumerGroupRegularExpressionValue::fields() {
    static constexpr Field list[] = {
        field<&ConsumerGroupRegularExpressionValue::topics>("Topics"),
        field<&ConsumerGroupRegularExpressionValue::version>("Version"),
        field<&ConsumerGroupRegularExpressionValue::timestamp>("Timestamp"),
    };
    return list;
}

constinit const MessageTraits ConsumerGroupRegularExpressionValue::traits{
    .name = "ConsumerGroupRegularExpressionValue",
    .versions = {0, 0},
    .flexible = always,
    .fields = &ConsumerGroupRegularExpressionValue::fields,
};

}  // namespace leat::wire
