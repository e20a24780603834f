// One partition over the segment engine on a simulated disk, led by a process that a test may end.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/broker/partition.h"
#include "core/logging/logger.h"
#include "core/wire/batch_builder.h"
#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "segment_engine.h"
#include "tests/broker/loading_engine.h"
#include "tests/broker/metadata_bed.h"
#include "tests/storage/simulated_disk.h"

namespace leat::broker::testing {

using storage_test::SimulatedDisk;
using storage_test::World;

class LastLine final : public logging::Logger {
public:
    void log(logging::Level, std::string_view event,
             std::span<const logging::Field> fields) override {
        text = event;
        for (const auto& [key, value] : fields) text.append(" ").append(key).append("=" + value);
    }
    bool keeps(logging::Level) const override { return true; }

    std::string text;
};

// What a device holds for segment engines, from one process to the next.
inline std::shared_ptr<SimulatedDisk> empty_disk() {
    auto disk = std::make_shared<SimulatedDisk>();
    disk->make_folder("/d");
    disk->sync_everything("/");
    return disk;
}

inline std::string text_on(SimulatedDisk& disk, const std::string& path) {
    const int file = disk.open(path, segment::FileSystem::Open::existing);
    if (file < 0) return {};
    std::string text(static_cast<std::size_t>(disk.size(file)), '\0');
    disk.read_all(file, 0, std::as_writable_bytes(std::span{text}));
    disk.close(file);
    return text;
}

struct OnDisk {
    sdk::Uuid topic_id{{1}};
    FlushPromise flush{.kind = FlushPromise::Kind::each};
    std::uint64_t segment_bytes = 1u << 20;
    log::CompactionRules compaction{};
    sdk::testing::ManualShard::Work work = sdk::testing::ManualShard::Work::prompt;
};

class PartitionOnDisk {
public:
    explicit PartitionOnDisk(std::shared_ptr<SimulatedDisk> on, OnDisk how = {},
                             sdk::LeaderEpoch epoch = {0})
        : disk{std::move(on)}, shard{sdk::testing::ManualShard::Time::manual, how.work} {
        auto made = segment::SegmentEngine::start(
            context_, disk, {.index_step = 200, .checkpoint_interval = sdk::Instant{0}});
        if (!made) return;
        engine = std::make_unique<LoadingEngine>(std::move(*made), disk);
        setup_ = {
            .id = {how.topic_id, "t", 0},
            .self = {1},
            .state = {.replicas = {{1}}, .in_sync = {{1}}, .leader = {{1}}, .leader_epoch = epoch},
            .engine_name = "segment",
            .engine = engine.get(),
            .policy = &policy_,
            .log = {.segment_bytes = how.segment_bytes},
            .rules = {.compacted = how.compaction.compacts},
            .flush = how.flush,
            .compaction = how.compaction};
        partition = std::make_unique<Partition>(setup_, shard, open_logs, logger, figures);
        settle();
    }
    ~PartitionOnDisk() { stop(); }

    // In order, as far as the disk lets it.
    void stop() {
        if (!partition) return;
        partition->close(wire::ErrorCode::not_leader_or_follower, false, [](bool) {});
        settle();
        partition.reset();
        if (engine) static_cast<void>(engine->closed_cleanly());
    }

    void lead(sdk::LeaderEpoch epoch) {
        setup_.state.leader_epoch = epoch;
        partition->change(setup_);
        settle();
    }

    // One record of the producer; answered when everything that can run has run.
    AppendOutcome append(std::int64_t producer, std::int32_t sequence,
                         const std::string& value = "v") {
        std::optional<AppendOutcome> outcome;
        send(producer, sequence, value, [&](AppendOutcome came) { outcome = std::move(came); });
        settle();
        return outcome.value_or(AppendOutcome{.error = wire::ErrorCode::request_timed_out});
    }
    void send(std::int64_t producer, std::int32_t sequence, const std::string& value,
              sdk::Function<void(AppendOutcome)> done) {
        wire::BatchBuilder builder{
            {.producer_id = producer, .producer_epoch = 0, .base_sequence = sequence}};
        builder.add({.value = value, .timestamp = shard.wall_clock()});
        send(builder.build(), std::move(done));
    }
    void send(std::vector<std::byte> bytes, sdk::Function<void(AppendOutcome)> done) {
        auto batch = std::make_shared<std::vector<std::byte>>(std::move(bytes));
        partition->append({.owner = batch, .records = std::span{*batch}}, std::move(done));
    }
    AppendOutcome append(std::vector<std::byte> bytes) {
        std::optional<AppendOutcome> outcome;
        send(std::move(bytes), [&](AppendOutcome came) { outcome = std::move(came); });
        settle();
        return outcome.value_or(AppendOutcome{.error = wire::ErrorCode::request_timed_out});
    }
    // Whether another pass is to follow.
    bool compact(sdk::Timestamp now, const CompactionTerms& terms = {.map_bytes = 1 << 20}) {
        bool again = false;
        partition->compact(now, terms, [&](bool more) { again = more; });
        settle();
        return again;
    }
    // All that is served.
    std::vector<std::byte> read_all() {
        std::vector<std::byte> all;
        for (sdk::Offset from = partition->log_start(); from < partition->high_watermark();) {
            const auto part = partition->read({.from = from, .max_bytes = 1000}, [] {});
            settle();
            if (!part) continue;  // It was brought in.
            EXPECT_EQ(part->error, wire::ErrorCode::none);
            if (part->slices.empty()) break;
            for (const sdk::Slice& slice : part->slices) {
                const auto bytes = std::get<sdk::MemorySlice>(slice).bytes;
                all.insert(all.end(), bytes.begin(), bytes.end());
            }
            std::span<const std::byte> rest{all};
            while (!rest.empty()) {
                const wire::BatchView batch{rest};
                from = batch.next_offset();
                rest = rest.subspan(batch.size());
            }
        }
        return all;
    }

    void settle() {
        do shard.run_ready();
        while (shard.run_work());
    }

    const std::shared_ptr<SimulatedDisk> disk;
    sdk::testing::ManualShard shard;
    std::unique_ptr<sdk::StorageEngine> engine;
    OpenLogs open_logs;
    LastLine logger;
    ShardFigures figures;
    std::unique_ptr<Partition> partition;

private:
    sdk::testing::ManualContext context_{shard, "/d"};
    OneReplica policy_;
    PartitionSetup setup_;
};

}  // namespace leat::broker::testing
