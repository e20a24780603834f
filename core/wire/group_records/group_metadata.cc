#include "core/wire/group_records/group_metadata.h"

namespace leat::wire {

std::span<const Field> GroupMetadataKey::fields() {
    static constexpr Field list[] = {
        field<&GroupMetadataKey::group>("group"),
    };
    return list;
}

constinit const MessageTraits GroupMetadataKey::traits{
    .name = "GroupMetadataKey",
    .versions = {0, 0},
    .fields = &GroupMetadataKey::fields,
};

std::span<const Field> GroupMetadataValue::Member::fields() {
    static constexpr Field list[] = {
        field<&Member::member_id>("memberId"),
        field<&Member::group_instance_id>("groupInstanceId").in(since(3)).ignorable(),
        field<&Member::client_id>("clientId"),
        field<&Member::client_host>("clientHost"),
        field<&Member::rebalance_timeout>("rebalanceTimeout").in(since(1)).ignorable(),
        field<&Member::session_timeout>("sessionTimeout"),
        field<&Member::subscription>("subscription"),
        field<&Member::assignment>("assignment"),
    };
    return list;
}

std::span<const Field> GroupMetadataValue::fields() {
    static constexpr Field list[] = {
        field<&GroupMetadataValue::protocol_type>("protocolType"),
        field<&GroupMetadataValue::generation>("generation"),
        field<&GroupMetadataValue::protocol>("protocol"),
        field<&GroupMetadataValue::leader>("leader"),
        field<&GroupMetadataValue::current_state_timestamp>("currentStateTimestamp")
            .in(since(2))
            .ignorable(),
        field<&GroupMetadataValue::members>("members"),
    };
    return list;
}

constinit const MessageTraits GroupMetadataValue::traits{
    .name = "GroupMetadataValue",
    .versions = {0, 4},
    .flexible = since(4),
    .fields = &GroupMetadataValue::fields,
};

}  // namespace leat::wire
