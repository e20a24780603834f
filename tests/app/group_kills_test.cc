// kill -9 in each phase of a rebalance: after the next start members get on by themselves, nobody
// has what is another's, and what was committed is there. tests/groups has the rules of failovers,
// tests/broker the coordinator's life.
#include <gtest/gtest.h>

#include "tests/app/broker_process.h"
#include "tests/app/classic_member.h"
#include "tests/app/consumer_member.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

constexpr std::int32_t partitions = 4;

std::string with_delay(const std::string& delay) {
    return "[network]\nshards = 2\n[log]\nlevel = \"info\"\n[group_coordinator]\n"
           "session_timeout_min = \"1s\"\ninitial_rebalance_delay = \"" +
           delay + "\"\n";
}

class KilledInARebalance : public testing::Test {
protected:
    void SetUp() override {
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", partitions), ErrorCode::none);
    }
    void kill_and_start() {
        broker.restart(SIGKILL, with_delay("0s"));
        for (ClassicMember* member : members) member->connect(broker.port());
    }
    std::int64_t committed(std::int32_t partition = 0) {
        RawClient client{broker.port()};
        return committed_offset(client, "g", partition);
    }
    bool settle() {
        return turn_until(members, [&] { return settled(members, partitions); });
    }
    // The last one comes to those who are stable; all are told, and all but the held ones sync.
    void rebalance_for(ClassicMember& last) {
        members.push_back(&last);
        ASSERT_TRUE(turn_until(members, [&] {
            return std::ranges::all_of(members, [](const ClassicMember* member) {
                return member->step() == ClassicMember::Step::sync &&
                       (member->leads() || member->waits());
            });
        }));
    }

    BrokerProcess broker{with_delay("0s")};
    std::vector<ClassicMember*> members;
};

TEST_F(KilledInARebalance, WhileTheFirstMembersWaitForMore) {
    broker.restart(SIGTERM, with_delay("60min"));
    {
        RawClient client{broker.port()};
        find_coordinator(client, "g");
    }
    ClassicMember nobody{broker.port(), "g"};
    ASSERT_EQ(nobody.commit(broker.port(), 0, 42), ErrorCode::none) << "the group has no members";
    ClassicMember one{broker.port(), "g"}, two{broker.port(), "g"};
    members = {&one, &two};
    ASSERT_TRUE(turn_until(members, [&] {
        return !one.id().empty() && !two.id().empty() && one.waits() && two.waits();
    }));
    kill_and_start();
    EXPECT_TRUE(settle());
    EXPECT_EQ(committed(), 42);
}

TEST_F(KilledInARebalance, WhileTheLeaderAssigns) {
    ClassicMember one{broker.port(), "g"}, two{broker.port(), "g"};
    members = {&one};
    ASSERT_TRUE(settle());
    ASSERT_EQ(one.commit(broker.port(), 3, 42), ErrorCode::none);
    const auto generation = one.generation();
    one.hold_sync(true);
    rebalance_for(two);
    EXPECT_EQ(one.commit(broker.port(), 3, 7), ErrorCode::rebalance_in_progress);
    kill_and_start();
    one.hold_sync(false);
    EXPECT_EQ(committed(3), 42);
    EXPECT_TRUE(settle());
    EXPECT_GT(one.generation(), generation);
    EXPECT_EQ(committed(3), 42);
    EXPECT_EQ(two.commit(broker.port(), 3, 43), ErrorCode::none);
    EXPECT_EQ(committed(3), 43);
}

TEST_F(KilledInARebalance, WhenItIsOverItIsOver) {
    ClassicMember one{broker.port(), "g"}, two{broker.port(), "g"};
    members = {&one, &two};
    ASSERT_TRUE(settle());
    const auto generation = one.generation();
    const auto joins = one.joins() + two.joins();
    for (std::int64_t offset = 1; offset <= 2; ++offset) {
        ASSERT_EQ(two.commit(broker.port(), 1, offset), ErrorCode::none);
        kill_and_start();
        EXPECT_EQ(committed(1), offset);
        EXPECT_TRUE(settle());
    }
    EXPECT_EQ(one.generation(), generation);
    EXPECT_EQ(one.joins() + two.joins(), joins) << "a restart is no rebalance";
}

// That it left is in no record before the others have joined without it, as in Kafka: it is a
// member until its session is over.
TEST_F(KilledInARebalance, BeforeTheOthersKnowThatOneHasLeft) {
    ClassicMember one{broker.port(), "g"}, two{broker.port(), "g", partitions, 1'500};
    members = {&one, &two};
    ASSERT_TRUE(settle());
    const std::int32_t its = *two.owned().begin();
    ASSERT_EQ(two.commit(broker.port(), its, 42), ErrorCode::none);
    ASSERT_EQ(two.leave(broker.port()), ErrorCode::none);
    members = {&one};
    kill_and_start();
    EXPECT_TRUE(settle()) << "all is given to who stayed";
    EXPECT_EQ(committed(its), 42);
    EXPECT_EQ(two.commit(broker.port(), its, 7), ErrorCode::unknown_member_id);
    EXPECT_EQ(committed(its), 42);
}

// Members of KIP-848: after each answer that they get while one gives back what the other is to
// have, which waits for what is pending revocation.
TEST(KilledWhileMembersReconcile, AfterEachStepTheyGoOnFromThere) {
    BrokerProcess broker{with_delay("0s")};
    {
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", partitions), ErrorCode::none);
    }
    ConsumerMember one{broker.port(), "g", "one"}, two{broker.port(), "g", "two"};
    const auto kill_and_start = [&] {
        broker.restart(SIGKILL);
        for (ConsumerMember* member : {&one, &two}) member->connect(broker.port());
    };
    one.join({"t"});
    ASSERT_TRUE(beat_until({&one}, [&] { return one.partitions() == partitions; }));
    ASSERT_EQ(one.commit("t", 0, 42), ErrorCode::none);
    ASSERT_EQ(two.join({"t"}).error_code, ErrorCode::none);
    kill_and_start();  // Before an assignor has been heard, most of the time.
    ASSERT_TRUE(beat_until({&two}, [&] { return two.describe().group_state == "Reconciling"; }));
    const auto balanced = [&] { return one.partitions() == 2 && two.partitions() == 2; };
    bool gave_back = false;  // It has said that it did.
    for (int steps = 0; !balanced(); ++steps) {
        ASSERT_LT(steps, 50) << "they get nowhere";
        ConsumerMember& member = steps % 2 == 0 ? two : one;
        kill_and_start();
        EXPECT_EQ(one.describe().group_state, "Reconciling");
        gave_back = gave_back || (&member == &one && one.partitions() == 2);
        EXPECT_EQ(member.beat().error_code, ErrorCode::none) << "step " << steps;
        EXPECT_EQ(two.partitions(), gave_back && &member == &two ? 2u : 0u)
            << "what the other has, step " << steps;
    }
    kill_and_start();
    EXPECT_TRUE(beat_until({&one, &two}, [&] { return one.describe().group_state == "Stable"; }));
    EXPECT_TRUE(balanced());
    EXPECT_EQ(one.committed("t", 0), 42);
    EXPECT_EQ(two.committed("t", 0), 42);
}

}  // namespace
}  // namespace leat::app
