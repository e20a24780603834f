// Which fetch sessions a shard keeps, and what it says of those that it does not have (KIP-227).
#include "core/broker/fetch_session_cache.h"

#include <gtest/gtest.h>

#include <set>

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using wire::ErrorCode;

class FetchSessionCacheStory : public ::testing::Test {
protected:
    FetchSessionCache::Options options(std::size_t most) {
        return {.most_sessions = most, .random = [this] { return drawn_++; }};
    }
    static FetchSessionCache::NewSession of(std::size_t partitions) {
        return {.partitions = partitions};
    }

    std::uint32_t drawn_ = 40;
};

using Sessions = FetchSessionCacheStory;

TEST_F(Sessions, AnIdThatNobodyHasIsNotFound) {
    FetchSessionCache cache{options(10)};
    const auto made = cache.make(0s, of(3));
    EXPECT_EQ(cache.take(made.id + 1, 1, false), ErrorCode::fetch_session_id_not_found);
    EXPECT_EQ(cache.take(0, 1, false), ErrorCode::fetch_session_id_not_found);
    EXPECT_EQ(cache.take(-made.id, 1, false), ErrorCode::fetch_session_id_not_found);
}

TEST_F(Sessions, EachRequestHasTheNextEpochAndARefusedOneDoesNotCount) {
    FetchSessionCache cache{options(10)};
    const std::int32_t id = cache.make(0s, of(3)).id;
    EXPECT_EQ(cache.take(id, 2, false), ErrorCode::invalid_fetch_session_epoch);
    EXPECT_EQ(cache.take(id, 1, false), ErrorCode::none);
    EXPECT_EQ(cache.take(id, 1, false), ErrorCode::invalid_fetch_session_epoch);
    EXPECT_EQ(cache.take(id, 3, false), ErrorCode::invalid_fetch_session_epoch);
    EXPECT_EQ(cache.take(id, 2, false), ErrorCode::none);
}

TEST_F(Sessions, AfterTheLargestEpochComesOne) {
    EXPECT_EQ(FetchSessionCache::epoch_after(INT32_MAX), 1);
    EXPECT_EQ(FetchSessionCache::epoch_after(INT32_MAX - 1), INT32_MAX);
    EXPECT_EQ(FetchSessionCache::epoch_after(1), 2);
}

TEST_F(Sessions, NamesAndIdsDoNotMixInOneSession) {
    FetchSessionCache cache{options(10)};
    const std::int32_t by_name = cache.make(0s, of(1)).id;
    const std::int32_t by_id = cache.make(0s, {.by_id = true, .partitions = 1}).id;
    EXPECT_EQ(cache.take(by_name, 1, true), ErrorCode::fetch_session_topic_id_error);
    EXPECT_EQ(cache.take(by_id, 1, false), ErrorCode::fetch_session_topic_id_error);
    EXPECT_EQ(cache.take(by_id, 7, false), ErrorCode::invalid_fetch_session_epoch)
        << "the epoch is looked at first";
    EXPECT_EQ(cache.take(by_id, 1, true), ErrorCode::none);
}

TEST_F(Sessions, WhenAllSlotsAreInUseAYoungSessionIsSafe) {
    FetchSessionCache cache{options(2)};
    const std::int32_t small = cache.make(0s, of(1)).id;
    cache.make(0s, of(5));
    EXPECT_EQ(cache.make(120s, of(100)).id, FetchSessionCache::no_session);
    EXPECT_EQ(cache.take(small, 1, false), ErrorCode::none);
}

TEST_F(Sessions, ASilentOneGoesForAnyOther) {
    FetchSessionCache cache{options(2)};
    const std::int32_t silent = cache.make(0s, of(50)).id;
    const std::int32_t used = cache.make(0s, of(1)).id;
    cache.used(used, 100s, 1);
    const auto made = cache.make(121s, of(1));
    EXPECT_NE(made.id, FetchSessionCache::no_session);
    EXPECT_EQ(made.evicted, std::vector{silent});
    EXPECT_EQ(cache.take(silent, 1, false), ErrorCode::fetch_session_id_not_found);
}

TEST_F(Sessions, AnOldOneGoesForALargerOneOnly) {
    FetchSessionCache cache{options(2)};
    const std::int32_t larger = cache.make(0s, of(9)).id;
    const std::int32_t smaller = cache.make(0s, of(5)).id;
    cache.used(larger, 121s, 9);
    cache.used(smaller, 121s, 5);
    EXPECT_EQ(cache.make(130s, of(4)).id, FetchSessionCache::no_session);
    EXPECT_EQ(cache.make(130s, of(5)).id, FetchSessionCache::no_session) << "not larger";
    EXPECT_EQ(cache.make(130s, of(6)).evicted, std::vector{smaller});
}

