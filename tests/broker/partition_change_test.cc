// A topic's configs change while its partition is open.
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using wire::ErrorCode;
using Bases = std::vector<std::int64_t>;

class PartitionChange : public testing::PartitionBed {
protected:
    void begin() { ASSERT_EQ(produce(from_producer(0)).error(), ErrorCode::none); }
    void changes() { table().changed(key_); }
    int syncs() const { return engine_.faults.calls("flush"); }
};

TEST_F(PartitionChange, WhoWaitsForASyncIsAnsweredAlsoWhenThePromiseGoes) {
    setup_.flush.kind = FlushPromise::Kind::each;
    begin();
    const auto covered = send(from_producer(1));
    turn();
    std::shared_ptr<testing::Sent> late;
    engine_.mood.before_a_sync_ends = [&] {
        late = send(from_producer(2));
        turn();
        setup_.flush.kind = FlushPromise::Kind::none;
        changes();
    };
    one_worker_works();
    EXPECT_EQ(covered->error(), ErrorCode::none);
    ASSERT_TRUE(late);
    EXPECT_TRUE(late->waits()) << "it was promised a sync that began after it";
    workers_work();
    EXPECT_EQ(late->error(), ErrorCode::none);
    const int before = syncs();
    EXPECT_EQ(produce(from_producer(3)).error(), ErrorCode::none);
    EXPECT_EQ(syncs(), before) << "from now on nobody asks for one";
}

TEST_F(PartitionChange, APromiseThatComesCoversWhatIsThereAlready) {
    begin();
    ASSERT_EQ(syncs(), 0);
    setup_.flush.kind = FlushPromise::Kind::each;
    changes();
    workers_work();
    EXPECT_EQ(syncs(), 1);
}

TEST_F(PartitionChange, AShorterIntervalDoesNotWaitForTheEndOfTheLongOne) {
    setup_.flush = {.kind = FlushPromise::Kind::interval, .interval = 3'600'000ms};
    begin();
    setup_.flush.interval = 10ms;
    changes();
    shard_.advance(11ms);
    workers_work();
    EXPECT_EQ(syncs(), 1);
}

TEST_F(PartitionChange, TheNextBatchIsHeldAgainstTheNewRules) {
    begin();
    setup_.rules.max_message_bytes = 10;
    changes();
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::message_too_large);
    setup_.rules.max_message_bytes = 1 << 20;
    changes();
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::none);
}

TEST_F(PartitionChange, SegmentsRollByTheNewSizeFromTheNextBatchOn) {
    setup_.log.segment_bytes = 1 << 20;
    for (int i = 0; i < 3; ++i) produce(one_record());
    EXPECT_EQ(extents(), (Bases{0}));
    setup_.log.segment_bytes = 2 * one_record().size();
    changes();
    for (int i = 0; i < 3; ++i) produce(one_record());
    EXPECT_EQ(extents(), (Bases{0, 3, 5}));
}

TEST_F(PartitionChange, TheEngineHearsItsOptionsOnceOpenAndWithEachChange) {
    setup_.storage.index_interval_bytes = 1000;
    begin();
    setup_.storage.index_interval_bytes = 2000;
    changes();
    EXPECT_EQ(engine_.mood.options.index_interval_bytes, 2000u);
}

TEST_F(PartitionChange, WhatChangesWhileThePartitionOpensHoldsOnceItIsOpen) {
    setup_.log.segment_bytes = 1 << 20;
    setup_.storage.index_interval_bytes = 1000;
    const auto first = send(one_record());
    setup_.log.segment_bytes = 2 * one_record().size();
    setup_.storage.index_interval_bytes = 2000;
    changes();
    workers_work();
    EXPECT_EQ(first->error(), ErrorCode::none);
    for (int i = 0; i < 2; ++i) produce(one_record());
    EXPECT_EQ(extents(), (Bases{0, 2}));
    EXPECT_EQ(engine_.mood.options.index_interval_bytes, 2000u);
}

TEST_F(PartitionChange, AnEngineThatThrowsAtItsOptionsTakesOnlyItsPartitionOffline) {
    begin();
    engine_.faults.throw_from("options");
    changes();
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::kafka_storage_error);
    EXPECT_TRUE(lines_.say("partition offline")) << lines_.all();
}

}  // namespace
}  // namespace leat::broker
