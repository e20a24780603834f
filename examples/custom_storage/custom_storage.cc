// A storage engine in one file: every batch is a string in a list. It forgets everything when the
// broker stops, and a list that is searched from its start is slow; it is here to be read, copied
// and changed. What each call promises stands in leat/sdk/storage.h.
#include <algorithm>
#include <deque>
#include <mutex>

#include "leat/sdk/plugin.h"

namespace {

using namespace leat::sdk;

struct Batch {
    Offset base;
    Offset next;
    Timestamp max_timestamp;
    std::shared_ptr<const std::string> bytes;  // Shared with readers: a slice outlives trim().
    bool begins_extent;
};

class ListLog final : public Log {
public:
    explicit ListLog(std::uint64_t most_bytes) : most_bytes_{most_bytes} {}

    LogBounds bounds() const override {
        const std::lock_guard lock{mutex_};
        return {begin_, end_, end_};
    }

    std::vector<Extent> extents() const override {
        const std::lock_guard lock{mutex_};
        std::vector<Extent> all;
        for (const Batch& batch : batches_) {
            if (all.empty() || batch.begins_extent) all.push_back({.base = batch.base});
            Extent& last = all.back();
            last.next = batch.next;
            last.bytes += batch.bytes->size();
            last.max_timestamp = std::max(last.max_timestamp, batch.max_timestamp);
        }
        return all;
    }

    Status append(std::span<const StampedBatch> batches) override {
        const std::lock_guard lock{mutex_};
        std::uint64_t added = 0;
        for (const StampedBatch& batch : batches) added += batch.bytes.size();
        if (bytes_ + added > most_bytes_)
            return Error{Errc::no_space, "raise `most_bytes` of this storage instance"};
        for (const auto& [base, next, max_timestamp, bytes] : batches) {
            const char* first = reinterpret_cast<const char*>(bytes.data());
            batches_.push_back({base, next, max_timestamp,
                                std::make_shared<const std::string>(first, bytes.size()),
                                std::exchange(sealed_, false)});
            end_ = next;
        }
        bytes_ += added;
        return {};
    }

    Result<ReadAnswer> read(Offset from, Offset below, std::size_t max_bytes) override {
        const std::lock_guard lock{mutex_};
        if (from < begin_ || from > end_) return Error{Errc::out_of_range, "not held"};
        ReadAnswer answer;
        std::size_t taken = 0;
        for (const Batch& batch : batches_) {
            if (batch.next <= from) continue;
            if (batch.base >= below) break;
            if (taken > 0 && taken + batch.bytes->size() > max_bytes) break;
            answer.slices.push_back(MemorySlice{
                batch.bytes, std::as_bytes(std::span{batch.bytes->data(), batch.bytes->size()})});
            taken += batch.bytes->size();
        }
        return answer;
    }

    std::optional<Offset> seek(Timestamp not_before) const override {
        const std::lock_guard lock{mutex_};
        for (const Batch& batch : batches_)
            if (batch.max_timestamp >= not_before) return std::max(batch.base, begin_);
        return std::nullopt;
    }

    Status truncate(Offset end) override {
        const std::lock_guard lock{mutex_};
        if (end >= end_) return {};
        while (!batches_.empty() && batches_.back().next > end) {
            bytes_ -= batches_.back().bytes->size();
            batches_.pop_back();
        }
        end_ = batches_.empty() ? end : batches_.back().next;
        begin_ = std::min(begin_, end_);
        return {};
    }

    Status trim(Offset begin) override {
        const std::lock_guard lock{mutex_};
        if (begin <= begin_) return {};
        while (!batches_.empty() && batches_.front().next <= begin) {
            bytes_ -= batches_.front().bytes->size();
            batches_.pop_front();
        }
        begin_ = begin;
        end_ = std::max(end_, begin);
        return {};
    }

    Status flush() override { return {}; }  // There is nothing safer than where it is.
    Status seal() override {
        const std::lock_guard lock{mutex_};
        sealed_ = true;
        return {};
    }

private:
    const std::uint64_t most_bytes_;
    mutable std::mutex mutex_;  // truncate, trim and flush run on a worker, beside reads.
    std::deque<Batch> batches_;
    bool sealed_ = false;
    std::uint64_t bytes_ = 0;
    Offset begin_;
    Offset end_;
};

class ListEngine final : public StorageEngine {
public:
    explicit ListEngine(std::uint64_t most_bytes) : most_bytes_{most_bytes} {}

    Result<std::unique_ptr<Log>> open(const PartitionId&, const LogOptions&) override {
        return std::unique_ptr<Log>{std::make_unique<ListLog>(most_bytes_)};
    }
    Status remove(const PartitionId&) override { return {}; }
    Result<std::vector<PartitionId>> partitions() override { return std::vector<PartitionId>{}; }
    Status closed_cleanly() override { return {}; }

private:
    const std::uint64_t most_bytes_;
};

Result<std::unique_ptr<StorageEngine>> make(PluginContext&, const Settings& settings) {
    return std::unique_ptr<StorageEngine>{
        std::make_unique<ListEngine>(settings.bytes("most_bytes"))};
}

}  // namespace

LEAT_PLUGIN("custom_storage", "1.0.0", [](Registrar& host) {
    host.storage_engine(
        {.name = "custom",
         .description = "An example: keeps every batch in a list.",
         .options = {{.name = "most_bytes",
                      .kind = OptionKind::size,
                      .fallback = std::int64_t{64} << 20,
                      .description = "What one partition may hold; above it produces are refused.",
                      .least = 1 << 20}},
         .capabilities = {.durable = false, .truncatable = true, .side_files = false},
         .make = make});
});
