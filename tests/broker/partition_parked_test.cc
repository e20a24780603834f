// Produces and fetches that wait at a partition, and what they hear when it syncs, closes, goes
// offline or is deleted.
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using sdk::Errc;
using wire::ErrorCode;

class PartitionParked : public testing::PartitionBed {
protected:
    PartitionParked() { setup_.flush.kind = FlushPromise::Kind::each; }
    void begin() { ASSERT_EQ(produce(from_producer(0)).error(), ErrorCode::none); }
    int syncs() const { return engine_.faults.calls("flush"); }
};

TEST_F(PartitionParked, OneSyncCoversAllThatWasAppendedBeforeItBegan) {
    begin();
    const auto first = send(from_producer(1), Acks::all);
    turn();
    std::vector<std::shared_ptr<testing::Sent>> later;
    engine_.mood.before_a_sync_ends = [&] {
        for (int sequence : {2, 3}) {
            later.push_back(send(from_producer(sequence), Acks::all));
            turn();
        }
    };
    one_worker_works();
    EXPECT_EQ(first->error(), ErrorCode::none);
    for (const auto& sent : later) EXPECT_TRUE(sent->waits()) << "the sync had begun before";
    one_worker_works();
    for (const auto& sent : later) EXPECT_EQ(sent->error(), ErrorCode::none);
    EXPECT_EQ(syncs(), 3) << "one at the beginning, one for the first, one for the other two";
}

