// What a partition knows after a restart, from what lies beside its log and from the log itself.
#include "core/log/recovery.h"

#include <gtest/gtest.h>

#include <charconv>
#include <random>
#include <string>
#include <string_view>

#include "tests/log/driven_partition.h"

namespace leat::log {
namespace {

// `00000000000000000034.snapshot` as Apache Kafka 4.4.0 wrote it when it was stopped.
constexpr std::string_view kafkas_snapshot =
    "00010de70f2900000004000000000000000affff00000001000000000000000800000000000001a2358d"
    "f73dffffffffffffffffffffffff000000000000004d0004000000000000000000000019000000000000"
    "01a2358df7c5ffffffffffffffffffffffff000000000000004e00010000002b000000000000001b0000"
    "0000000001a2358df7cfffffffffffffffffffffffff000000000000004f000000000002000000000000"
    "002100000000000001a2358df7d6ffffffffffffffffffffffff";

Bytes from_hex(std::string_view hex) {
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        int value = 0;
        std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
        bytes.push_back(static_cast<std::byte>(value));
    }
    return bytes;
}

TEST(Recovery, ReadsKafkasSnapshotAndWritesItByteForByte) {
    const Bytes file = from_hex(kafkas_snapshot);
    ProducerState state;
    ASSERT_TRUE(state.load_snapshot(file, noon));
    EXPECT_EQ(state.size(), 4u);
    const ProducerEntry* known = state.find(78);
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->epoch, 1);
    EXPECT_EQ(known->newest()->last_sequence, 43);
    EXPECT_EQ(known->newest()->last_offset, Offset{27});
    EXPECT_EQ(known->last_seen, noon);
    EXPECT_EQ(state.find(79)->newest()->base_sequence, 2);
    EXPECT_EQ(state.encode_snapshot(), file);
    for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
        Bytes bad = file;
        bad[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        ASSERT_FALSE(ProducerState{}.load_snapshot(bad, noon)) << bit;
    }
}

TEST(Recovery, BeginsWithKafkasSnapshotWhereOursIsMissing) {
    DrivenPartition partition;
    for (int sequence = 0; sequence < 3; ++sequence) partition.produce(from_producer(sequence));
    partition.carry_out(partition.machine.checkpoint());
    ASSERT_TRUE(partition.files.remove(windows_name({3})));
    EXPECT_EQ(partition.restart().replayed_from, Offset{3});
    EXPECT_TRUE(std::holds_alternative<Duplicate>(partition.produce(from_producer(2))));
    EXPECT_TRUE(std::holds_alternative<Prepared>(partition.produce(from_producer(3))));
}

TEST(Recovery, AProducerIsKnownForAWhileWhereverTheWallClockWentMeanwhile) {
    constexpr std::int64_t days = 86'400'000;
    for (const std::int64_t away : {-400 * days, std::int64_t{0}, 400 * days}) {
        DrivenPartition partition;
        partition.produce(from_producer(0), {.timestamp_after_max_ms = INT64_MAX},
                          {noon.value + away});
        partition.carry_out(partition.machine.checkpoint());
        partition.restart();
        partition.machine.let_producers_age({noon.value + ProducerState::grace_ms - 1});
        EXPECT_EQ(partition.machine.producers().size(), 1u) << away;
        partition.machine.let_producers_age({noon.value + 2 * days});
        EXPECT_EQ(partition.machine.producers().size(), 0u) << away;
    }
}

TEST(Recovery, ReplaysEverythingWithoutSideFiles) {
    DrivenPartition partition;
    for (int sequence = 0; sequence < 9; ++sequence) partition.produce(from_producer(sequence));
    const auto before = partition.machine.producers().entries();
    const auto recovered = partition.restart();
    EXPECT_EQ(recovered.replayed_from, Offset{0});
    EXPECT_EQ(recovered.batches, 9u);
    EXPECT_EQ(partition.machine.producers().entries(), before);
    EXPECT_EQ(partition.machine.epochs().entries()[0], (EpochStart{{3}, {0}}));
}

TEST(Recovery, RebuildsTheEpochsThatTheCheckpointMissed) {
    DrivenPartition partition;
    partition.produce(batch_of(2));
    partition.carry_out(partition.machine.checkpoint());
    partition.machine.lead({8});
    partition.produce(batch_of(2));
    partition.restart({9});
    EXPECT_EQ(partition.machine.epochs().encode(), "0\n3\n3 0\n8 2\n9 4\n");
}

