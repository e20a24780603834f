#include "core/log/partition_log.h"

#include <limits>
#include <string_view>
#include <utility>

#include "core/log/recovery.h"
#include "leat/sdk/ensure.h"

namespace leat::log {

namespace {

using wire::BatchView;
using wire::ErrorCode;
using wire::MutableBatchView;

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span{text.data(), text.size()});
    return {bytes.begin(), bytes.end()};
}

sdk::Error misfit(const char* what) {
    return {sdk::Errc::corrupt, what};
}

sdk::Status check_copy(std::span<const std::byte> bytes, Offset next, LeaderEpoch latest) {
    if (bytes.size() < wire::batch_header_bytes) return misfit("a copied batch is cut off");
    const BatchView batch{bytes};
    if (!batch.is_whole() || batch.size() != bytes.size() || batch.magic() != wire::batch_magic)
        return misfit("a copied batch has another size or magic than it says");
    if (!batch.crc_matches()) return misfit("a copied batch does not match its checksum");
    constexpr auto highest = std::numeric_limits<std::int64_t>::max() -
                             std::numeric_limits<std::int32_t>::max() - std::int64_t{1};
    if (batch.base_offset() < next || batch.base_offset().value > highest ||
        batch.last_offset_delta() < 0)
        return misfit("a copied batch does not follow the log's end");
    if (batch.leader_epoch().value < 0 || batch.leader_epoch() < latest)
        return misfit("a copied batch is of an older leader epoch than the log's end");
    return {};
}

}  // namespace

void PartitionLog::open(const sdk::LogBounds& bounds, std::optional<sdk::Extent> active,
                        ExtentAge age) {
    sdk::ensure(undo_.empty(), "a log is opened when nothing is on its way");
    begin_ = bounds.begin;
    end_ = next_ = bounds.end;
    active_ = {.base = end_, .age = {.begun = age.begun}};
    if (active) active_ = {.base = active->base, .bytes = active->bytes, .age = age};
}

Outcome PartitionLog::prepare(std::optional<std::span<std::byte>> records, const BatchRules& rules,
                              Timestamp wall) {
    sdk::ensure(epoch_.value >= 0, "only a leader takes a client's batch");
    std::optional<std::span<const std::byte>> readable;
    if (records) readable = *records;
    auto validated = validate(readable, rules, wall);
    if (auto* error = std::get_if<AppendError>(&validated)) return std::move(*error);
    const auto& valid = std::get<ValidBatch>(validated);
    MutableBatchView batch{records->first(valid.bytes)};

    const bool by_append = rules.timestamp_type == TimestampType::log_append_time;
    auto verdict = producers_.check(batch);
    if (auto* error = std::get_if<AppendError>(&verdict)) return std::move(*error);
    if (const auto* known = std::get_if<DuplicateBatch>(&verdict)) {
        const ProducerBatch& original = known->original;
        return Duplicate{original.base_offset(), original.last_offset,
                         by_append ? original.timestamp : Timestamp{-1}};
    }
    if (auto error = too_large(valid.bytes)) return *std::move(error);

    batch.stamp(next_, epoch_);
    if (by_append) batch.set_log_append_time(wall);
    if (valid.corrected_max_timestamp) batch.set_create_time(*valid.corrected_max_timestamp);
    return accept(batch, by_append ? wall : Timestamp{-1}, wall);
}

Outcome PartitionLog::prepare_own(std::span<std::byte> bytes, Timestamp wall) {
    sdk::ensure(epoch_.value >= 0, "only a leader appends batches of its own");
    MutableBatchView batch{bytes};
    sdk::ensure(batch.is_whole() && batch.size() == bytes.size(), "our own batch is whole");
    if (auto error = too_large(bytes.size())) return *std::move(error);
    batch.stamp(next_, epoch_);
    return accept(batch, {-1}, wall);
}

sdk::Result<Prepared> PartitionLog::prepare_copy(std::span<const std::byte> bytes, Timestamp wall) {
    if (auto fits = check_copy(bytes, next_, epochs_.latest()); !fits) return fits.error();
    return accept(BatchView{bytes}, {-1}, wall);
}

std::optional<AppendError> PartitionLog::too_large(std::size_t bytes) const {
    if (bytes <= options_.segment_bytes) return std::nullopt;
    return AppendError{ErrorCode::record_list_too_large,
                       "the batch has " + std::to_string(bytes) + " bytes and fits no segment"};
}