TEST_F(PartitionParked, ATopicThatIsMadeAgainOpensWhenTheOldOneHasClosed) {
    begin();
    const auto last = send(from_producer(1), Acks::all);
    turn();  // Its sync is with a worker.
    table().removed(setup_.id, "faulty", engine_);
    setup_.id.topic_id = {{2}};
    bool opened = false;
    table().with_open({setup_.id.topic_id, 0},
                      [&](Partition* partition, ErrorCode) { opened = partition != nullptr; });
    turn();
    EXPECT_EQ(last->error(), ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(engine_.faults.calls("open"), 1) << "the old log is still at work";
    workers_work();
    EXPECT_EQ(engine_.faults.calls("open"), 2);
    EXPECT_TRUE(opened);
}

TEST_F(PartitionParked, AcksOfNoneWaitForNothing) {
    begin();
    const auto sent = send(from_producer(1), Acks::none);
    turn();
    EXPECT_EQ(sent->error(), ErrorCode::none);
}

TEST_F(PartitionParked, AcksOfAllWaitForTheCommitAcksOfTheLeaderOnlyForTheSync) {
    begin();
    policy_.commits_below = {1};
    EXPECT_EQ(produce(from_producer(1)).error(), ErrorCode::none);
    const auto sent = send(from_producer(2), Acks::all);
    workers_work();
    EXPECT_TRUE(sent->waits()) << "synced, not committed";
    policy_.commits_below = {3};
    table().changed(key_);
    EXPECT_EQ(sent->base(), sdk::Offset{2});
}

TEST_F(PartitionParked, ADuplicateOfWhatIsParkedWaitsForTheSameSync) {
    begin();
    const auto original = send(from_producer(1));
    turn();
    const auto duplicate = send(from_producer(1));
    turn();
    EXPECT_TRUE(original->waits());
    EXPECT_TRUE(duplicate->waits()) << "nothing promises yet that the original stays";
    workers_work();
    EXPECT_EQ(original->base(), sdk::Offset{1});
    EXPECT_EQ(duplicate->base(), sdk::Offset{1});
    EXPECT_EQ(stored_end(), 2);
}

TEST_F(PartitionParked, ADuplicateInTheSameTurnIsAnsweredAsItsOriginal) {
    begin();
    const auto original = send(from_producer(1));
    const auto duplicate = send(from_producer(1));
    workers_work();
    EXPECT_EQ(original->base(), sdk::Offset{1});
    EXPECT_EQ(duplicate->base(), sdk::Offset{1});
    EXPECT_EQ(stored_end(), 2);
}

TEST_F(PartitionParked, ADuplicateHearsOfTheFailureOfItsOriginalsSync) {
    begin();
    const auto original = send(from_producer(1));
    turn();
    const auto duplicate = send(from_producer(1));
    turn();
    engine_.faults.fail("flush", Errc::io);
    workers_work();
    EXPECT_EQ(original->error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(duplicate->error(), ErrorCode::kafka_storage_error);
}

TEST_F(PartitionParked, ClosingWritesSyncsAndAcknowledgesWhatIsThere) {
    begin();
    const auto parked = send(from_producer(1), Acks::all);
    turn();
    const auto accepted = send(from_producer(2), Acks::all);
    EXPECT_TRUE(restart());
    EXPECT_EQ(parked->base(), sdk::Offset{1});
    EXPECT_EQ(accepted->base(), sdk::Offset{2});
    EXPECT_EQ(produce(from_producer(2)).base(), sdk::Offset{2}) << "it knows its producers";
}

TEST_F(PartitionParked, ClosingSyncsWhatTheLastSyncDidNotCover) {
    begin();
    send(from_producer(1), Acks::all);
    turn();
    std::shared_ptr<testing::Sent> behind;
    engine_.mood.before_a_sync_ends = [&] {
        behind = send(from_producer(2), Acks::all);
        turn();
        begin_to_stop();
    };
    one_worker_works();
    EXPECT_TRUE(behind->waits());
    EXPECT_TRUE(has_stopped());
    EXPECT_EQ(behind->base(), sdk::Offset{2});
    EXPECT_EQ(syncs(), 3);
}

TEST_F(PartitionParked, ClosingTellsThoseWhoWaitForOthersToAskElsewhere) {
    begin();
    policy_.commits_below = {1};
    const auto parked = send(from_producer(1), Acks::all);
    turn();
    EXPECT_TRUE(stop());
    EXPECT_EQ(parked->error(), ErrorCode::not_leader_or_follower);
    start();
}

TEST_F(PartitionParked, ACloseWhileItOpensComesAfterWhatWaitedForTheOpen) {
    const auto sent = send(one_record());
    const auto fetched = fetch(0);
    EXPECT_TRUE(sent->waits());
    EXPECT_TRUE(stop());
    EXPECT_EQ(sent->base(), sdk::Offset{0});
    EXPECT_EQ(fetched->error(), ErrorCode::not_leader_or_follower);
    EXPECT_EQ(engine_.kept().log->bounds().flushed, sdk::Offset{1});
}

TEST_F(PartitionParked, AClosedPartitionIsNotOpenedAgain) {
    begin();
    stop();
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::not_leader_or_follower);
    EXPECT_EQ(fetch(0)->error(), ErrorCode::not_leader_or_follower);
    EXPECT_EQ(engine_.faults.calls("open"), 1);
}

TEST_F(PartitionParked, AParkedFetchHearsOfTheNextRecord) {
    begin();
    const auto fetched = fetch(1);
    turn();
    EXPECT_TRUE(fetched->waits());
    produce(from_producer(1));
    ASSERT_EQ(fetched->error(), ErrorCode::none);
    EXPECT_GT(fetched->outcome->bytes, 0u);
}

TEST_F(PartitionParked, AParkedFetchHearsThatThePartitionWentOffline) {
    begin();
    const auto fetched = fetch(1);
    turn();
    engine_.faults.fail("append", Errc::io);
    produce(from_producer(1));
    EXPECT_EQ(fetched->error(), ErrorCode::kafka_storage_error);
}

TEST_F(PartitionParked, DeletingATopicAnswersItsParkedProducesAndKeepsNothing) {
    begin();
    const auto parked = send(from_producer(1), Acks::all);
    turn();
    const auto accepted = send(from_producer(2));
    topic_is_deleted();
    EXPECT_EQ(parked->error(), ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(accepted->error(), ErrorCode::unknown_topic_or_partition);
    workers_work();
    EXPECT_EQ(syncs(), 2) << "the first record's, and the one that was under way";
    EXPECT_FALSE(engine_.holds(0));
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::unknown_topic_or_partition);
}

TEST_F(PartitionParked, DeletingATopicAnswersItsParkedFetches) {
    begin();
    const auto fetched = fetch(1);
    turn();
    topic_is_deleted();
    EXPECT_EQ(fetched->error(), ErrorCode::unknown_topic_or_partition);
    workers_work();
    EXPECT_FALSE(engine_.holds(0));
}

TEST_F(PartitionParked, ATopicThatIsDeletedWhileItsPartitionOpensIsForgotten) {
    const auto sent = send(one_record());
    topic_is_deleted();
    EXPECT_TRUE(sent->waits());
    workers_work();
    EXPECT_EQ(sent->error(), ErrorCode::unknown_topic_or_partition);
    EXPECT_FALSE(engine_.holds(0));
}

}  // namespace
}  // namespace leat::broker
