// Whether compaction keeps what it is to keep, by random histories against a map, and with a crash
// at every change of the disk.
#include <gtest/gtest.h>

#include "tests/broker/keyed_history.h"
#include "tests/broker/partition_on_disk.h"

namespace leat::broker::testing {
namespace {

constexpr std::int64_t day = 86'400'000;
const OnDisk keyed{.segment_bytes = 600,
                   .compaction = {.compacts = true, .min_dirty_ratio = 0, .segment_bytes = 1500}};

// The disk dies at its n-th change, or never.
class History {
public:
    explicit History(unsigned seed) : history_{seed} {}

    // Appends and compacts; false once the disk has died.
    bool live(PartitionOnDisk& node, int steps) {
        for (int i = 0; i < steps; ++i) {
            if (history_.random()() % 8 == 0) {
                wall_ += static_cast<std::int64_t>(history_.random()() % 3) * (day / 2);
                node.compact({node.shard.wall_clock().value + wall_});
            } else {
                const auto came = node.append(history_.next_batch(node.shard.wall_clock()));
                if (came.error == wire::ErrorCode::none) history_.appended(came.base);
            }
            if (node.disk->is_dead()) return false;
        }
        return true;
    }
    void expect_right(PartitionOnDisk& node) {
        const auto log = node.read_all();
        const auto wrong = history_.mismatch(log, history_.end());
        EXPECT_FALSE(wrong) << *wrong;
    }
    std::size_t sent() const { return history_.appended_records(); }

private:
    KeyedHistory history_;
    std::int64_t wall_ = 0;
};

TEST(CompactionOracle, AlwaysServesTheNewestOfEachKey) {
    for (unsigned seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        History history{seed};
        PartitionOnDisk node{empty_disk(), keyed};
        for (int i = 0; i < 10; ++i) {
            ASSERT_TRUE(history.live(node, 40));
            history.expect_right(node);
        }
        EXPECT_LT(KeyedHistory::records_in(node.read_all()), history.sent() / 4);
    }
}

class CompactionCrash : public ::testing::TestWithParam<World> {};

TEST_P(CompactionCrash, AtEveryChangeLosesNoNewestRecord) {
    constexpr int steps = 80;
    for (const unsigned seed : {1u, 2u}) {
        std::uint64_t changes = 0;
        {
            PartitionOnDisk node{empty_disk(), keyed};
            const std::uint64_t before = node.disk->changes();
            ASSERT_TRUE(History{seed}.live(node, steps));
            changes = node.disk->changes() - before;
            ASSERT_GT(node.figures.storage["segment"].compaction.passes, 3u);
        }
        for (std::uint64_t n = 1; n <= changes; ++n) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", change " + std::to_string(n));
            const auto disk = empty_disk();
            History history{seed};
            {
                PartitionOnDisk node{disk, keyed};
                disk->die_at(n);
                history.live(node, steps);
            }
            disk->come_back(GetParam());
            PartitionOnDisk again{disk, keyed};
            ASSERT_TRUE(again.partition);
            ASSERT_EQ(again.partition->state(), Partition::State::open) << again.logger.text;
            history.expect_right(again);
            again.compact(again.shard.wall_clock());
            history.expect_right(again);
            if (::testing::Test::HasFailure()) return;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Each, CompactionCrash,
                         ::testing::Values(World::all_written_survived,
                                           World::only_synced_survived),
                         [](const auto& one) {
                             const bool all = one.param == World::all_written_survived;
                             return all ? "AllWrittenSurvived" : "OnlySyncedSurvived";
                         });

}  // namespace
}  // namespace leat::broker::testing
