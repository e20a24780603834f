#include "core/runtime/memory_budget.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace leat::runtime {
namespace {

constexpr std::uint64_t piece = 1024 * 1024;  // Of a budget that is large enough.
using Use = MemoryBudget::Use;

TEST(MemoryBudget, GivesAllOrNothing) {
    MemoryBudget budget{{.bytes = 100}};
    EXPECT_TRUE(budget.take(60));
    EXPECT_FALSE(budget.take(41));
    EXPECT_EQ(budget.taken(), 60u);
    EXPECT_TRUE(budget.take(40));
    budget.give_back(100);
    EXPECT_EQ(budget.taken(), 0u);
}

TEST(MemoryBudget, ANumberThatWouldOverflowIsRefused) {
    MemoryBudget budget{{.bytes = 100}};
    EXPECT_TRUE(budget.take(1));
    EXPECT_FALSE(budget.take(~std::uint64_t{0}));
}

TEST(MemoryLease, TakesWholePiecesSoThatTheBudgetIsSeldomAsked) {
    MemoryBudget budget{{.bytes = 64 * piece}};
    MemoryLease lease{budget};
    EXPECT_TRUE(lease.take(1));
    EXPECT_EQ(budget.taken(), piece);
    EXPECT_TRUE(lease.take(piece - 1));
    EXPECT_EQ(budget.taken(), piece);
}

TEST(MemoryLease, TakesTheLastBytesWhenNoWholePieceIsLeft) {
    MemoryBudget budget{{.bytes = piece / 2}};
    MemoryLease lease{budget};
    EXPECT_TRUE(lease.take(piece / 2));
    EXPECT_FALSE(lease.take(1));
    lease.give_back(piece / 2);
    EXPECT_TRUE(lease.take(1));
}

TEST(MemoryLease, AQuietShardKeepsLittleForItself) {
    MemoryBudget budget{{.bytes = 64 * piece}};
    MemoryLease lease{budget};
    ASSERT_TRUE(lease.take(32 * piece));
    lease.give_back(32 * piece);
    EXPECT_LE(budget.taken(), 2 * piece);
}

TEST(MemoryLease, SharingASmallBudgetTheLeasesTogetherKeepLittleForThemselves) {
    MemoryBudget budget{{.bytes = piece, .leases = 8}};
    std::vector<std::unique_ptr<MemoryLease>> leases;
    for (int i = 0; i < 8; ++i) {
        leases.push_back(std::make_unique<MemoryLease>(budget));
        ASSERT_TRUE(leases.back()->take(piece / 8));
        leases.back()->give_back(piece / 8);
    }
    EXPECT_LE(budget.taken(), piece / 16);
}

TEST(MemoryLease, KeepsNothingWhileAShardWaits) {
    MemoryBudget budget{{.bytes = 64 * piece}};
    MemoryLease lease{budget};
    ASSERT_TRUE(lease.take(100));
    budget.begin_wait(Use::large);
    lease.give_back(40);
    EXPECT_EQ(budget.taken(), 60u);
    budget.end_wait(Use::large);
    lease.give_back(60);
}

TEST(MemoryLease, AnAnswerIsChargedEvenWhenNothingIsLeftAndThenNothingElseIs) {
    MemoryBudget budget{{.bytes = 1000}};
    MemoryLease lease{budget};
    ASSERT_TRUE(lease.take(900));
    lease.overdraw(5000);
    EXPECT_EQ(budget.taken(), 5900u);
    EXPECT_EQ(budget.left(), 0u);
    EXPECT_FALSE(lease.take(1));
    lease.give_back(5000);
    EXPECT_TRUE(lease.take(100));
    lease.give_back(1000);
}

TEST(MemoryBudget, LargeFramesLeaveAQuarterOfTheCommonPartToSmallOnes) {
    MemoryBudget budget{{.bytes = 1400, .largest_frame = 1000}};
    EXPECT_TRUE(budget.take(300, Use::large));
    EXPECT_FALSE(budget.take(1, Use::large));
    EXPECT_TRUE(budget.take(100, Use::small));
    EXPECT_FALSE(budget.take(1, Use::small));
    EXPECT_EQ(budget.left(), 0u);
}

TEST(MemoryBudget, TheSeatIsForOneAndIsThereWhateverElseIsTaken) {
    MemoryBudget budget{{.bytes = 1400, .largest_frame = 1000}};
    ASSERT_TRUE(budget.take(400));
    EXPECT_TRUE(budget.take_seat());
    EXPECT_FALSE(budget.take_seat());
    EXPECT_EQ(budget.taken(), budget.limit());
    budget.leave_seat();
    EXPECT_TRUE(budget.take_seat());
}

TEST(MemoryLease, WhatWasLeasedGoesBackWithTheLease) {
    MemoryBudget budget{{.bytes = 8 * piece}};
    {
        MemoryLease lease{budget};
        ASSERT_TRUE(lease.take(3));
        lease.give_back(3);
    }
    EXPECT_EQ(budget.taken(), 0u);
}

TEST(MemoryLease, ShardsTogetherNeverHoldMoreThanTheBudget) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryBudget budget{{.bytes = 8 * piece}};
    std::atomic<bool> exceeded{false};
    std::vector<std::thread> shards;
    for (unsigned i = 0; i < 3; ++i) {
        shards.emplace_back([&, i] {
            std::mt19937 random{seed + i};
            MemoryLease lease{budget};
            for (int n = 0; n < 20'000; ++n) {
                const std::uint64_t bytes = random() % (4 * piece);
                if (!lease.take(bytes)) continue;
                if (budget.taken() > budget.limit()) exceeded = true;
                lease.give_back(bytes);
            }
        });
    }
    for (std::thread& shard : shards) shard.join();
    EXPECT_FALSE(exceeded);
    EXPECT_EQ(budget.taken(), 0u);
}

}  // namespace
}  // namespace leat::runtime
