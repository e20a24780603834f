#include "core/log/leader_epochs.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "leat/sdk/ensure.h"

namespace leat::log {

namespace {

// The first entry of a later epoch.
auto after(std::span<const EpochStart> entries, LeaderEpoch epoch) {
    return std::upper_bound(entries.begin(), entries.end(), epoch,
                            [](LeaderEpoch e, const EpochStart& entry) { return e < entry.epoch; });
}

// The first entry that starts above.
auto above(std::span<const EpochStart> entries, Offset offset) {
    return std::upper_bound(entries.begin(), entries.end(), offset,
                            [](Offset o, const EpochStart& entry) { return o < entry.start; });
}

// The next number of a line; false if there is none.
template <class Number>
bool take(std::string_view& text, Number& number) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\r'))
        text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

sdk::Error corrupt(const char* what) {
    return {sdk::Errc::corrupt, std::string{LeaderEpochs::file_name} + ": " + what};
}

}  // namespace

bool LeaderEpochs::assign(LeaderEpoch epoch, Offset start) {
    sdk::ensure(epoch.value >= 0 && start.value >= 0, "epochs and their starts are not negative");
    if (!entries_.empty()) {
        const EpochStart& last = entries_.back();
        if (epoch == last.epoch && start >= last.start) return false;
    }
    std::erase_if(entries_, [&](const EpochStart& entry) {
        return entry.epoch >= epoch || entry.start >= start;
    });
    entries_.push_back({epoch, start});
    return true;
}

LeaderEpoch LeaderEpochs::latest() const {
    return entries_.empty() ? LeaderEpoch{-1} : entries_.back().epoch;
}

bool LeaderEpochs::agree_below(Offset end, const LeaderEpochs& other) const {
    const auto below = [end](std::span<const EpochStart> all) {
        return std::find_if(all.begin(), all.end(),
                            [end](const EpochStart& entry) { return entry.start >= end; });
    };
    return std::equal(entries().begin(), below(entries_), other.entries().begin(),
                      below(other.entries_));
}

LeaderEpoch LeaderEpochs::epoch_at(Offset offset) const {
    const std::span<const EpochStart> all = entries_;
    const auto next = above(all, offset);
    return next == all.begin() ? LeaderEpoch{-1} : std::prev(next)->epoch;
}

EpochEnd LeaderEpochs::end_offset_for(LeaderEpoch requested, Offset log_end) const {
    if (entries_.empty() || requested.value < 0) return {};
    if (requested == latest()) return {requested, log_end};
    const std::span<const EpochStart> all = entries_;
    const auto next = after(all, requested);
    if (next == all.end()) return {};
    if (next == all.begin()) return {requested, next->start};
    return {std::prev(next)->epoch, next->start};
}

bool LeaderEpochs::truncate_from_end(Offset end) {
    return std::erase_if(entries_, [&](const EpochStart& entry) { return entry.start >= end; }) > 0;
}

bool LeaderEpochs::truncate_from_start(Offset begin) {
    const std::span<const EpochStart> all = entries_;
    const auto kept = above(all, begin) - all.begin();
    if (kept == 0) return false;
    const bool changed = kept > 1 || entries_.front().start < begin;
    entries_.erase(entries_.begin(), entries_.begin() + (kept - 1));
    entries_.front().start = begin;
    return changed;
}

std::string LeaderEpochs::encode() const {
    std::string text = "0\n" + std::to_string(entries_.size()) + "\n";
    for (const auto& [epoch, start] : entries_)
        text += std::to_string(epoch.value) + " " + std::to_string(start.value) + "\n";
    return text;
}

sdk::Result<LeaderEpochs> LeaderEpochs::decode(std::string_view text) {
    int version = 0;
    std::size_t count = 0;
    if (!take(text, version) || version != 0) return corrupt("the version is not 0");
    if (!take(text, count) || count > max_entries) return corrupt("the count cannot be");
    LeaderEpochs epochs;
    for (std::size_t i = 0; i < count; ++i) {
        EpochStart entry;
        if (!take(text, entry.epoch.value) || !take(text, entry.start.value))
            return corrupt("it has fewer entries than it says");
        const bool first = epochs.entries_.empty();
        if (entry.epoch.value < 0 || entry.start.value < 0 ||
            (!first && (entry.epoch <= epochs.entries_.back().epoch ||
                        entry.start < epochs.entries_.back().start)))
            return corrupt("its entries do not rise");
        epochs.entries_.push_back(entry);
    }
    if (text.find_first_not_of("\r\n ") != std::string_view::npos)
        return corrupt("it has more than it says");
    return epochs;
}

}  // namespace leat::log
