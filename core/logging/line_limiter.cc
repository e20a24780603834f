#include "core/logging/line_limiter.h"

#include <chrono>
#include <utility>

namespace leat::logging {

namespace {
constexpr std::chrono::minutes window{1};
}

// Of keys whose minute is over. What they left out is told by the shared allowance, so that nobody
// fills the table for good by failing twice under each of many names.
void LineLimiter::make_room(sdk::Instant now) {
    std::uint64_t left_out = 0;
    std::erase_if(allowances_, [&](const auto& entry) {
        const bool over = !entry.first.empty() && now - entry.second.since >= window;
        if (over) left_out += entry.second.left_out;
        return over;
    });
    if (left_out == 0) return;
    const auto shared = allowances_.try_emplace(std::string{}, Allowance{now, 0, 0}).first;
    shared->second.left_out += left_out;
}

LineLimiter::Allowance& LineLimiter::allowance_of(std::string_view key, sdk::Instant now) {
    if (const auto found = allowances_.find(key); found != allowances_.end()) return found->second;
    if (allowances_.size() >= most_keys) {
        make_room(now);
    }
    const bool full = allowances_.size() >= most_keys;
    return allowances_.try_emplace(full ? std::string{} : std::string{key}, Allowance{now, 0, 0})
        .first->second;
}

std::optional<std::uint64_t> LineLimiter::admit(std::string_view key, sdk::Instant now) {
    Allowance& allowance = allowance_of(key, now);
    if (now - allowance.since >= window) {
        allowance.since = now;
        allowance.used = 0;
    }
    if (allowance.used >= lines_per_minute_) {
        ++allowance.left_out;
        return std::nullopt;
    }
    ++allowance.used;
    return std::exchange(allowance.left_out, 0);
}

}  // namespace leat::logging
