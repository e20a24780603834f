// What a partition leaves on its device, whenever its process ends; and a device that is full.
#include "tests/broker/partition_on_disk.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

namespace leat::broker {
namespace {

using namespace testing;
using sdk::LeaderEpoch;
using sdk::Offset;
using wire::ErrorCode;

constexpr std::int64_t producer = 7;

// Of the one partition in a checkpoint of the engine, 0 if it is not there.
std::int64_t recovery_point(SimulatedDisk& disk) {
    std::istringstream text{text_on(disk, "/d/recovery-point-offset-checkpoint")};
    std::int64_t version = 0, count = 0, index = 0, point = 0;
    std::string topic;
    text >> version >> count >> topic >> index >> point;
    return point;
}

using Starts = std::map<std::int32_t, std::int64_t>;  // Epoch to first offset.

Starts stored_epochs(SimulatedDisk& disk) {
    const auto decoded = log::LeaderEpochs::decode(text_on(disk, "/d/t-0/leader-epoch-checkpoint"));
    Starts starts;
    if (!decoded) return starts;
    for (const auto& entry : decoded->entries()) starts[entry.epoch.value] = entry.start.value;
    return starts;
}

// Three epochs of a few records each; the last one begins after the last seal. `starts` becomes
// the truth.
void live(PartitionOnDisk& process, Starts& starts) {
    if (!process.partition) return;
    std::int32_t sequence = 0;
    for (const std::int32_t epoch : {0, 2, 3}) {
        process.lead({epoch});
        for (int i = 0; i < 3; ++i) {
            const auto end = process.partition->state() == Partition::State::open
                                 ? process.partition->high_watermark()
                                 : Offset{-1};
            if (i == 0 && end.value >= 0) starts[epoch] = end.value;
            if (process.append(producer, sequence++).error != ErrorCode::none) return;
        }
    }
}

// Trap R7. Who opens the folder next may recover only what lies above the recovery point.
void expect_epochs_below_the_recovery_point(SimulatedDisk& disk, const Starts& starts) {
    const std::int64_t point = recovery_point(disk);
    const Starts stored = stored_epochs(disk);
    for (const auto& [epoch, start] : starts) {
        if (start >= point) continue;
        const auto found = stored.find(epoch);
        ASSERT_NE(found, stored.end()) << "epoch " << epoch << " below " << point;
        EXPECT_EQ(found->second, start);
    }
}

using Kind = FlushPromise::Kind;

class PartitionCrash : public ::testing::TestWithParam<std::tuple<World, Kind>> {};

TEST_P(PartitionCrash, LeavesNoRecoveryPointAboveAnEpochThatTheCheckpointLacks) {
    const auto [world, kind] = GetParam();
    const OnDisk how{.flush = {.kind = kind}, .segment_bytes = 400};
    std::uint64_t changes = 0;
    {
        PartitionOnDisk process{empty_disk(), how};
        const auto before = process.disk->changes();
        Starts starts;
        live(process, starts);
        ASSERT_EQ(starts, (Starts{{0, 0}, {2, 3}, {3, 6}}));
        process.stop();
        changes = process.disk->changes() - before;
        expect_epochs_below_the_recovery_point(*process.disk, starts);
        ASSERT_EQ(recovery_point(*process.disk), 9);
    }
    std::printf("%llu places to die\n", static_cast<unsigned long long>(changes));
    for (std::uint64_t n = 1; n <= changes; ++n) {
        SCOPED_TRACE("change " + std::to_string(n));
        const auto disk = empty_disk();
        Starts starts;
        disk->die_at(n);
        {
            PartitionOnDisk process{disk, how};
            live(process, starts);
        }
        ASSERT_TRUE(disk->is_dead());
        disk->come_back(world);
        expect_epochs_below_the_recovery_point(*disk, starts);
        PartitionOnDisk next{disk, how, {4}};
        ASSERT_EQ(next.partition->state(), Partition::State::open) << next.logger.text;
        expect_epochs_below_the_recovery_point(*disk, starts);
        for (const auto& [epoch, start] : starts) {
            if (start >= next.partition->high_watermark().value) continue;
            EXPECT_EQ(next.partition->epoch_at({start}), LeaderEpoch{epoch}) << start;
            if (start == 0) continue;
            EXPECT_LT(next.partition->epoch_at({start - 1}), LeaderEpoch{epoch}) << start;
        }
        next.stop();
        expect_epochs_below_the_recovery_point(*disk, starts);
        if (HasFailure()) return;
    }
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<World, Kind>>& one) {
    const auto [world, kind] = one.param;
    return std::string{world == World::all_written_survived ? "AllWritten" : "OnlySynced"} +
           (kind == Kind::each ? "SyncedEachTime" : "SyncedAtTheEnd");
}

INSTANTIATE_TEST_SUITE_P(Each, PartitionCrash,
                         ::testing::Combine(::testing::Values(World::all_written_survived,
                                                              World::only_synced_survived),
                                            ::testing::Values(Kind::none, Kind::each)),
                         name_of);

// Two seals in a row, and the workers are slow: what the first has to write must not come last.
TEST(PartitionOnDisk, WritesWhatBelongsToOneSealBeforeThatOfTheNext) {
    PartitionOnDisk process{
        empty_disk(),
        {.flush = {}, .segment_bytes = 200, .work = sdk::testing::ManualShard::Work::held}};
    std::int32_t sequence = 0;
    const auto send = [&] {
        process.send(producer, sequence++, std::string(100, 'v'), [](const AppendOutcome&) {});
        process.shard.run_ready();
    };
    send();
    send();  // Seals.
    EXPECT_EQ(process.shard.work_waiting(), 1u);
    send();  // Seals again.
    EXPECT_EQ(process.shard.work_waiting(), 1u);
    process.settle();
    const auto paths = process.disk->paths();
    EXPECT_NE(std::find(paths.begin(), paths.end(), "/d/t-0/00000000000000000002.snapshot"),
              paths.end());
}

// The first batch of a producer does not fit; what it had in flight behind it would. KIP-360 lets
// an unknown producer begin anywhere.
TEST(PartitionOnDisk, AFullDeviceDoesNotChangeTheOrderOfWhatAProducerHadInFlight) {
    int refused = 0;
    for (std::uint64_t n = 1;; ++n) {
        SCOPED_TRACE("call " + std::to_string(n));
        PartitionOnDisk process{empty_disk(), {.flush = {}}};
        process.disk->fail_at(n, ENOSPC);
        const auto first = process.append(producer, 0);
        if (!process.disk->has_failed()) break;
        if (first.error == ErrorCode::none || process.partition->state() != Partition::State::open)
            continue;
        ++refused;
        EXPECT_EQ(first.error, ErrorCode::kafka_storage_error);
        EXPECT_EQ(process.append(producer, 1).error, ErrorCode::out_of_order_sequence_number);
        EXPECT_EQ(process.append(producer + 1, 5).base, Offset{0}) << "others may";
        EXPECT_EQ(process.append(producer, 0).base, Offset{1});
        EXPECT_EQ(process.append(producer, 1).base, Offset{2});
    }
    EXPECT_GT(refused, 0);
}

// DeleteRecords, wherever the process dies: trap L19, KIP-107.
class DeletedRecordsOnDisk : public ::testing::TestWithParam<World> {};

TEST_P(DeletedRecordsOnDisk, StayDeletedWhateverHappensAndTheirProducersStayKnown) {
    const OnDisk how{.segment_bytes = 400};
    constexpr int records = 7;
    for (const std::int64_t below : {1, 4, 6, 7}) {
        for (std::uint64_t n = 1;; ++n) {
            SCOPED_TRACE("below " + std::to_string(below) + ", change " + std::to_string(n));
            const auto disk = empty_disk();
            std::optional<DeletedRecords> deleted;
            {
                PartitionOnDisk process{disk, how};
                for (int i = 0; i < records; ++i) process.append(producer, i);
                disk->die_at(n);
                process.partition->delete_records(
                    {below}, [&](DeletedRecords outcome) { deleted = outcome; });
                process.settle();
                if (!disk->is_dead()) {  // All was done; now it dies.
                    disk->die_at(1);
                    process.append(producer, records);
                }
            }
            disk->come_back(GetParam());
            PartitionOnDisk next{disk, how, {1}};
            ASSERT_EQ(next.partition->state(), Partition::State::open) << next.logger.text;
            const bool answered = deleted && deleted->error == ErrorCode::none;
            if (answered) {
                EXPECT_EQ(next.partition->log_start(), Offset{below});
            }
            EXPECT_LE(next.partition->log_start(), Offset{below});
            EXPECT_GE(next.partition->high_watermark(), Offset{records});
            EXPECT_EQ(next.append(producer, records - 1).base, Offset{records - 1})
                << "a duplicate";
            EXPECT_EQ(next.append(producer, records + 5).error,
                      ErrorCode::out_of_order_sequence_number);
            if (HasFailure()) return;
            if (answered) break;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Each, DeletedRecordsOnDisk,
                         ::testing::Values(World::all_written_survived,
                                           World::only_synced_survived),
                         [](const auto& one) {
                             return one.param == World::all_written_survived ? "AllWritten"
                                                                             : "OnlySynced";
                         });

}  // namespace
}  // namespace leat::broker
