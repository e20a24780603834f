// The broker's wall clock in a simulated world: it runs with the steady one, and is set forward and
// back. Clients have their own, which nobody sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "leat/sdk/shard.h"
#include "leat/sdk/strong.h"

namespace leat::simulation {

class WallClock {
public:
    static constexpr std::int64_t began_ms = 1'700'000'000'000;

    // What a clock shows that was never set.
    static sdk::Timestamp unset(sdk::Instant now) { return {began_ms + now.count() / 1'000'000}; }

    sdk::Timestamp at(sdk::Instant now) const { return shown(spans_.back(), now); }

    void set_forward(sdk::Instant now, std::int64_t ms) {  // Negative: back.
        spans_.push_back({now, spans_.back().ahead_ms + ms});
        if (ms < 0) ++set_back_;
    }
    void set_right(sdk::Instant now) { set_forward(now, -spans_.back().ahead_ms); }

    // How often it was set back.
    int set_back() const { return set_back_; }

    // Did it show `what` at any time from `from` to `to`?
    bool showed(sdk::Timestamp what, sdk::Instant from, sdk::Instant to) const {
        return any_span(from, to,
                        [what](auto first, auto last) { return first <= what && what <= last; });
    }
    // Did it show something before `what` / something not before it?
    bool was_before(sdk::Timestamp what, sdk::Instant from, sdk::Instant to) const {
        return any_span(from, to, [what](auto first, auto) { return first < what; });
    }
    bool was_not_before(sdk::Timestamp what, sdk::Instant from, sdk::Instant to) const {
        return any_span(from, to, [what](auto, auto last) { return last >= what; });
    }

private:
    struct Span {  // Until the next one begins.
        sdk::Instant since;
        std::int64_t ahead_ms;
    };

    static sdk::Timestamp shown(const Span& span, sdk::Instant now) {
        return {unset(now).value + span.ahead_ms};
    }
    template <class Holds>
    bool any_span(sdk::Instant from, sdk::Instant to, Holds holds) const {
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            const sdk::Instant begin = std::max(from, spans_[i].since);
            const sdk::Instant end = i + 1 < spans_.size() ? std::min(to, spans_[i + 1].since) : to;
            if (begin > end) continue;
            if (holds(shown(spans_[i], begin), shown(spans_[i], end))) return true;
        }
        return false;
    }

    std::vector<Span> spans_{{sdk::Instant{0}, 0}};
    int set_back_ = 0;
};

}  // namespace leat::simulation
