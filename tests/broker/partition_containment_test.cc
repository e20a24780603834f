// A plugin that throws: whatever the call, its partition goes offline, the log names the instance,
// whoever waits is answered and the broker goes on.
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using wire::ErrorCode;

class PartitionContainment : public testing::PartitionBed {
protected:
    // Every batch begins a segment, and is synced before it is acknowledged.
    PartitionContainment() {
        setup_.log.segment_bytes = one_record().size();
        setup_.flush.kind = FlushPromise::Kind::each;
    }
    void begin() { ASSERT_EQ(produce(one_record()).error(), ErrorCode::none); }

    TimeLookup look_up(sdk::Function<void(Partition&, sdk::Function<void(TimeLookup)>)> how) {
        std::optional<TimeLookup> answer;
        table().with_open(key_, [&](Partition* open, ErrorCode) {
            how(*open, [&](TimeLookup found) { answer = found; });
        });
        workers_work();
        return answer.value_or(TimeLookup{.error = ErrorCode::unknown_server_error});
    }
    TimeLookup first_since(sdk::Timestamp when) {
        return look_up([when](Partition& partition, auto done) {
            partition.find_by_time(when, std::move(done));
        });
    }
    TimeLookup newest() {
        return look_up(
            [](Partition& partition, auto done) { partition.find_newest(std::move(done)); });
    }

    // After the one call that threw.
    void is_contained(const std::string& instance, const std::string& call) {
        EXPECT_TRUE(lines_.say("partition offline")) << call;
        EXPECT_TRUE(
            lines_.say("plugin instance \"" + instance + "\" threw out of " + call + ": planned"))
            << lines_.all();
        EXPECT_EQ(produce(one_record()).error(), ErrorCode::kafka_storage_error) << call;
        EXPECT_EQ(fetch(0)->error(), ErrorCode::kafka_storage_error) << call;
        EXPECT_FALSE(stop());
        start();
    }
};

TEST_F(PartitionContainment, OutOfOpeningAndRecovery) {
    for (const std::string call : {"open", "bounds", "extents", "side files", "side file list"}) {
        engine_.faults.throw_from(call);
        EXPECT_EQ(produce(one_record()).error(), ErrorCode::kafka_storage_error) << call;
        is_contained("faulty", call == "open" ? "open" : "recovery");
    }
}

TEST_F(PartitionContainment, OutOfReadingTheLogAtTheOpen) {
    begin();
    restart();
    engine_.faults.throw_from("read");
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::kafka_storage_error);
    is_contained("faulty", "recovery");
}

TEST_F(PartitionContainment, OutOfAnAppend) {
    begin();
    for (const std::string call : {"append", "seal"}) {
        engine_.faults.throw_from(call);
        EXPECT_EQ(produce(one_record()).error(), ErrorCode::kafka_storage_error) << call;
        is_contained("faulty", call);
    }
}

TEST_F(PartitionContainment, OutOfASync) {
    begin();
    for (const std::string call : {"flush", "bounds"}) {
        ASSERT_EQ(produce(one_record()).error(), ErrorCode::none);
        engine_.faults.throw_from(call);
        EXPECT_EQ(produce(one_record()).error(), ErrorCode::kafka_storage_error) << call;
        is_contained("faulty", call);
    }
}

TEST_F(PartitionContainment, OutOfSideFiles) {
    for (const std::string call : {"side files", "side file write", "side file list"}) {
        begin();
        engine_.faults.throw_from(call);
        produce(one_record());
        is_contained("faulty", "side files");
    }
}

TEST_F(PartitionContainment, OutOfARead) {
    begin();
    engine_.faults.throw_from("read");
    EXPECT_EQ(fetch(0)->error(), ErrorCode::kafka_storage_error);
    is_contained("faulty", "read");
}

TEST_F(PartitionContainment, OutOfBringingInWhatIsNotResident) {
    begin();
    engine_.mood.cold = true;
    engine_.faults.throw_from("bring in");
    const auto fetched = fetch(0);
    EXPECT_TRUE(fetched->waits());
    workers_work();
    EXPECT_EQ(fetched->error(), ErrorCode::kafka_storage_error);
    engine_.mood.cold = false;
    is_contained("faulty", "read");
}

TEST_F(PartitionContainment, OutOfALookUpByTime) {
    for (const std::string call : {"seek", "read"}) {
        begin();
        engine_.faults.throw_from(call);
        EXPECT_EQ(first_since({0}).error, ErrorCode::kafka_storage_error) << call;
        is_contained("faulty", call);
    }
    begin();
    engine_.mood.cold = true;
    engine_.faults.throw_from("bring in");
    EXPECT_EQ(first_since({0}).error, ErrorCode::kafka_storage_error);
    engine_.mood.cold = false;
    is_contained("faulty", "read");
    begin();
    engine_.faults.throw_from("extents");
    EXPECT_EQ(newest().error, ErrorCode::kafka_storage_error);
    is_contained("faulty", "extents");
}

TEST_F(PartitionContainment, OutOfAReplicationPolicy) {
    for (const std::string call : {"before_append", "high_watermark"}) {
        begin();
        policy_.faults.throw_from(call);
        EXPECT_EQ(produce(one_record(), Acks::all).error(), ErrorCode::kafka_storage_error) << call;
        is_contained("holding", call);
    }
}

TEST_F(PartitionContainment, OutOfForgettingADeletedTopic) {
    begin();
    engine_.faults.throw_from("remove");
    topic_is_deleted();
    workers_work();
    EXPECT_TRUE(lines_.say("plugin instance \"faulty\" threw out of remove: planned"));
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::unknown_topic_or_partition);
}

// "There is none" would send a consumer to the end of the log.
TEST_F(PartitionContainment, ALookUpThatItsPartitionDoesNotOutliveIsAnError) {
    begin();
    std::optional<TimeLookup> answer;
    table().with_open(key_, [&](Partition* open, ErrorCode) {
        engine_.mood.cold = true;  // So that it takes another turn.
        open->find_by_time({0}, [&](TimeLookup found) { answer = found; });
        engine_.mood.cold = false;
    });
    engine_.faults.fail("append", sdk::Errc::io);
    const auto sent = send(one_record());
    workers_work();
    EXPECT_EQ(sent->error(), ErrorCode::kafka_storage_error);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->error, ErrorCode::kafka_storage_error);
}

}  // namespace
}  // namespace leat::broker
