// Incremental fetches over a partition: what wakes them, what ends them, and what they leave.
#include "core/broker/fetch_sessions.h"
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using testing::ErrorCode;

class FetchSessionStory : public testing::PartitionBed {
protected:
    struct Answer {
        std::optional<std::vector<SessionAnswer>> told;
        bool came = false;
        std::shared_ptr<FetchSession::Fetch> fetch;

        bool waits() const { return !came; }
        bool superseded() const { return came && !told; }
        std::size_t size() const { return told ? told->size() : 999; }
        const ReadOutcome& of(std::size_t place) const { return told->at(place).outcome; }
    };

    // Partition 0 is there; every other one is unknown.
    FetchSession::Resolve resolve() {
        return [this](SessionTopic&, std::int32_t index, const SessionPartitions::Asked& asked) {
            ++looks_;
            FetchItem item{.partition = {key_}};
            item.read = {.from = asked.from, .max_bytes = 1 << 20};
            if (index != key_.index) item.error = ErrorCode::unknown_topic_or_partition;
            return item;
        };
    }
    // The answer owns the fetch that owns this.
    static auto tell(const std::weak_ptr<Answer>& to) {
        return [to](auto told) {
            const auto answer = to.lock();
            if (!answer) return;
            answer->told = std::move(told);
            answer->came = true;
        };
    }
    std::shared_ptr<Answer> fetch(const std::shared_ptr<FetchSession>& session,
                                  std::optional<std::int64_t> from = {},
                                  std::chrono::milliseconds wait = std::chrono::hours{1}) {
        auto answer = std::make_shared<Answer>();
        answer->fetch = std::make_shared<FetchSession::Fetch>(FetchSession::Fetch{
            .limits = {.items = {}, .max_bytes = 1 << 20, .min_bytes = 1, .max_wait = wait},
            .resolve = resolve(),
            .done = tell(answer)});
        session->when_free([session, from, answer] {
            if (from) session->partitions().ask(topic_, 0, {.from = {*from}});
            session->begin(answer->fetch);
        });
        workers_work();
        return answer;
    }
    std::shared_ptr<FetchSession> session(std::int64_t from = 0) {
        auto made = std::make_shared<FetchSession>(tables(), 0, false);
        made->partitions().ask(topic_, 0, {.from = {from}});
        return made;
    }

    static inline const SessionTopic topic_{.name = "t"};
    std::size_t looks_ = 0;
};

using Session = FetchSessionStory;

TEST_F(Session, AnIdlePartitionIsLookedAtOnceAndRecordsWakeTheFetch) {
    const auto idle = session();
    EXPECT_EQ(fetch(idle, {}, std::chrono::milliseconds{0})->size(), 1u) << "it tells its end";
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(fetch(idle, {}, std::chrono::milliseconds{0})->size(), 0u);
    }
    EXPECT_EQ(looks_, 1u);
    const auto woken = fetch(idle);
    EXPECT_TRUE(woken->waits());
    produce(one_record());
    ASSERT_EQ(woken->size(), 1u);
    EXPECT_GT(woken->of(0).bytes, 0u);
    EXPECT_EQ(fetch(idle, 1, std::chrono::milliseconds{0})->size(), 0u);
}

TEST_F(Session, WhatMovesBetweenTwoFetchesIsInTheNext) {
    const auto idle = session();
    fetch(idle, {}, std::chrono::milliseconds{0});
    produce(one_record());
    const auto next = fetch(idle);
    ASSERT_EQ(next->size(), 1u);
    EXPECT_EQ(next->of(0).high_watermark, sdk::Offset{1});
}

TEST_F(Session, ANewStartOfTheLogIsToldWhenTheWaitIsOver) {
    produce(one_record());
    const auto idle = session(1);
    fetch(idle, {}, std::chrono::milliseconds{0});
    const auto waiting = fetch(idle);
    table().with_open(
        key_, [](Partition* open, ErrorCode) { open->delete_records({1}, [](DeletedRecords) {}); });
    workers_work();
    EXPECT_TRUE(waiting->waits()) << "there is nothing to read";
    idle->hurry(*waiting->fetch);
    ASSERT_EQ(waiting->size(), 1u);
    EXPECT_EQ(waiting->of(0).log_start, sdk::Offset{1});
}

