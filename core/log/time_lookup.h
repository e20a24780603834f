// Which record of a batch ListOffsets means when it asks by time. Opens one batch, within bounds.
// Pure functions; a large compressed batch takes milliseconds: [worker].
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/compression/codec.h"
#include "core/wire/record_batch.h"
#include "leat/sdk/result.h"

namespace leat::log {

struct TimedRecord {
    sdk::Offset offset;
    sdk::Timestamp timestamp;

    bool operator==(const TimedRecord&) const = default;
};

// The first record of a whole batch, at or above `from`, whose timestamp is not older than
// `target`; nothing if there is none, or if it is a control batch, whose records nobody asks for.
sdk::Result<std::optional<TimedRecord>> first_not_older(const wire::BatchView& batch,
                                                        sdk::Timestamp target, sdk::Offset from,
                                                        const compression::Bounds& bounds = {});

// The first record that has the batch's largest timestamp (ListOffsets -3, KIP-734).
sdk::Result<std::optional<TimedRecord>> newest(const wire::BatchView& batch,
                                               const compression::Bounds& bounds = {});

}  // namespace leat::log
