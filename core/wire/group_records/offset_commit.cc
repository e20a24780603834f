#include "core/wire/group_records/offset_commit.h"

namespace leat::wire {

std::span<const Field> OffsetCommitKey::fields() {
    static constexpr Field list[] = {
        field<&OffsetCommitKey::group>("group"),
        field<&OffsetCommitKey::topic>("topic"),
        field<&OffsetCommitKey::partition>("partition"),
    };
    return list;
}

constinit const MessageTraits OffsetCommitKey::traits{
    .name = "OffsetCommitKey",
    .versions = {0, 0},
    .fields = &OffsetCommitKey::fields,
};

std::span<const Field> OffsetCommitValue::fields() {
    static constexpr Field list[] = {
        field<&OffsetCommitValue::offset>("offset"),
        field<&OffsetCommitValue::leader_epoch>("leaderEpoch").in(since(3)).ignorable(),
        field<&OffsetCommitValue::metadata>("metadata"),
        field<&OffsetCommitValue::commit_timestamp>("commitTimestamp"),
        field<&OffsetCommitValue::expire_timestamp>("expireTimestamp")
            .in(between(1, 1))
            .ignorable(),
        field<&OffsetCommitValue::topic_id>("topicId").in(since(4)).tagged(0).ignorable(),
    };
    return list;
}

constinit const MessageTraits OffsetCommitValue::traits{
    .name = "OffsetCommitValue",
    .versions = {0, 4},
    .flexible = since(4),
    .fields = &OffsetCommitValue::fields,
};

}  // namespace leat::wire
