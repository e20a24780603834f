#include "core/broker/compaction_pass.h"

#include <algorithm>
#include <utility>

namespace leat::broker {
namespace {

constexpr std::size_t least_map_bytes = 4096;
constexpr sdk::Instant longest_pause = std::chrono::seconds{1};

// A small log gets a small map: a record with a key has 8 bytes or more, a place in the map 24, and
// what is compressed so well that it does not fit is for the next pass.
std::size_t map_bytes(const CompactionTerms& terms, const log::CompactionPlan& plan) {
    return std::max(least_map_bytes, static_cast<std::size_t>(std::min<std::uint64_t>(
                                         terms.map_bytes, least_map_bytes + 4 * plan.dirty_bytes)));
}

sdk::Error not_whole() {
    return {sdk::Errc::corrupt, "the log holds bytes that are no whole batch"};
}

}  // namespace

CompactionPass::CompactionPass(const CompactionTerms& terms, Scope scope,
                               sdk::Function<void(bool)> its_done)
    : done{std::move(its_done)},
      terms_{terms},
      scope_{std::move(scope)},
      map_{map_bytes(terms, scope_.plan), terms.secret},
      next_{scope_.plan.first_dirty},
      mapped_{next_} {}

sdk::Result<bool> CompactionPass::map() {
    std::span<const std::byte> rest{bytes};
    if (rest.empty()) {  // Nothing is kept there.
        next_ = mapped_ = scope_.plan.end;
        return false;
    }
    count.read += rest.size();
    while (!rest.empty()) {
        if (rest.size() < wire::batch_header_bytes) return not_whole();
        const wire::BatchView batch{rest};
        if (!batch.is_whole() || !batch.crc_matches()) return not_whole();
        const auto more = map_keys(map_, batch, scope_.plan.first_dirty, mapped_);
        if (!more) return more.error();
        if (!*more) {
            map_full_ = true;
            return false;
        }
        next_ = mapped_;
        rest = rest.subspan(batch.size());
    }
    return next_ < scope_.plan.end;
}

void CompactionPass::begin_rewriting(const log::CompactableLog& log) {
    compactor_.emplace(map_, mapped_,
                       log::BatchCompactor::Horizon{scope_.now, scope_.rules.delete_retention_ms},
                       scope_.producers_last);
    groups_ = groups_to_rewrite(scope_.rules, log, mapped_, true);
    if (!groups_.empty()) next_ = groups_.front().begin;
}

void CompactionPass::next_group() {
    ++group_;
    changed_ = false;
    if (group_ < groups_.size()) next_ = groups_[group_].begin;
}

void CompactionPass::rewrite_one_by_one(const log::CompactableLog& log) {
    const sdk::Offset at = groups_[group_].begin;
    groups_ = groups_to_rewrite(scope_.rules, log, mapped_, false);
    std::erase_if(groups_, [at](const log::ExtentGroup& one) { return one.begin < at; });
    group_ = 0;
    changed_ = must_not_join_ = false;
    if (!groups_.empty()) next_ = groups_.front().begin;
}

sdk::Status CompactionPass::rewrite() {
    const log::ExtentGroup& group = groups_[group_];
    std::vector<log::Remains> remains;  // Holds the bytes of what changed.
    std::vector<sdk::StampedBatch> kept;
    std::span<const std::byte> rest{bytes};
    if (rest.empty()) return sdk::Error{sdk::Errc::conflict, "what was to be read has gone"};
    count.read += rest.size();
    while (!rest.empty()) {
        if (rest.size() < wire::batch_header_bytes) return not_whole();
        const wire::BatchView batch{rest};
        if (!batch.is_whole() || !batch.crc_matches()) return not_whole();
        must_not_join_ = group.extents > 1 && (batch.transactional() || batch.control());
        if (must_not_join_) return {};
        auto left = compactor_->compact(batch, group.end);
        if (!left) return left.error();
        next_ = batch.next_offset();
        rest = rest.subspan(batch.size());
        count.dropped += static_cast<std::uint64_t>(left->records_dropped);
        changed_ = changed_ || left->what != log::Remains::What::as_it_was;
        if (left->what == log::Remains::What::nothing) continue;
        const bool same = left->what == log::Remains::What::as_it_was;
        sdk::StampedBatch stamped{.base = batch.base_offset(),
                                  .next = batch.next_offset(),
                                  .max_timestamp = batch.max_timestamp(),
                                  .bytes = batch.bytes()};
        if (!same) {
            remains.push_back(std::move(*left));
            stamped.max_timestamp = remains.back().max_timestamp;
            stamped.bytes = remains.back().bytes;
        }
        count.written += stamped.bytes.size();
        kept.push_back(stamped);
    }
    if (kept.empty()) return {};
    return made->append(kept);
}

// By what it has cost since it began, which evens out what single chunks cost.
sdk::Instant CompactionPass::pause(sdk::Instant now) const {
    if (terms_.bytes_per_second == 0) return sdk::Instant{0};
    const double seconds = static_cast<double>(count.read + count.written) /
                           static_cast<double>(terms_.bytes_per_second);
    const auto due = scope_.began + std::chrono::duration_cast<sdk::Instant>(
                                        std::chrono::duration<double>{seconds});
    return std::clamp(due - now, sdk::Instant{0}, longest_pause);
}

}  // namespace leat::broker
