#include "core/log/retention.h"

#include <algorithm>
#include <utility>

namespace leat::log {
namespace {

constexpr std::int64_t most_patience_ms = 86'400'000;

// Timestamps are what clients say they are: the difference must not overflow.
bool older_than(Timestamp when, std::int64_t ms, Timestamp now) {
    return when.value >= 0 && when < now && now.value - when.value > ms;
}

bool usable(const sdk::Extent& extent, Timestamp now) {
    return extent.max_timestamp.value >= 0 && extent.max_timestamp <= now;
}

std::int64_t milliseconds_of(sdk::Instant span) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
}

bool near(std::int64_t ms) {
    return ms <= RetentionClock::tolerance.count() && ms >= -RetentionClock::tolerance.count();
}

}  // namespace

Offset Retention::trim_point(const RetentionLimits& limits, const RetainedLog& log, Timestamp now) {
    look(log, now);
    if (!limits.limited()) return log.begin;
    std::uint64_t left = 0;
    for (const sdk::Extent& extent : log.extents) left += extent.bytes;
    std::span<const sdk::Extent> rest = log.extents;
    Offset begin = log.begin;
    const auto drop = [&] {
        left -= rest.front().bytes;
        begin = std::max(begin, rest.front().next);
        rest = rest.subspan(1);
    };
    const auto committed = [&] { return !rest.empty() && rest.front().next <= log.high_watermark; };
    if (limits.bytes >= 0) {
        const auto kept = static_cast<std::uint64_t>(limits.bytes);
        while (committed() && left >= kept && left - kept >= rest.front().bytes) drop();
    }
    if (limits.ms >= 0) {
        while (committed() && too_old(rest, limits.ms, now)) drop();
    }
    return begin;
}

void Retention::look(const RetainedLog& log, Timestamp now) {
    std::vector<Seen> seen;
    for (const sdk::Extent& extent : log.extents) {
        if (usable(extent, now)) continue;
        const auto before = std::ranges::lower_bound(seen_, extent.base, {}, &Seen::base);
        const bool same = before != seen_.end() && before->base == extent.base &&
                          before->next == extent.next && before->at <= now;
        seen.push_back({extent.base, extent.next, same ? before->at : now});
    }
    seen_ = std::move(seen);
}

// The first of `from`.
bool Retention::too_old(std::span<const sdk::Extent> from, std::int64_t ms, Timestamp now) const {
    const sdk::Extent& extent = from.front();
    if (usable(extent, now)) return older_than(extent.max_timestamp, ms, now);
    const auto seen = std::ranges::lower_bound(seen_, extent.base, {}, &Seen::base);
    if (older_than(seen->at, ms, now)) return true;
    const auto behind = std::ranges::find_if(
        from.subspan(1), [now](const sdk::Extent& other) { return usable(other, now); });
    return behind != from.end() && older_than(behind->max_timestamp, ms, now) &&
           older_than(seen->at, std::min(ms, most_patience_ms), now);
}

RetentionClock::Reading RetentionClock::read(Timestamp wall, sdk::Instant now) {
    if (!believed_)
        believed_ = wall;
    else
        believed_->value += milliseconds_of(now - believed_at_);
    believed_at_ = now;
    const std::int64_t ahead = wall.value - believed_->value;
    if (near(ahead)) {
        believed_ = wall;
        doubt_.reset();
        return {wall, std::nullopt};
    }
    std::optional<std::int64_t> jumped;
    if (!doubt_ || !near(wall.value - doubt_->wall.value - milliseconds_of(now - doubt_->since))) {
        doubt_ = Doubt{wall, now};
        jumped = ahead;
    }
    const std::int64_t size = ahead < 0 ? -ahead : ahead;
    if (milliseconds_of(now - doubt_->since) >= std::min(size, most_doubt.count())) {
        believed_ = wall;
        doubt_.reset();
    }
    return {std::min(wall, *believed_), jumped};
}

}  // namespace leat::log
