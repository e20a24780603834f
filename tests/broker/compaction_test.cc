// How a partition of a keyed topic is compacted, over the segment engine on a simulated disk.
#include <gtest/gtest.h>

#include "core/wire/record_reader.h"
#include "tests/broker/partition_on_disk.h"

namespace leat::broker::testing {
namespace {

constexpr std::int64_t day = 86'400'000;
const OnDisk keyed{.segment_bytes = 600,
                   .compaction = {.compacts = true, .min_dirty_ratio = 0, .segment_bytes = 1500}};

std::vector<std::byte> one(std::string_view key, std::optional<std::string_view> value,
                           sdk::Timestamp at, wire::BatchFields fields = {}) {
    return wire::BatchBuilder{fields}.add({.key = key, .value = value, .timestamp = at}).build();
}

class Compaction : public ::testing::Test {
protected:
    void start(const OnDisk& how = keyed) {
        node_.reset();
        node_.emplace(disk_, how);
        ASSERT_TRUE(node_->partition);
    }
    PartitionOnDisk& node() { return *node_; }
    sdk::Timestamp now() { return node_->shard.wall_clock(); }
    sdk::Timestamp later(std::int64_t ms) { return {now().value + ms}; }

    void put(std::string_view key, std::optional<std::string_view> value) {
        EXPECT_EQ(node_->append(one(key, value, now())).error, wire::ErrorCode::none);
    }
    void fill(int batches = 20) {
        for (int i = 0; i < batches; ++i) put("filler" + std::to_string(i % 3), "some value");
    }
    std::string told() {
        std::string lines;
        const auto all = node_->read_all();
        std::span<const std::byte> rest{all};
        while (!rest.empty()) {
            const wire::BatchView batch{rest};
            rest = rest.subspan(batch.size());
            wire::RecordReader reader{batch.records()};
            while (!reader.at_end()) {
                const auto record = reader.next();
                lines += std::string{reinterpret_cast<const char*>(record->key->data()),
                                     record->key->size()};
                if (record->value) {
                    lines += "=" + std::string{reinterpret_cast<const char*>(record->value->data()),
                                               record->value->size()};
                }
                lines += " ";
            }
        }
        return lines;
    }
    // Up to where the last pass has looked.
    sdk::Offset decode_cleaned() {
        const auto file = text_on(*disk_, "/d/t-0/cleaner-offset-checkpoint");
        return log::decode_cleaner_checkpoint(std::as_bytes(std::span{file})).value();
    }
    static std::size_t count(const std::string& in, const std::string& what) {
        std::size_t found = 0;
        for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++found;
        return found;
    }

