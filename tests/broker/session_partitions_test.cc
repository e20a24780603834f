// What an incremental fetch looks at, and what its answer holds (KIP-227).
#include "core/broker/session_partitions.h"

#include <gtest/gtest.h>

namespace leat::broker {
namespace {

using wire::ErrorCode;
using Slots = std::vector<SessionPartitions::Slot>;
using Seen = SessionPartitions::Seen;

const SessionTopic topic_t{.name = "t"};

Seen idle(std::int64_t high_watermark, std::int64_t log_start = 0) {
    return {.high_watermark = {high_watermark}, .log_start = {log_start}, .settled = true};
}
Seen with_records(std::int64_t high_watermark) {
    return {.high_watermark = {high_watermark}, .log_start = {0}, .records = true};
}
Seen failed(ErrorCode error) {
    return {.error = error};
}

// Partitions 0 to 2 of topic t, told to be empty by the full answer that began the session.
class SessionOfThree : public ::testing::Test {
protected:
    SessionOfThree() {
        for (std::int32_t index = 0; index < 3; ++index) {
            slots_.push_back(session_.ask(topic_t, index, {}));
            session_.began(slots_.back(), idle(0));
        }
        for (const auto slot : session_.take_changed()) session_.answered(slot, idle(0));
    }

    // Looked at, and then settled or with something to tell.
    bool answer(SessionPartitions::Slot slot, const Seen& seen) {
        session_.moved(slot);
        const auto taken = session_.take_changed();
        EXPECT_EQ(std::count(taken.begin(), taken.end(), slot), 1);
        for (const auto other : taken) {
            if (other != slot) session_.not_answered(other);
        }
        return session_.answered(slot, seen);
    }

