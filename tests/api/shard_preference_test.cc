#include "core/api/shard_preference.h"

#include <gtest/gtest.h>

namespace leat::api {
namespace {

void produce(ShardPreference& preference, std::size_t times, std::optional<std::size_t> shard) {
    for (std::size_t i = 0; i < times; ++i) preference.produced(shard);
}

TEST(ShardPreference, AConnectionThatSendsEverythingToOneOtherShardWantsToGoThere) {
    ShardPreference preference;
    produce(preference, ShardPreference::first_run - 1, 1);
    EXPECT_FALSE(preference.wanted(0));
    preference.produced(1);
    EXPECT_EQ(preference.wanted(0), 1u);
    EXPECT_FALSE(preference.wanted(1)) << "it is there already";
}

TEST(ShardPreference, OneThatSendsHereAndThereStays) {
    ShardPreference preference;
    for (int i = 0; i < 1000; ++i) preference.produced(i % 2);
    EXPECT_FALSE(preference.wanted(0));
    produce(preference, 1000, std::nullopt);
    EXPECT_FALSE(preference.wanted(0));
}

TEST(ShardPreference, AnotherRequestInBetweenStartsTheRunAnew) {
    ShardPreference preference;
    produce(preference, ShardPreference::first_run - 1, 1);
    preference.asked_otherwise();
    produce(preference, ShardPreference::first_run - 1, 1);
    EXPECT_FALSE(preference.wanted(0));
    preference.produced(1);
    EXPECT_TRUE(preference.wanted(0));
}

TEST(ShardPreference, AConnectionThatHasFetchedStaysWhereItsFetchSessionIs) {
    ShardPreference preference;
    preference.fetched();
    produce(preference, 1000, 1);
    EXPECT_FALSE(preference.wanted(0));
}

TEST(ShardPreference, ItMovesToAShardThatHasNoMoreConnectionsThanItsOwn) {
    EXPECT_FALSE(ShardPreference::unbalances(1, 0));
    EXPECT_FALSE(ShardPreference::unbalances(2, 2));
    EXPECT_TRUE(ShardPreference::unbalances(2, 3));
}

TEST(ShardPreference, OneThatMayNotGoAsksAgainAfterAWholeRun) {
    ShardPreference preference;
    produce(preference, ShardPreference::first_run, 1);
    preference.stayed();
    EXPECT_FALSE(preference.wanted(0));
    produce(preference, ShardPreference::first_run - 1, 1);
    EXPECT_FALSE(preference.wanted(0));
    preference.produced(1);
    EXPECT_TRUE(preference.wanted(0));
}

TEST(ShardPreference, AClientThatChangesItsMindMovesEverMoreSeldomAndThenNoMore) {
    ShardPreference preference;
    std::size_t here = 0;
    std::size_t needed = ShardPreference::first_run;
    for (int move = 0; move < ShardPreference::most_moves; ++move, needed *= 2) {
        produce(preference, needed - 1, 1 - here);
        ASSERT_FALSE(preference.wanted(here)) << move;
        preference.produced(1 - here);
        ASSERT_TRUE(preference.wanted(here)) << move;
        preference.moved();
        here = 1 - here;
    }
    produce(preference, 100 * needed, 1 - here);
    EXPECT_FALSE(preference.wanted(here));
}

}  // namespace
}  // namespace leat::api
