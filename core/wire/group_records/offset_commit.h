// The record of a committed offset (type 1, in old logs type 0).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/wire/codec.h"
#include "core/wire/fields.h"
#include "leat/sdk/uuid.h"

namespace leat::wire {

struct OffsetCommitKey {
    std::string group;
    std::string topic;
    std::int32_t partition = 0;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const OffsetCommitKey&) const = default;
};

struct OffsetCommitValue {
    std::int64_t offset = 0;  // The next one to read.
    std::int32_t leader_epoch = -1;
    std::string metadata;
    std::int64_t commit_timestamp = 0;   // Milliseconds of the epoch, as all timestamps.
    std::int64_t expire_timestamp = -1;  // -1: as the broker is configured.
    sdk::Uuid topic_id;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const OffsetCommitValue&) const = default;
};

}  // namespace leat::wire