    SessionPartitions session_{false};
    Slots slots_;
};

TEST_F(SessionOfThree, NothingIsLookedAtAsLongAsNothingMoves) {
    EXPECT_EQ(session_.take_changed(), Slots{});
    EXPECT_TRUE(session_.moved(slots_[1]));
    EXPECT_FALSE(session_.moved(slots_[1])) << "that is known";
    EXPECT_EQ(session_.take_changed(), Slots{slots_[1]});
    EXPECT_FALSE(session_.answered(slots_[1], idle(0)));
    EXPECT_EQ(session_.take_changed(), Slots{});
}

TEST_F(SessionOfThree, ANewSessionIsLookedAtInFullOnce) {
    SessionPartitions fresh{false};
    const auto slot = fresh.ask(topic_t, 0, {});
    fresh.began(slot, idle(5));
    ASSERT_EQ(fresh.take_changed(), Slots{slot});
    EXPECT_FALSE(fresh.answered(slot, idle(5))) << "the full answer has told it";
    EXPECT_EQ(fresh.take_changed(), Slots{});
}

TEST_F(SessionOfThree, AnAnswerHoldsWhatTheClientDoesNotKnow) {
    EXPECT_TRUE(answer(slots_[0], idle(4))) << "another high watermark";
    EXPECT_FALSE(answer(slots_[0], idle(4)));
    EXPECT_TRUE(answer(slots_[0], idle(4, 2))) << "another start of the log";
    EXPECT_FALSE(answer(slots_[0], idle(4, 2)));
    Seen diverging = idle(4, 2);
    diverging.diverging = true;
    EXPECT_TRUE(answer(slots_[0], diverging));
    EXPECT_TRUE(answer(slots_[0], diverging)) << "until the follower has truncated";
}

TEST_F(SessionOfThree, RecordsAreInEveryAnswerUntilTheClientAsksForThoseBehindThem) {
    EXPECT_TRUE(answer(slots_[0], with_records(3)));
    EXPECT_EQ(session_.take_changed(), Slots{slots_[0]}) << "without having moved";
    EXPECT_TRUE(session_.answered(slots_[0], with_records(3)));
    session_.ask(topic_t, 0, {.from = {3}});
    EXPECT_EQ(session_.asked(slots_[0]).from, sdk::Offset{3});
    EXPECT_EQ(session_.take_changed(), Slots{slots_[0]});
    EXPECT_FALSE(session_.answered(slots_[0], idle(3)));
    EXPECT_EQ(session_.take_changed(), Slots{});
}

TEST_F(SessionOfThree, AnErrorIsInEveryAnswerAndItsEndIsTold) {
    const auto unknown = failed(ErrorCode::unknown_topic_or_partition);
    EXPECT_TRUE(answer(slots_[2], unknown));
    EXPECT_EQ(session_.told_error(slots_[2]), ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(session_.take_changed(), Slots{slots_[2]});
    EXPECT_TRUE(session_.answered(slots_[2], unknown));
    EXPECT_TRUE(answer(slots_[2], idle(0))) << "it is there again, as it was before";
    EXPECT_EQ(session_.told_error(slots_[2]), ErrorCode::none);
}

TEST_F(SessionOfThree, AskingAnewForgivesTheErrorThatWasTold) {
    answer(slots_[2], failed(ErrorCode::offset_out_of_range));
    session_.ask(topic_t, 2, {.from = {1}});
    EXPECT_EQ(session_.told_error(slots_[2]), ErrorCode::none);
}

TEST_F(SessionOfThree, WhoGotRecordsGoesToTheEnd) {
    for (const auto slot : slots_) session_.moved(slot);
    ASSERT_EQ(session_.take_changed(), slots_);
    EXPECT_TRUE(session_.answered(slots_[0], with_records(9)));
    for (std::size_t i = 1; i < 3; ++i) session_.answered(slots_[i], {.high_watermark = {9}});
    EXPECT_EQ(session_.take_changed(), (Slots{slots_[1], slots_[2], slots_[0]}));
    EXPECT_TRUE(session_.answered(slots_[1], with_records(9)));
    session_.not_answered(slots_[2]);
    session_.not_answered(slots_[0]);
    session_.ask(topic_t, 2, {.from = {1}});
    EXPECT_EQ(session_.take_changed(), (Slots{slots_[2], slots_[0], slots_[1]}))
        << "a new offset changes nothing";
}

TEST_F(SessionOfThree, WhatIsForgottenIsNeitherLookedAtNorTold) {
    session_.moved(slots_[1]);
    EXPECT_EQ(session_.forget(topic_t, 1), slots_[1]);
    EXPECT_EQ(session_.forget(topic_t, 1), std::nullopt);
    EXPECT_EQ(session_.forget({.name = "u"}, 1), std::nullopt);
    EXPECT_EQ(session_.size(), 2u);
    EXPECT_FALSE(session_.moved(slots_[1])) << "its watch was late";
    EXPECT_EQ(session_.take_changed(), Slots{});
}

TEST_F(SessionOfThree, AForgottenPartitionComesBackAsANewOne) {
    answer(slots_[1], idle(7));
    session_.moved(slots_[1]);
    session_.forget(topic_t, 1);
    const auto slot = session_.ask(topic_t, 1, {.from = {7}});
    EXPECT_EQ(session_.take_changed(), Slots{slot}) << "once";
    EXPECT_TRUE(session_.answered(slot, idle(7))) << "nothing was told of it";
}

TEST_F(SessionOfThree, TheLastPartitionTakesItsTopicWithIt) {
    for (std::int32_t index = 0; index < 3; ++index) session_.forget(topic_t, index);
    EXPECT_EQ(session_.size(), 0u);
    const auto slot = session_.ask({.name = "u"}, 0, {});
    EXPECT_EQ(session_.topic(slot).name, "u");
    EXPECT_EQ(session_.forget(topic_t, 0), std::nullopt);
}

TEST(SessionByIds, TheIdAloneNamesATopicAndItsNameIsLearnt) {
    SessionPartitions session{true};
    const SessionTopic nameless{.id = {{1}}};
    const auto slot = session.ask(nameless, 0, {});
    session.topic(slot).name = "t";
    EXPECT_EQ(session.ask(nameless, 0, {.from = {3}}), slot);
    EXPECT_EQ(session.topic(slot).name, "t");
    EXPECT_NE(session.ask({.name = "t", .id = {{2}}}, 0, {}), slot) << "made again, another topic";
    EXPECT_EQ(session.forget({.id = {}}, 0), std::nullopt);
    EXPECT_EQ(session.forget(nameless, 0), slot);
}

}  // namespace
}  // namespace leat::broker