TEST(Recovery, DoesNotTrustFilesThatAreDamagedOrBelongToAnotherLog) {
    DrivenPartition partition;
    for (int sequence = 0; sequence < 4; ++sequence) {
        partition.produce(from_producer(sequence));
        partition.carry_out(partition.machine.checkpoint());
    }
    const auto before = partition.machine.producers().entries();
    partition.files.files[windows_name({4})].pop_back();
    partition.files.files[snapshot_name({4})].pop_back();
    partition.files.files[windows_name({99})] = {};  // Beyond the log's end.
    const auto recovered = partition.restart();
    EXPECT_EQ(recovered.replayed_from, Offset{3});
    EXPECT_EQ(recovered.ignored.size(), 3u);
    EXPECT_FALSE(partition.files.files.contains(windows_name({99})));
    EXPECT_EQ(partition.machine.producers().entries(), before);

    partition.files.files[std::string{LeaderEpochs::file_name}].clear();
    EXPECT_EQ(partition.restart().replayed_from, Offset{0});
    EXPECT_EQ(partition.machine.producers().entries(), before);
}

// A tail that was never synced is lost with the power; the files beside the log were.
TEST(Recovery, DoesNotBelieveFilesThatTellOfALostTail) {
    DrivenPartition partition;
    for (int sequence = 0; sequence < 3; ++sequence) partition.produce(from_producer(sequence));
    partition.machine.lead({8});
    for (int sequence = 3; sequence < 6; ++sequence) partition.produce(from_producer(sequence));
    partition.carry_out(partition.machine.checkpoint());
    const auto lose_after = [&](Offset end) {
        partition.log.erase(partition.log.lower_bound(end), partition.log.end());
        partition.machine.truncate(end, std::nullopt, {});
    };
    lose_after({2});
    partition.restart({8});  // Under the same epoch, as a broker does that leads alone.
    for (int sequence = 2; sequence < 9; ++sequence) {
        const auto batch = from_producer(sequence);
        ASSERT_TRUE(std::holds_alternative<Prepared>(partition.produce(batch))) << sequence;
    }
    const auto producers = partition.machine.producers().entries();
    partition.restart({8});
    EXPECT_EQ(partition.machine.producers().entries(), producers);
    EXPECT_EQ(partition.machine.epochs().encode(), "0\n2\n3 0\n8 2\n");
}

TEST(Recovery, LeadsALogThatAnotherClusterWrote) {
    DrivenPartition partition;
    partition.machine.lead({50});
    partition.produce(batch_of(3));
    partition.carry_out(partition.machine.checkpoint());
    partition.restart({0});
    EXPECT_EQ(partition.machine.leader_epoch(), LeaderEpoch{0});
    EXPECT_EQ(std::get<Prepared>(partition.produce(batch_of(1))).batch.base, Offset{3});
    EXPECT_EQ(partition.machine.epochs().latest(), LeaderEpoch{0});
}

TEST(Recovery, RefusesALogThatHoldsNoBatches) {
    DrivenPartition partition;
    partition.produce(batch_of(2));
    partition.log.at({0}).resize(30);
    PartitionLog fresh{{}};
    fresh.open({{0}, {2}, {2}}, std::nullopt, {});
    const auto recovered = recover(fresh, nullptr, partition, noon);
    ASSERT_FALSE(recovered);
    EXPECT_EQ(recovered.error().code, sdk::Errc::corrupt);
}

TEST(Recovery, NamesTheSnapshotsThatAreOfNoMoreUse) {
    const std::vector<std::string> names{
        snapshot_name({5}),  windows_name({5}),    snapshot_name({20}),
        windows_name({30}),  snapshot_name({40}),  windows_name({40}),
        snapshot_name({99}), "partition.metadata", "00000000000000000005.log"};
    const std::vector<std::string> stale = stale_files(names, {10}, {50});
    EXPECT_EQ(stale, (std::vector<std::string>{snapshot_name({5}), windows_name({5}),
                                               snapshot_name({20}), snapshot_name({99})}));
}

// Whatever happened before the kill, a restart knows what the running machine knew.
TEST(Recovery, KnowsAfterAnyKillWhatItKnewBefore) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    DrivenPartition partition{{.segment_bytes = 2000}};
    std::int32_t epoch = 10;
    std::vector<std::int32_t> next(4);
    for (int round = 0; round < 3000; ++round) {
        const int id = below(4);
        const int records = below(3) + 1;
        auto& sequence = next[static_cast<std::size_t>(id)];
        const auto outcome = partition.produce(
            batch_of(records, {.producer_id = id, .producer_epoch = 0, .base_sequence = sequence}));
        ASSERT_TRUE(std::holds_alternative<Prepared>(outcome));
        sequence += records;
        if (below(30) == 0) partition.machine.lead({++epoch});
        if (below(40) != 0) continue;
        if (below(3) == 0) partition.carry_out(partition.machine.checkpoint());
        const auto producers = partition.machine.producers().entries();
        partition.restart({++epoch});
        ASSERT_EQ(partition.machine.producers().entries(), producers);
        for (const auto& [offset, bytes] : partition.log)
            ASSERT_EQ(partition.machine.epochs().epoch_at(offset), BatchView{bytes}.leader_epoch());
    }
}

}  // namespace
}  // namespace leat::log