    std::shared_ptr<SimulatedDisk> disk_ = empty_disk();
    std::optional<PartitionOnDisk> node_;
};

TEST_F(Compaction, KeepsTheNewestRecordOfEachKeyAndAllThatIsNew) {
    start();
    put("a", "1");
    put("a", "2");
    put("b", "1");
    fill();
    const auto end = node().partition->high_watermark();
    node().compact(now());
    const std::string lines = told();
    EXPECT_EQ(count(lines, "a=1 "), 0u) << lines;
    EXPECT_EQ(count(lines, "a=2 "), 1u);
    EXPECT_EQ(count(lines, "b=1 "), 1u);
    EXPECT_LT(count(lines, "filler"), 20u);
    EXPECT_EQ(node().partition->high_watermark(), end);
    EXPECT_EQ(node().figures.storage["segment"].compaction.passes, 1u);
    EXPECT_GT(node().figures.storage["segment"].compaction.dropped, 0u);
    put("a", "3");
    start();
    EXPECT_EQ(told(), lines + "a=3 ");
}

TEST_F(Compaction, GoesOnWhereItWasAfterARestart) {
    start();
    fill(40);
    node().compact(now());
    ASSERT_EQ(node().figures.storage["segment"].compaction.passes, 1u);
    node().compact(now());
    EXPECT_EQ(node().figures.storage["segment"].compaction.passes, 1u);  // Nothing is dirty.
    start();
    node().compact(now());
    EXPECT_EQ(node().figures.storage["segment"].compaction.passes, 0u);
    EXPECT_EQ(text_on(*disk_, "/d/t-0/cleaner-offset-checkpoint").substr(0, 2), "0\n");
}

TEST_F(Compaction, KeepsATombstoneUntilItsHorizonAndThenLosesIt) {
    start();
    put("a", "1");
    put("a", std::nullopt);
    fill();
    node().compact(now());
    EXPECT_EQ(count(told(), "a=1 "), 0u);
    EXPECT_EQ(count(told(), "a "), 1u) << told();
    fill();
    node().compact(later(day - 1));
    EXPECT_EQ(count(told(), "a "), 1u);
    fill();
    node().compact(later(day));
    EXPECT_EQ(count(told(), "a "), 0u) << told();
}

TEST_F(Compaction, LeavesWhatIsYoungerThanTheLeastLag) {
    auto how = keyed;
    how.compaction.min_lag_ms = 1000;
    start(how);
    fill();
    node().compact(later(999));
    EXPECT_EQ(count(told(), "filler"), 20u);
    node().compact(later(1001));
    EXPECT_LT(count(told(), "filler"), 20u);
}

TEST_F(Compaction, ComesForOneRecordOnceThatIsOlderThanTheMostLag) {
    auto how = keyed;
    how.compaction.min_dirty_ratio = 1;
    how.compaction.max_lag_ms = 1000;
    start(how);
    fill();
    node().compact(later(1000));
    EXPECT_EQ(count(told(), "filler"), 20u);
    node().compact(later(1001));
    EXPECT_LT(count(told(), "filler"), 20u);
}

OnDisk never_synced() {
    auto how = keyed;
    how.flush = {.kind = FlushPromise::Kind::none};
    return how;
}

TEST_F(Compaction, HasSyncedWhatNobodyElseHasAndGoesOnAtOnce) {
    start(never_synced());
    fill();
    node().compact(now());
    EXPECT_LT(count(told(), "filler"), 20u);
    EXPECT_EQ(node().figures.storage["segment"].compaction.passes, 1u);
}

TEST_F(Compaction, ThatWaitsForItsSyncLeavesWhatIsAppendedMeanwhile) {
    auto how = never_synced();
    how.work = sdk::testing::ManualShard::Work::held;
    how.compaction.max_lag_ms = 1000;
    how.compaction.min_dirty_ratio = 1;
    start(how);
    fill();
    bool ended = false;
    node().partition->compact(later(1001), {.map_bytes = 1 << 20}, [&](bool) { ended = true; });
    const auto when_it_began = node().partition->high_watermark();
    for (int turns = 0; !ended && turns < 1000; ++turns) {
        node().send(one("beside", "value", now()), [](const AppendOutcome&) {});
        node().shard.run_ready();
        node().shard.run_work();
    }
    EXPECT_TRUE(ended);
    EXPECT_EQ(node().figures.storage["segment"].compaction.passes, 1u);
    EXPECT_LE(decode_cleaned(), when_it_began);
}

TEST_F(Compaction, EndsWithThePartitionWhoseSyncItWaitsFor) {
    for (const bool deleted : {false, true}) {
        SCOPED_TRACE(deleted ? "its topic is deleted" : "the broker stops");
        disk_ = empty_disk();
        auto how = never_synced();
        how.work = sdk::testing::ManualShard::Work::held;
        start(how);
        fill();
        int ended = 0;
        node().partition->compact(now(), {.map_bytes = 1 << 20}, [&](bool) { ++ended; });
        EXPECT_EQ(ended, 0);
        node().partition->close(wire::ErrorCode::not_leader_or_follower, deleted, [](bool) {});
        EXPECT_EQ(ended, 1);
        node().settle();
        EXPECT_EQ(ended, 1);
        EXPECT_EQ(node().partition->state(), Partition::State::closed);
        node().partition.reset();
    }
}

TEST_F(Compaction, EndsWhereTheSyncThatItWaitsForFails) {
    auto how = never_synced();
    how.work = sdk::testing::ManualShard::Work::held;
    start(how);
    fill();
    int ended = 0;
    node().partition->compact(now(), {.map_bytes = 1 << 20}, [&](bool) { ++ended; });
    disk_->die_at(1);
    node().settle();
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(node().partition->state(), Partition::State::offline);
}

TEST_F(Compaction, TakesSeveralPassesWhereTheMapIsSmall) {
    start();
    for (int i = 0; i < 400; ++i) put("key" + std::to_string(i), "1");
    for (int i = 0; i < 400; ++i) put("key" + std::to_string(i), "2");
    fill();
    int passes = 1;
    while (node().compact(now(), {.map_bytes = 1}) && passes < 100) ++passes;
    EXPECT_GT(passes, 3);
    EXPECT_LT(passes, 100);
    EXPECT_EQ(count(told(), "=1 "), 0u);
    EXPECT_EQ(count(told(), "=2 "), 400u);
}

TEST_F(Compaction, RemembersAProducerWhoseRecordsAllWent) {
    start();
    const wire::BatchFields from{.producer_id = 7, .producer_epoch = 3, .base_sequence = 0};
    ASSERT_EQ(node().append(one("a", "1", now(), from)).error, wire::ErrorCode::none);
    put("a", "2");
    fill();
    node().compact(now());
    EXPECT_EQ(count(told(), "a=1 "), 0u);
    for (const auto& name : disk_->paths()) {
        const bool of_producers = name.ends_with(".snapshot") || name.ends_with(".producers");
        if (of_producers) disk_->unlink(name);
    }
    disk_->sync_everything("/");
    disk_->come_back(World::only_synced_survived);
    node_.emplace(disk_, keyed);
    const auto* producer = node().partition->producers().find(7);
    ASSERT_NE(producer, nullptr);
    EXPECT_EQ(producer->newest()->last_sequence, 0);
}

TEST_F(Compaction, SlowsDownToWhatTheOperatorGrants) {
    start();
    fill(40);
    const auto began = node().shard.now();
    bool ended = false;
    node().partition->compact(now(), {.map_bytes = 1 << 20, .bytes_per_second = 1000},
                              [&](bool) { ended = true; });
    while (!ended && node().shard.now() - began < std::chrono::minutes{10}) {
        node().settle();
        node().shard.advance(std::chrono::milliseconds{100});
    }
    EXPECT_TRUE(ended);
    const auto& done = node().figures.storage["segment"].compaction;
    const auto least = std::chrono::milliseconds{(done.read + done.written) / 2};
    EXPECT_GE(node().shard.now() - began, least);
}

TEST_F(Compaction, EndsWithItsPartitionHoweverLongItWouldHaveTaken) {
    start();
    fill(40);
    bool ended = false;
    node().partition->compact(now(), {.map_bytes = 1 << 20, .bytes_per_second = 1},
                              [&](bool again) { ended = !again; });
    node().settle();
    EXPECT_FALSE(ended);
    node().stop();
    EXPECT_TRUE(ended);
    start();
    EXPECT_EQ(count(told(), "filler"), 40u);
}

TEST_F(Compaction, AppendsReadsAndTrimsGoOnBesideIt) {
    auto how = keyed;
    how.work = sdk::testing::ManualShard::Work::held;
    start(how);
    fill(60);
    bool ended = false;
    node().partition->compact(now(), {.map_bytes = 1 << 20}, [&](bool) { ended = true; });
    int steps = 0;
    int sent = 0;
    int answered = 0;
    while (!ended && steps < 1000) {
        node().shard.run_ready();
        if (++steps % 3 == 0) {
            ++sent;
            node().send(one("beside", std::to_string(sent), now()), [&](AppendOutcome outcome) {
                if (outcome.error == wire::ErrorCode::none) ++answered;
            });
        }
        const auto begin = node().partition->log_start();
        const auto read = node().partition->read({.from = begin, .max_bytes = 400}, [] {});
        EXPECT_TRUE(!read || read->error == wire::ErrorCode::none);
        node().shard.run_work();
    }
    node().settle();
    EXPECT_TRUE(ended);
    EXPECT_EQ(answered, sent);
    EXPECT_EQ(count(told(), "beside="), static_cast<std::size_t>(sent));
    EXPECT_LT(count(told(), "filler"), 60u);
}

TEST_F(Compaction, GivesWayToATrimOfWhatItRewrites) {
    auto how = keyed;
    how.work = sdk::testing::ManualShard::Work::held;
    for (int steps = 0; steps < 40; ++steps) {
        SCOPED_TRACE(steps);
        disk_ = empty_disk();
        start(how);
        fill(40);
        bool ended = false;
        node().partition->compact(now(), {.map_bytes = 1 << 20}, [&](bool) { ended = true; });
        for (int i = 0; i < steps; ++i) {
            node().shard.run_ready();
            node().shard.run_work();
        }
        std::optional<wire::ErrorCode> trimmed;
        node().partition->delete_records({30}, [&](const DeletedRecords& d) { trimmed = d.error; });
        node().settle();
        EXPECT_TRUE(ended);
        EXPECT_EQ(trimmed, wire::ErrorCode::none);
        EXPECT_EQ(node().partition->state(), Partition::State::open) << node().logger.text;
        EXPECT_EQ(node().partition->log_start(), sdk::Offset{30});
        put("after", "it");
        start(how);
        EXPECT_EQ(node().partition->log_start(), sdk::Offset{30});
        EXPECT_EQ(count(told(), "after=it"), 1u);
    }
}

}  // namespace
}  // namespace leat::broker::testing
