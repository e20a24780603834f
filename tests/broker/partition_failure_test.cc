// What producers are told when a partition's storage fails, and what the partition does then.
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using sdk::Errc;
using wire::ErrorCode;

class PartitionFailure : public testing::PartitionBed {
protected:
    void every_acknowledgement_waits_for_a_sync() { setup_.flush.kind = FlushPromise::Kind::each; }
    void syncs_follow_within(std::chrono::milliseconds interval) {
        setup_.flush = {.kind = FlushPromise::Kind::interval, .interval = interval};
    }
    // A partition that is open and holds the record with sequence 0.
    void begin() { ASSERT_EQ(produce(from_producer(0)).error(), ErrorCode::none); }
    bool is_offline() {
        return produce(one_record()).error() == ErrorCode::kafka_storage_error &&
               fetch(0)->error() == ErrorCode::kafka_storage_error;
    }
};

TEST_F(PartitionFailure, AFullDeviceRefusesWhatCameTogetherAndThePartitionGoesOn) {
    begin();
    engine_.faults.fail("append", Errc::no_space);
    const auto first = send(from_producer(1));
    const auto second = send(from_producer(2));
    workers_work();
    EXPECT_EQ(first->error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(second->error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(stored_end(), 1);
    EXPECT_EQ(fetch(0)->error(), ErrorCode::none) << "what is there is served";
    EXPECT_EQ(produce(from_producer(1)).base(), sdk::Offset{1}) << "as if they had never come";
    EXPECT_EQ(produce(from_producer(2)).base(), sdk::Offset{2});
    EXPECT_EQ(stored_end(), 3);
}

TEST_F(PartitionFailure, AFullDeviceRefusesADuplicateOfWhatItRefused) {
    begin();
    engine_.faults.fail("append", Errc::no_space);
    const auto original = send(from_producer(1));
    const auto duplicate = send(from_producer(1));
    workers_work();
    EXPECT_EQ(original->error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(duplicate->error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(produce(from_producer(1)).base(), sdk::Offset{1});
    EXPECT_EQ(stored_end(), 2);
}

TEST_F(PartitionFailure, WhatWasAppendedBeforeARollStaysWhenTheRestFindsTheDeviceFull) {
    setup_.log.segment_bytes = 2 * one_record().size();
    begin();
    engine_.faults.fail("append", Errc::no_space, 1);
    const auto fits = send(from_producer(1));
    const auto rolls = send(from_producer(2));
    workers_work();
    EXPECT_EQ(fits->base(), sdk::Offset{1});
    EXPECT_EQ(rolls->error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(produce(from_producer(2)).base(), sdk::Offset{2});
    EXPECT_EQ(extents(), (std::vector<std::int64_t>{0, 2}));
}

// A client that has its next batch ready is served within the answer to the one before.
TEST_F(PartitionFailure, WhatIsSentWithinAnAnswerIsNotUndoneWithWhatFailed) {
    setup_.log.segment_bytes = 2 * one_record().size();
    begin();
    engine_.faults.fail("append", Errc::no_space, 1);
    std::shared_ptr<testing::Sent> next;
    auto fits = from_producer(1);
    table().append({key_}, {.records = std::span{fits}},
                   [&](AppendOutcome) { next = send(from_producer(2)); });
    const auto rolls = send(one_record());
    workers_work();
    EXPECT_EQ(rolls->error(), ErrorCode::kafka_storage_error);
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(next->base(), sdk::Offset{2});
    EXPECT_EQ(produce(from_producer(2)).base(), sdk::Offset{2}) << "a duplicate";
    EXPECT_EQ(stored_end(), 3);
}

TEST_F(PartitionFailure, ADeviceThatIsFullWhereSideFilesBelongStopsNothing) {
    setup_.log.segment_bytes = one_record().size();
    begin();
    engine_.faults.fail("side file write", Errc::no_space);
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::none);
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::none);
    EXPECT_TRUE(lines_.say("side files not written")) << lines_.all();
}

TEST_F(PartitionFailure, AFailedAppendTakesThePartitionOffline) {
    begin();
    engine_.faults.fail("append", Errc::io);
    EXPECT_EQ(produce(from_producer(1)).error(), ErrorCode::kafka_storage_error);
    EXPECT_TRUE(is_offline());
    EXPECT_EQ(stored_end(), 1);
    EXPECT_TRUE(lines_.say("partition offline topic=t partition=0 storage=faulty doing=append"))
        << lines_.all();
}

TEST_F(PartitionFailure, AfterARestartItServesWhatItHadAndKnowsItsProducers) {
    begin();
    engine_.faults.fail("append", Errc::io);
    produce(from_producer(1));
    EXPECT_FALSE(restart()) << "the next start must look for damage";
    EXPECT_EQ(produce(from_producer(0)).base(), sdk::Offset{0});
    EXPECT_EQ(produce(from_producer(1)).base(), sdk::Offset{1});
}

TEST_F(PartitionFailure, AFailedSealTakesThePartitionOffline) {
    setup_.log.segment_bytes = one_record().size();
    for (const auto code : {Errc::io, Errc::no_space}) {
        ASSERT_EQ(produce(one_record()).error(), ErrorCode::none);
        engine_.faults.fail("seal", code);
        EXPECT_EQ(produce(one_record()).error(), ErrorCode::kafka_storage_error);
        EXPECT_TRUE(is_offline());
        restart();
    }
}

TEST_F(PartitionFailure, AFailedSideFileTakesThePartitionOffline) {
    setup_.log.segment_bytes = one_record().size();
    begin();
    engine_.faults.fail("side file write", Errc::io);
    produce(one_record());
    EXPECT_TRUE(is_offline());
}

TEST_F(PartitionFailure, AFailedOpenAnswersAllThatWaitedForIt) {
    engine_.faults.fail("open", Errc::io);
    const auto sent = send(one_record());
    const auto fetched = fetch(0);
    EXPECT_TRUE(sent->waits());
    EXPECT_TRUE(fetched->waits());
    workers_work();
    EXPECT_EQ(sent->error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(fetched->error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(engine_.faults.calls("open"), 1);
    EXPECT_TRUE(is_offline());
    EXPECT_EQ(engine_.faults.calls("open"), 1) << "a restart opens it again, nothing else";
}

TEST_F(PartitionFailure, NothingIsAcknowledgedAfterAFailedSyncAndNoneIsTriedAgain) {
    every_acknowledgement_waits_for_a_sync();
    begin();
    engine_.faults.fail("flush", Errc::io);
    const auto covered = send(from_producer(1));
    turn();
    const auto behind = send(from_producer(2));
    turn();
    EXPECT_TRUE(covered->waits());
    EXPECT_TRUE(behind->waits());
    workers_work();
    EXPECT_EQ(covered->error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(behind->error(), ErrorCode::kafka_storage_error);
    EXPECT_TRUE(is_offline());
    EXPECT_FALSE(stop());
    EXPECT_EQ(engine_.faults.calls("flush"), 2) << "one that worked and one that failed";
}

TEST_F(PartitionFailure, ASyncThatFailsWhileThePartitionClosesAcknowledgesNothing) {
    every_acknowledgement_waits_for_a_sync();
    begin();
    engine_.faults.fail("flush", Errc::io);
    const auto sent = send(from_producer(1));
    turn();
    EXPECT_FALSE(stop());
    EXPECT_EQ(sent->error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(engine_.faults.calls("flush"), 2);
}

TEST_F(PartitionFailure, AnOfflinePartitionStillSyncsWhatItOwes) {
    syncs_follow_within(500ms);
    begin();
    engine_.faults.fail("append", Errc::io);
    EXPECT_EQ(produce(from_producer(1)).error(), ErrorCode::kafka_storage_error);
    EXPECT_EQ(engine_.kept().log->bounds().flushed, sdk::Offset{0});
    shard_.advance(500ms);
    workers_work();
    EXPECT_EQ(engine_.kept().log->bounds().flushed, sdk::Offset{1})
        << "what was acknowledged is durable in time";
}

TEST_F(PartitionFailure, AnOfflinePartitionSyncsNoMoreOnceASyncHasFailed) {
    syncs_follow_within(500ms);
    begin();
    engine_.faults.fail("append", Errc::io);
    engine_.faults.fail("flush", Errc::io);
    produce(from_producer(1));
    shard_.advance(2s);
    workers_work();
    EXPECT_EQ(engine_.faults.calls("flush"), 1);
    EXPECT_FALSE(stop());
    EXPECT_EQ(engine_.faults.calls("flush"), 1);
}

}  // namespace
}  // namespace leat::broker
