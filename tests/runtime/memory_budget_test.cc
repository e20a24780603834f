#include "core/runtime/memory_budget.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace leat::runtime {
namespace {

constexpr std::uint64_t piece = MemoryLease::piece_bytes;

TEST(MemoryBudget, GivesAllOrNothing) {
    MemoryBudget budget{100};
    EXPECT_TRUE(budget.take(60));
    EXPECT_FALSE(budget.take(41));
    EXPECT_EQ(budget.taken(), 60u);
    EXPECT_TRUE(budget.take(40));
    budget.give_back(100);
    EXPECT_EQ(budget.taken(), 0u);
}

TEST(MemoryBudget, ANumberThatWouldOverflowIsRefused) {
    MemoryBudget budget{100};
    EXPECT_TRUE(budget.take(1));
    EXPECT_FALSE(budget.take(~std::uint64_t{0}));
}

TEST(MemoryLease, TakesWholePiecesSoThatTheBudgetIsSeldomAsked) {
    MemoryBudget budget{10 * piece};
    MemoryLease lease{budget};
    EXPECT_TRUE(lease.take(1));
    EXPECT_EQ(budget.taken(), piece);
    EXPECT_TRUE(lease.take(piece - 1));
    EXPECT_EQ(budget.taken(), piece);
}

TEST(MemoryLease, TakesTheLastBytesWhenNoWholePieceIsLeft) {
    MemoryBudget budget{piece / 2};
    MemoryLease lease{budget};
    EXPECT_TRUE(lease.take(piece / 2));
    EXPECT_FALSE(lease.take(1));
    lease.give_back(piece / 2);
    EXPECT_TRUE(lease.take(1));
}

TEST(MemoryLease, AQuietShardKeepsLittleForItself) {
    MemoryBudget budget{64 * piece};
    MemoryLease lease{budget};
    ASSERT_TRUE(lease.take(32 * piece));
    lease.give_back(32 * piece);
    EXPECT_LE(budget.taken(), 2 * piece);
}

TEST(MemoryLease, WhatWasLeasedGoesBackWithTheLease) {
    MemoryBudget budget{8 * piece};
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
    MemoryBudget budget{8 * piece};
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
