#include "tests/simulation/disk.h"

#include <algorithm>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::simulation {

using sdk::Errc;
using sdk::Error;
using sdk::Offset;

namespace {

// By the id's bytes, so that the order does not depend on anything but the seed; and by the name,
// so that an engine that is told no id finds what had the name before, as one with folders would.
std::string key_of(const sdk::PartitionId& id) {
    return std::string{reinterpret_cast<const char*>(id.topic_id.bytes.data()), 16} + id.topic +
           "-" + std::to_string(id.index);
}

Error gone() {
    return {Errc::closed, "this process was killed"};
}

class SimSideFiles final : public sdk::SideFiles {
public:
    SimSideFiles(StoredLog& log, const SimShards& process) : log_{log}, process_{process} {}

    sdk::Status write(std::string_view name, std::span<const std::byte> bytes) override {
        if (process_.severed()) return gone();
        log_.files[std::string{name}] = {bytes.begin(), bytes.end()};
        return {};
    }
    sdk::Result<std::vector<std::byte>> read(std::string_view name) override {
        const auto found = log_.files.find(std::string{name});
        if (found == log_.files.end()) return Error{Errc::not_found, "no such side file"};
        return found->second;
    }
    sdk::Status remove(std::string_view name) override {
        if (process_.severed()) return gone();
        log_.files.erase(std::string{name});
        return {};
    }
    sdk::Result<std::vector<std::string>> list() override {
        std::vector<std::string> names;
        for (const auto& [name, bytes] : log_.files) names.push_back(name);
        return names;
    }

private:
    StoredLog& log_;
    const SimShards& process_;
};

}  // namespace

class SimLog final : public sdk::Log {
public:
    SimLog(SimDisk& disk, const SimShards& process, std::shared_ptr<StoredLog> log)
        : disk_{disk}, process_{process}, log_{std::move(log)}, files_{*log_, process} {}

    sdk::LogBounds bounds() const override { return {log_->begin, log_->end, log_->durable}; }
    std::vector<sdk::Extent> extents() const override;
    sdk::Status append(std::span<const sdk::StampedBatch> batches) override;
    sdk::Result<sdk::ReadAnswer> read(Offset from, Offset below, std::size_t max_bytes) override;
    std::optional<Offset> seek(sdk::Timestamp not_before) const override;
    sdk::Status flush() override;
    sdk::Status truncate(Offset end) override;
    sdk::Status trim(Offset begin) override;
    sdk::Status seal() override {
        if (process_.severed()) return gone();
        log_->sealed = !log_->batches.empty();
        return {};
    }
    sdk::SideFiles* side_files() override { return &files_; }

private:
    void keep(const sdk::StampedBatch& batch) {
        log_->batches.push_back(
            {batch.base, batch.next, batch.max_timestamp,
             std::make_shared<const std::vector<std::byte>>(batch.bytes.begin(), batch.bytes.end()),
             std::exchange(log_->sealed, false) || log_->batches.empty()});
    }

    SimDisk& disk_;
    const SimShards& process_;
    const std::shared_ptr<StoredLog> log_;  // The device and this handle own it.
    SimSideFiles files_;
};

std::vector<sdk::Extent> SimLog::extents() const {
    std::vector<sdk::Extent> extents;
    for (const StoredBatch& batch : log_->batches) {
        if (batch.next > log_->end) break;
        if (batch.begins_extent || extents.empty()) extents.push_back({.base = batch.base});
        sdk::Extent& last = extents.back();
        last.next = batch.next;
        last.bytes += batch.bytes->size();
        last.max_timestamp = std::max(last.max_timestamp, batch.max_timestamp);
    }
    return extents;
}

sdk::Status SimLog::append(std::span<const sdk::StampedBatch> batches) {
    if (process_.severed()) return gone();
    sdk::ensure(log_->ghosts == 0, "nothing is appended after a failed append");
    Offset end = log_->end;
    for (const auto& batch : batches) {
        sdk::ensure(batch.base >= end && batch.next > batch.base, "appends go on at the end");
        end = batch.next;
    }
    auto& random = disk_.world_.random();
    if (random.chance(disk_.faults.no_space)) return Error{Errc::no_space, "the disk is full"};
    if (random.chance(disk_.faults.append_io)) {
        log_->ghosts = random.below(batches.size() + 1);
        for (std::size_t i = 0; i < log_->ghosts; ++i) keep(batches[i]);
        return Error{Errc::io, "a write failed"};
    }
    for (const auto& batch : batches) keep(batch);
    log_->end = end;
    return {};
}

