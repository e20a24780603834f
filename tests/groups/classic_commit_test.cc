// Who may commit offsets, and when.
#include <gtest/gtest.h>

#include "tests/groups/bed.h"
#include "tests/groups/offsets.h"

namespace leat::groups {
namespace {

TEST(CommittingOffsets, IsForMembersOfTheGeneration) {
    Bed bed;
    stable_pair(bed);
    EXPECT_EQ(commit(bed, {.member = "app-1", .generation = 1}), ErrorCode::none);
    EXPECT_EQ(commit(bed, {.member = "app-1", .generation = 0}), ErrorCode::illegal_generation);
    EXPECT_EQ(commit(bed, {.member = "x", .generation = 1}), ErrorCode::unknown_member_id);
    EXPECT_EQ(commit(bed, {}), ErrorCode::unknown_member_id) << "from outside";
    EXPECT_EQ(fetched(bed, "t", 0), 42);
}

TEST(CommittingOffsets, IsForAnybodyWhileTheGroupIsEmpty) {
    Bed bed;
    EXPECT_EQ(commit(bed, {}), ErrorCode::none);
    stable_pair(bed);
    bed.leave("app-1");
    bed.leave("app-2");
    EXPECT_EQ(commit(bed, {.offset = 50}), ErrorCode::none);
    EXPECT_EQ(fetched(bed, "t", 0), 50);
}

TEST(CommittingOffsets, OfAGenerationWithoutAGroupIsRefused) {
    Bed bed;
    EXPECT_EQ(commit(bed, {.member = "app-1", .generation = 1, .version = 8}),
              ErrorCode::illegal_generation);
    EXPECT_EQ(commit(bed, {.member = "app-1", .generation = 1, .version = 9}),
              ErrorCode::group_id_not_found);
}

TEST(CommittingOffsets, WaitsForTheRebalanceToEnd) {
    Bed bed;
    stable_pair(bed);
    bed.join(join_request("app-1"));
    EXPECT_EQ(commit(bed, {.member = "app-2", .generation = 1}), ErrorCode::none)
        << "what it has read it may still commit";
    bed.join(join_request("app-2"));
    EXPECT_EQ(commit(bed, {.member = "app-2", .generation = 2}), ErrorCode::rebalance_in_progress);
}

TEST(CommittingOffsets, KeepsASessionAlive) {
    Bed bed;
    stable_pair(bed);
    for (int i = 0; i < 10; ++i) {
        bed.pass(4s);
        EXPECT_EQ(commit(bed, {.member = "app-1", .generation = 1}), ErrorCode::none);
        EXPECT_EQ(commit(bed, {.member = "app-2", .generation = 1}), ErrorCode::none);
    }
}

TEST(CommittingOffsets, TakesTextUpToALength) {
    Bed bed;
    EXPECT_EQ(commit(bed, {.metadata = std::string(4097, 'x')}),
              ErrorCode::offset_metadata_too_large);
    EXPECT_EQ(fetched(bed, "t", 0), -1);
    EXPECT_EQ(commit(bed, {.metadata = std::string(4096, 'x')}), ErrorCode::none);
}

}  // namespace
}  // namespace leat::groups