TEST_F(Session, ADeletedTopicIsToldAtOnceAndThenEndsNoWait) {
    const auto idle = session();
    fetch(idle, {}, std::chrono::milliseconds{0});
    const auto waiting = fetch(idle);
    topic_is_deleted();
    workers_work();
    ASSERT_EQ(waiting->size(), 1u);
    EXPECT_EQ(waiting->of(0).error, ErrorCode::unknown_topic_or_partition);
    const auto again = fetch(idle);
    EXPECT_TRUE(again->waits()) << "the client knows";
    idle->hurry(*again->fetch);
    ASSERT_EQ(again->size(), 1u);
    EXPECT_EQ(again->of(0).error, ErrorCode::unknown_topic_or_partition);
    EXPECT_FALSE(fetch(idle, 0)->waits()) << "it asks anew";
}

TEST_F(Session, AnUnknownPartitionDoesNotSpoilTheOthers) {
    const auto mixed = session();
    mixed->partitions().ask(topic_, 7, {});
    const auto first = fetch(mixed);
    EXPECT_EQ(first->size(), 2u);
    const auto second = fetch(mixed);
    EXPECT_TRUE(second->waits());
    produce(one_record());
    EXPECT_EQ(second->size(), 2u);
}

TEST_F(Session, ASecondFetchEndsTheFirstWhichLosesNothing) {
    const auto contested = session();
    fetch(contested, {}, std::chrono::milliseconds{0});
    const auto first = fetch(contested);
    const auto second = fetch(contested);
    EXPECT_TRUE(first->superseded());
    EXPECT_TRUE(second->waits());
    produce(one_record());
    ASSERT_EQ(second->size(), 1u);
    EXPECT_GT(second->of(0).bytes, 0u);
}

TEST_F(Session, OfManyThatComeWhileOneLoadsTheLastIsAnswered) {
    const auto contested = session();
    std::vector<std::shared_ptr<Answer>> answers;
    // The first opens the partition, which a worker does: the others come meanwhile.
    for (int i = 0; i < 4; ++i) {
        auto answer = std::make_shared<Answer>();
        answer->fetch = std::make_shared<FetchSession::Fetch>(
            FetchSession::Fetch{.limits = {}, .resolve = resolve(), .done = tell(answer)});
        contested->when_free([contested, answer] { contested->begin(answer->fetch); });
        answers.push_back(answer);
    }
    EXPECT_TRUE(answers[0]->waits()) << "a look is never cut off";
    workers_work();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(answers[i]->superseded()) << i;
    EXPECT_EQ(answers[3]->size(), 1u);
}

TEST_F(Session, AnEndedSessionAnswersWhatRunsAndTakesItsWatchesBack) {
    auto ending = session();
    fetch(ending, {}, std::chrono::milliseconds{0});
    const auto waiting = fetch(ending);
    ending->end();
    EXPECT_EQ(waiting->size(), 0u);
    const std::weak_ptr<FetchSession> gone = ending;
    ending = nullptr;
    waiting->fetch = nullptr;
    turn();
    EXPECT_TRUE(gone.expired()) << "nobody holds it";
    produce(one_record());
}

TEST_F(Session, TheCacheChargesTheBudgetAndGivesItBack) {
    runtime::MemoryBudget budget{{.bytes = 1 << 20, .leases = 1}};
    {
        FetchSessions sessions{tables(), 0, {.memory = &budget, .random = [] { return 7u; }}};
        const auto fill = [](SessionPartitions& partitions) {
            for (std::int32_t i = 0; i < 100; ++i) partitions.ask(topic_, i, {});
        };
        EXPECT_EQ(sessions.make({.partitions = 1000}, fill), FetchSessionCache::no_session)
            << "more than an eighth of the budget";
        EXPECT_EQ(budget.taken(), 0u);
        const auto id = sessions.make({.partitions = 100}, fill);
        EXPECT_NE(id, FetchSessionCache::no_session);
        const auto taken = budget.taken();
        EXPECT_GT(taken, 0u);
        const auto session = std::get<std::shared_ptr<FetchSession>>(sessions.take(id, 1, false));
        for (std::int32_t i = 0; i < 50; ++i) session->forget(topic_, i);
        EXPECT_TRUE(sessions.used(id, *session));
        EXPECT_LT(budget.taken(), taken);
        for (std::int32_t i = 0; i < 10'000; ++i) session->partitions().ask(topic_, i, {});
        EXPECT_FALSE(sessions.used(id, *session)) << "it has outgrown its share";
        EXPECT_EQ(budget.taken(), 0u);
        EXPECT_NE(sessions.make({.partitions = 100}, fill), FetchSessionCache::no_session);
        ASSERT_TRUE(budget.take(budget.left()));
        EXPECT_EQ(sessions.make({.partitions = 100}, fill), FetchSessionCache::no_session)
            << "frames have it all";
    }
}

}  // namespace
}  // namespace leat::broker