sdk::Result<sdk::ReadAnswer> SimLog::read(Offset from, Offset below, std::size_t max_bytes) {
    if (process_.severed()) return gone();
    if (from < log_->begin || from > log_->end) return Error{Errc::out_of_range, "not held"};
    sdk::ReadAnswer answer;
    std::size_t taken = 0;
    for (const StoredBatch& batch : log_->batches) {
        if (batch.next <= from) continue;
        if (batch.next > log_->end || batch.base >= below) break;
        if (taken > 0 && taken + batch.bytes->size() > max_bytes) break;
        // Now and then the cache has not got it.
        if (taken == 0 && disk_.world_.random().chance(20)) {
            answer.bring_in = [] {};
            return answer;
        }
        taken += batch.bytes->size();
        answer.slices.push_back(sdk::MemorySlice{batch.bytes, *batch.bytes});
    }
    return answer;
}

// A sparse index: now and then it answers too early, as it may.
std::optional<Offset> SimLog::seek(sdk::Timestamp not_before) const {
    Offset earlier = log_->begin;
    for (const StoredBatch& batch : log_->batches) {
        if (batch.next > log_->end) break;
        if (batch.max_timestamp >= not_before) {
            return disk_.world_.random().chance(300) ? earlier : batch.base;
        }
        if (disk_.world_.random().chance(100)) earlier = batch.base;
    }
    return std::nullopt;
}

// Runs as one event, somewhere between its begin and its end: what is appended until then is
// covered, what comes after it is not.
sdk::Status SimLog::flush() {
    if (process_.severed()) return gone();
    sdk::ensure(!log_->flush_failed, "a failed sync is not tried again");
    if (disk_.world_.random().chance(disk_.faults.flush_io)) {
        log_->flush_failed = true;
        return Error{Errc::io, "a sync failed"};
    }
    log_->durable = log_->end;
    return {};
}

sdk::Status SimLog::truncate(Offset end) {
    if (process_.severed()) return gone();
    auto& batches = log_->batches;
    while (!batches.empty() && batches.back().next > end) batches.pop_back();
    log_->end = batches.empty() ? end : batches.back().next;
    log_->begin = std::min(log_->begin, log_->end);
    log_->durable = std::min(log_->durable, log_->end);
    return {};
}

sdk::Status SimLog::trim(Offset begin) {
    if (process_.severed()) return gone();
    std::erase_if(log_->batches, [begin](const auto& batch) { return batch.next <= begin; });
    log_->begin = std::max(log_->begin, begin);
    log_->end = std::max(log_->end, begin);
    log_->durable = std::max(log_->durable, begin);
    return {};
}

const StoredLog* SimDisk::log(const sdk::Uuid& topic_id, std::int32_t index) const {
    const auto found = std::ranges::find_if(logs_, [&](const auto& entry) {
        return entry.second->id.topic_id == topic_id && entry.second->id.index == index;
    });
    return found == logs_.end() ? nullptr : found->second.get();
}

Offset SimDisk::end(const sdk::Uuid& topic_id, std::int32_t index) const {
    const StoredLog* found = log(topic_id, index);
    return found == nullptr ? Offset{0} : found->end;
}

bool SimDisk::a_sync_failed() const {
    return std::ranges::any_of(logs_, [](const auto& entry) { return entry.second->flush_failed; });
}

std::vector<Loss> SimDisk::ended(bool machine) {
    std::vector<Loss> losses;
    for (auto& [key, log] : logs_) {
        auto& batches = log->batches;
        const Offset had = log->end;
        if (machine || (log->flush_failed && world_.random().chance(500))) {
            std::size_t durable = 0;
            while (durable < batches.size() && batches[durable].next <= log->durable) ++durable;
            batches.resize(durable + world_.random().below(batches.size() - durable + 1));
        }
        log->end = batches.empty() ? log->begin : batches.back().next;
        losses.push_back({log->id, had, log->end, log->flush_failed});
        // What survived a crash is on the device, for it was read back from there.
        if (machine) log->durable = log->end;
        log->durable = std::min(log->durable, log->end);
        log->ghosts = 0;
        log->flush_failed = false;
        log->sealed = false;
    }
    return losses;
}

sdk::Result<std::unique_ptr<sdk::Log>> SimEngine::open(const sdk::PartitionId& id,
                                                       const sdk::LogOptions&) {
    if (process_.severed()) return gone();
    if (disk_.world_.random().chance(disk_.faults.open_io)) {
        return Error{Errc::io, "the folder cannot be opened"};
    }
    auto& log = disk_.logs_[key_of(id)];
    if (!log) {
        log = std::make_shared<StoredLog>();
        log->id = id;
    }
    return std::unique_ptr<sdk::Log>{std::make_unique<SimLog>(disk_, process_, log)};
}

sdk::Status SimEngine::remove(const sdk::PartitionId& id) {
    if (process_.severed()) return gone();
    disk_.logs_.erase(key_of(id));
    return {};
}

sdk::Result<std::vector<sdk::PartitionId>> SimEngine::partitions() {
    std::vector<sdk::PartitionId> ids;
    for (const auto& [key, log] : disk_.logs_) ids.push_back(log->id);
    return ids;
}

}  // namespace leat::simulation
