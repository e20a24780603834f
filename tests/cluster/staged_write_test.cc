#include "core/cluster/staged_write.h"

#include <gtest/gtest.h>

#include "core/cluster/records.h"

namespace leat::cluster {
namespace {

using End = StagedWrite::End;
using Outcome = sdk::Result<sdk::CommitOutcome>;

const Outcome committed{sdk::CommitOutcome{sdk::Committed{sdk::Revision{5}}}};
const Outcome unknown{sdk::CommitOutcome{sdk::Unknown{"lost"}}};
const Outcome deposed{sdk::CommitOutcome{sdk::Conflict{std::string{keys::controller_epoch}}}};
const Outcome conflict{sdk::CommitOutcome{sdk::Conflict{"/partitions/x/0"}}};

StagedWrite two_stages(std::size_t first, std::size_t second) {
    using Transactions = std::vector<sdk::Transaction>;
    return StagedWrite{{Transactions(first), Transactions(second)}};
}

TEST(StagedWrite, AStageBeginsWhenTheOneBeforeIsDone) {
    auto write = two_stages(2, 1);
    EXPECT_EQ(write.begin().commit, (std::vector<std::size_t>{0, 1}));
    EXPECT_TRUE(write.outcome(1, committed).commit.empty());
    EXPECT_EQ(write.outcome(0, committed).commit, (std::vector<std::size_t>{2}));
    EXPECT_EQ(write.outcome(2, committed).end, End::done);
}

TEST(StagedWrite, OnlySoManyAreUnderWayAtOnce) {
    auto write = two_stages(20, 1);
    EXPECT_EQ(write.begin().commit.size(), StagedWrite::most_at_once);
    EXPECT_EQ(write.outcome(3, committed).commit, (std::vector<std::size_t>{8}));
}

TEST(StagedWrite, AnUnknownOutcomeIsLookedAtAndDoneAgainIfItDoesNotShow) {
    auto write = two_stages(1, 1);
    write.begin();
    EXPECT_EQ(write.outcome(0, unknown).look, (std::vector<std::size_t>{0}));
    EXPECT_EQ(write.looked(0, false).commit, (std::vector<std::size_t>{0}));
    // It had landed late after all: its own keys conflict.
    EXPECT_EQ(write.outcome(0, conflict).look, (std::vector<std::size_t>{0}));
    EXPECT_EQ(write.looked(0, true).commit, (std::vector<std::size_t>{1}));
    EXPECT_EQ(write.outcome(1, committed).end, End::done);
}

TEST(StagedWrite, ADeposedControllerStopsOnceNothingIsUnderWay) {
    auto write = two_stages(3, 1);
    write.begin();
    EXPECT_EQ(write.outcome(0, deposed).end, std::nullopt);
    EXPECT_EQ(write.outcome(1, committed).end, std::nullopt);
    EXPECT_EQ(write.outcome(2, deposed).end, End::fenced);
}

TEST(StagedWrite, AStoreThatNeverKnowsIsGivenUp) {
    auto write = two_stages(1, 1);
    auto orders = write.begin();
    std::size_t attempts = 0;
    while (!orders.end) {
        ++attempts;
        write.outcome(0, unknown);
        orders = write.looked(0, false);
    }
    EXPECT_EQ(orders.end, End::unavailable);
    EXPECT_EQ(attempts, StagedWrite::most_attempts);
}

}  // namespace
}  // namespace leat::cluster