// As in Kafka: how old a session is counts as of its last use.
TEST_F(Sessions, OneThatWasLastUsedYoungIsSafeUntilItIsSilentForTooLong) {
    FetchSessionCache cache{options(1)};
    const std::int32_t first = cache.make(0s, of(1)).id;
    cache.used(first, 119s, 1);
    EXPECT_EQ(cache.make(200s, of(100)).id, FetchSessionCache::no_session);
    EXPECT_EQ(cache.make(240s, of(1)).evicted, std::vector{first});
}

TEST_F(Sessions, AFollowersGoesBeforeNoConsumersAndDisplacesOne) {
    FetchSessionCache cache{options(2)};
    const std::int32_t consumers = cache.make(0s, of(50)).id;
    const std::int32_t followers = cache.make(0s, {.privileged = true, .partitions = 1}).id;
    const auto made = cache.make(1s, {.privileged = true, .partitions = 2});
    EXPECT_EQ(made.evicted, std::vector{consumers}) << "young and large as it was";
    EXPECT_EQ(cache.make(2s, {.privileged = true, .partitions = 9}).id,
              FetchSessionCache::no_session)
        << "a young follower's is safe from another follower";
    cache.used(followers, 121s, 1);
    cache.used(made.id, 121s, 2);
    EXPECT_EQ(cache.make(122s, of(1000)).id, FetchSessionCache::no_session);
    EXPECT_EQ(cache.make(122s, {.privileged = true, .partitions = 2}).evicted,
              std::vector{followers});
}

TEST_F(Sessions, GrowingAndShrinkingChangesWhatASessionIsWorth) {
    FetchSessionCache cache{options(2)};
    const std::int32_t grows = cache.make(0s, of(1)).id;
    const std::int32_t shrinks = cache.make(0s, of(9)).id;
    cache.used(grows, 121s, 8);
    cache.used(shrinks, 121s, 2);
    EXPECT_EQ(cache.make(122s, of(5)).evicted, std::vector{shrinks});
}

TEST_F(Sessions, WithoutSlotsThereAreNoSessions) {
    FetchSessionCache cache{options(0)};
    EXPECT_EQ(cache.make(0s, of(1)).id, FetchSessionCache::no_session);
}

TEST_F(Sessions, SlotsAreSharedOutOverTheShardsAndIdsSayTheirs) {
    std::size_t kept = 0;
    std::set<std::int32_t> ids;
    for (std::size_t shard = 0; shard < 3; ++shard) {
        auto each = options(7);
        each.shard = shard;
        each.shards = 3;
        each.random = [] { return UINT32_MAX - 1; };  // Again and again the same.
        FetchSessionCache cache{each};
        for (int i = 0; i < 7; ++i) {
            const std::int32_t id = cache.make(0s, of(1)).id;
            if (id == FetchSessionCache::no_session) continue;
            EXPECT_EQ(FetchSessionCache::shard_of(id, 3), shard);
            EXPECT_TRUE(ids.insert(id).second);
        }
        kept += cache.size();
    }
    EXPECT_EQ(kept, 7u);
    EXPECT_FALSE(FetchSessionCache::shard_of(0, 3));
    EXPECT_FALSE(FetchSessionCache::shard_of(-3, 3));
    EXPECT_LT(*FetchSessionCache::shard_of(INT32_MAX, 3), 3u);
}

TEST_F(Sessions, BytesAreALimitTooAndEvictionMakesRoomForThem) {
    auto limited = options(100);
    FetchSessionCache measured{options(100)};
    measured.make(0s, of(1000));
    limited.most_bytes = 2 * measured.bytes();
    FetchSessionCache cache{limited};
    const std::int32_t first = cache.make(0s, of(1000)).id;
    const std::int32_t second = cache.make(1s, of(1000)).id;
    EXPECT_EQ(cache.make(2s, of(1)).id, FetchSessionCache::no_session);
    EXPECT_FALSE(cache.used(second, 3s, 1001)) << "it has outgrown what there is";
    cache.remove(second);
    EXPECT_EQ(cache.make(200s, of(100'000)).id, FetchSessionCache::no_session);
    EXPECT_TRUE(cache.used(first, 3s, 1000)) << "what can never fit evicts nobody";
    EXPECT_EQ(cache.make(200s, of(1800)).evicted, std::vector{first});
    EXPECT_LE(cache.bytes(), limited.most_bytes);
}

TEST_F(Sessions, WhatIsRemovedLeavesNothing) {
    FetchSessionCache cache{options(10)};
    const std::int32_t id = cache.make(0s, of(77)).id;
    EXPECT_TRUE(cache.remove(id));
    EXPECT_FALSE(cache.remove(id));
    EXPECT_TRUE(cache.used(id, 1s, 5)) << "one that was evicted while its fetch ran";
    EXPECT_EQ(cache.bytes(), 0u);
    EXPECT_EQ(cache.size(), 0u);
}

}  // namespace
}  // namespace leat::broker
