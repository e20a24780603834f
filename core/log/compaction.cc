#include "core/log/compaction.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace leat::log {
namespace {

constexpr std::int64_t most_offsets = std::numeric_limits<std::int32_t>::max();

}  // namespace

double CompactionPlan::dirty_ratio() const {
    const std::uint64_t all = clean_bytes + dirty_bytes;
    return all == 0 ? 0 : static_cast<double>(dirty_bytes) / static_cast<double>(all);
}

CompactionPlan plan_compaction(const CompactionRules& rules, const CompactableLog& log,
                               Timestamp now) {
    CompactionPlan plan;
    const bool believed = log.cleaned >= log.begin && log.cleaned <= log.active;
    plan.first_dirty = believed ? log.cleaned : log.begin;
    plan.end = plan.first_dirty;
    for (const sdk::Extent& extent : log.extents) {
        if (extent.base >= log.active || extent.next > log.stable) break;
        if (extent.next <= plan.first_dirty) {
            plan.clean_bytes += extent.bytes;
            continue;
        }
        const bool young =
            rules.min_lag_ms > 0 && extent.max_timestamp.value > now.value - rules.min_lag_ms;
        if (young) break;
        plan.dirty_bytes += extent.bytes;
        plan.end = extent.next;
    }
    return plan;
}

bool is_worth_it(const CompactionPlan& plan, const CompactionRules& rules) {
    return plan.end > plan.first_dirty && plan.dirty_ratio() > rules.min_dirty_ratio;
}

bool is_overdue(Timestamp first_dirty_batch, const CompactionRules& rules, Timestamp now) {
    if (first_dirty_batch.value < 0 || first_dirty_batch > now) return false;
    return now.value - first_dirty_batch.value > rules.max_lag_ms;
}

std::vector<ExtentGroup> groups_to_rewrite(const CompactionRules& rules, const CompactableLog& log,
                                           Offset mapped, bool joined) {
    std::vector<ExtentGroup> groups;
    for (const sdk::Extent& extent : log.extents) {
        if (extent.base >= mapped || extent.base >= log.active || extent.next > log.stable) break;
        const bool fits = joined && !groups.empty() &&
                          groups.back().bytes + extent.bytes <= rules.segment_bytes &&
                          extent.next.value - groups.back().begin.value <= most_offsets;
        if (!fits) groups.push_back({.begin = extent.base, .end = extent.next});
        groups.back().end = extent.next;
        groups.back().bytes += extent.bytes;
        ++groups.back().extents;
    }
    return groups;
}

std::vector<std::byte> encode_cleaner_checkpoint(Offset cleaned) {
    const std::string text = "0\n" + std::to_string(cleaned.value) + "\n";
    const auto bytes = std::as_bytes(std::span{text});
    return {bytes.begin(), bytes.end()};
}

std::optional<Offset> decode_cleaner_checkpoint(std::span<const std::byte> file) {
    std::string_view text{reinterpret_cast<const char*>(file.data()), file.size()};
    if (!text.starts_with("0\n") || !text.ends_with('\n')) return std::nullopt;
    text = text.substr(2, text.size() - 3);
    std::int64_t offset = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
    if (error != std::errc{} || end != text.data() + text.size() || offset < 0) {
        return std::nullopt;
    }
    return Offset{offset};
}

}  // namespace leat::log
