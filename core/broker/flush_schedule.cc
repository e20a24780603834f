#include "core/broker/flush_schedule.h"

#include <algorithm>

#include "leat/sdk/ensure.h"

namespace leat::broker {

void FlushSchedule::appended(sdk::Offset end, sdk::Instant now) {
    sdk::ensure(end >= end_, "a log end does not go back without a truncation");
    end_ = end;
    auto& since = running_ ? appended_during_sync_ : oldest_unsynced_;
    if (!since) since = now;
}

void FlushSchedule::started() {
    sdk::ensure(!running_, "one sync at a time");
    running_ = true;
    syncing_to_ = end_;
}

void FlushSchedule::finished(sdk::Offset durable) {
    sdk::ensure(running_, "a sync that ends has begun");
    running_ = false;
    durable_ = std::max(durable_, durable);
    oldest_unsynced_ = appended_during_sync_;
    appended_during_sync_.reset();
}

bool FlushSchedule::due(sdk::Instant now) const {
    if (!anything_to_sync()) return false;
    if (owed_ > durable_ || end_ - durable_ >= promise_.messages) return true;
    switch (promise_.kind) {
        case FlushPromise::Kind::none:
            return false;
        case FlushPromise::Kind::each:
            return true;
        case FlushPromise::Kind::interval:
            return oldest_unsynced_ && now >= *oldest_unsynced_ + promise_.interval;
    }
    return false;
}

std::optional<sdk::Instant> FlushSchedule::ask_again_at() const {
    if (!anything_to_sync() || promise_.kind != FlushPromise::Kind::interval) return std::nullopt;
    if (!oldest_unsynced_) return std::nullopt;
    return *oldest_unsynced_ + promise_.interval;
}

}  // namespace leat::broker