// Kafka's LogSegment.shouldRoll, but for a full index: an index has room for a whole extent.
bool PartitionLog::must_seal(const BatchView& batch, Timestamp wall) const {
    if (active_.bytes == 0) return false;
    return active_.bytes + batch.size() > options_.segment_bytes ||
           batch.last_offset() - active_.base > std::numeric_limits<std::int32_t>::max() ||
           old_enough(batch.max_timestamp(), wall);
}

bool PartitionLog::old_enough(Timestamp coming, Timestamp wall) const {
    const bool timed = active_.age.first_batch.value >= 0;
    const Timestamp since = timed ? active_.age.first_batch : active_.age.begun;
    const Timestamp now = timed ? coming : wall;
    // A client chose its timestamps: the difference may be negative, but must not overflow.
    return now > since && now.value - since.value > options_.segment_ms;
}

Prepared PartitionLog::accept(const BatchView& batch, Timestamp append_time, Timestamp wall) {
    Prepared prepared{
        .batch = {batch.base_offset(), batch.next_offset(), batch.max_timestamp(), batch.bytes()},
        .append_time = append_time};
    Undo undo{next_, active_};
    const std::size_t size = prepared.batch.bytes.size();
    if (must_seal(batch, wall)) {
        prepared.seal_first = seal_plan();
        active_ = {.base = next_, .age = {.begun = wall}};
        // Should this batch fail, the seal before it has been done all the same.
        undo.active = active_;
    }
    if (active_.bytes == 0) {
        active_.base = prepared.batch.base;
        active_.age.first_batch = prepared.batch.max_timestamp;
    }
    active_.bytes += size;
    if (batch.leader_epoch() > epochs_.latest())
        undo.epoch_added = epochs_.assign(batch.leader_epoch(), prepared.batch.base);
    producers_.add(batch, producers_now_.value_or(wall));
    undo_.push_back(undo);
    next_ = prepared.batch.next;
    return prepared;
}

void PartitionLog::appended(std::size_t batches) {
    sdk::ensure(batches <= undo_.size(), "no more is appended than was prepared");
    undo_.erase(undo_.begin(), undo_.begin() + static_cast<std::ptrdiff_t>(batches));
    producers_.commit(batches);
    end_ = undo_.empty() ? next_ : undo_.front().next;
}

void PartitionLog::append_failed() {
    for (; !undo_.empty(); undo_.pop_back()) {
        const Undo& undo = undo_.back();
        if (undo.epoch_added) epochs_.truncate_from_end(undo.next);
        next_ = undo.next;
        active_ = undo.active;
    }
    producers_.roll_back();
    end_ = next_;
}

void PartitionLog::let_producers_age(Timestamp now) {
    producers_now_ = now;
    producers_.expire(now);
}

void PartitionLog::replay(const BatchView& batch, Timestamp wall) {
    // The same epoch at a lower offset: the checkpoint tells of a tail that was lost.
    if (batch.leader_epoch().value >= 0 && batch.leader_epoch() >= epochs_.latest())
        epochs_.assign(batch.leader_epoch(), batch.base_offset());
    producers_.add(batch, wall);
    producers_.commit(1);
}

bool PartitionLog::lead(LeaderEpoch epoch) {
    sdk::ensure(undo_.empty(), "leadership changes when nothing is on its way");
    if (epoch <= epoch_) return false;
    epoch_ = epoch;
    epochs_.assign(epoch, end_);
    return true;
}

void PartitionLog::truncate(Offset end, std::optional<sdk::Extent> active, ExtentAge age) {
    open({begin_, end, end}, std::move(active), age);
    epochs_.truncate_from_end(end);
    producers_.truncate(end);
}

void PartitionLog::trim(Offset begin) {
    if (begin <= begin_) return;
    begin_ = begin;
    epochs_.truncate_from_start(begin);
    if (begin < end_) return;
    sdk::ensure(undo_.empty(), "a log is emptied when nothing is on its way");
    end_ = next_ = begin;
    active_ = {.base = begin, .age = {.begun = active_.age.begun}};
}

SealPlan PartitionLog::checkpoint() const {
    return seal_plan();
}

SideFile PartitionLog::epochs_file() const {
    return {std::string{LeaderEpochs::file_name}, bytes_of(epochs_.encode())};
}

SealPlan PartitionLog::seal_plan() const {
    SealPlan plan{.at = next_};
    plan.files.push_back(epochs_file());
    plan.files.push_back({windows_name(next_), producers_.encode_windows()});
    plan.files.push_back({snapshot_name(next_), producers_.encode_snapshot()});
    return plan;
}

}  // namespace leat::log
