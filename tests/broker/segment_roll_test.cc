// When a log begins a new segment: segment.bytes and segment.ms, as Kafka counts them
// (LogSegment.shouldRoll).
#include "core/log/recovery.h"
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using wire::ErrorCode;
using Bases = std::vector<std::int64_t>;

class SegmentRoll : public testing::PartitionBed {
protected:
    static constexpr std::int64_t age = 60'000;  // `segment.ms`

    SegmentRoll() {
        setup_.log.segment_ms = age;
        setup_.rules.timestamp_after_max_ms = INT64_MAX;
    }
    void append(Bytes batch) {
        const auto sent = produce(std::move(batch));
        EXPECT_EQ(sent.error(), ErrorCode::none);
    }
    void append_stamped(sdk::Timestamp when) { append(stamped_by_client(when)); }
    sdk::Timestamp noon_and(std::int64_t ms) const { return {noon_.value + ms}; }
    void topic_stamps_log_append_time() {
        setup_.rules.timestamp_type = log::TimestampType::log_append_time;
    }

    const sdk::Timestamp noon_ = shard_.wall_clock();
};

TEST_F(SegmentRoll, ASegmentTakesWhatFitsIntoIt) {
    setup_.log.segment_bytes = 2 * one_record().size();
    for (int i = 0; i < 5; ++i) append(one_record());
    EXPECT_EQ(extents(), (Bases{0, 2, 4}));
}

TEST_F(SegmentRoll, BatchesOfOneTurnAreSpreadOverSegmentsToo) {
    setup_.log.segment_bytes = 2 * one_record().size();
    std::vector<std::shared_ptr<testing::Sent>> sent;
    for (int i = 0; i < 5; ++i) sent.push_back(send(one_record()));
    workers_work();
    EXPECT_EQ(extents(), (Bases{0, 2, 4}));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(sent[static_cast<std::size_t>(i)]->base().value, i);
}

TEST_F(SegmentRoll, SideFilesAreWrittenOneRollAfterTheOtherAndThoseOfTheLastOneStay) {
    setup_.log.segment_bytes = one_record().size();
    append(one_record());
    for (int i = 0; i < 4; ++i) send(one_record());
    turn();
    EXPECT_EQ(shard_.work_waiting(), 1u) << "files of one name are not written by two at once";
    workers_work();
    EXPECT_TRUE(engine_.kept().files.have(log::snapshot_name({4})));
}

TEST_F(SegmentRoll, CreateTimeIsHeldAgainstTheFirstBatchOfTheSegment) {
    append_stamped(noon_);
    append_stamped(noon_and(age));
    EXPECT_EQ(extents(), (Bases{0})) << "exactly segment.ms is not more than it";
    append_stamped(noon_and(age + 1));
    EXPECT_EQ(extents(), (Bases{0, 2}));
    append_stamped(noon_and(2 * age + 1));
    EXPECT_EQ(extents(), (Bases{0, 2})) << "the new segment counts from its own first batch";
    append_stamped(noon_and(2 * age + 2));
    EXPECT_EQ(extents(), (Bases{0, 2, 4}));
}

TEST_F(SegmentRoll, ARecordThatArrivesLongAfterTheLastButIsNoNewerRollsNothing) {
    append_stamped(noon_);
    shard_.advance(30 * 24h);
    append_stamped(noon_and(1));
    append_stamped(noon_and(-10 * age));
    EXPECT_EQ(extents(), (Bases{0}));
}

TEST_F(SegmentRoll, LogAppendTimeGoesByTheClockWhateverTheClientsSay) {
    topic_stamps_log_append_time();
    append_stamped(noon_);
    append_stamped(noon_and(100 * age));
    EXPECT_EQ(extents(), (Bases{0}));
    shard_.advance(std::chrono::milliseconds{age + 1});
    workers_work();
    EXPECT_EQ(extents(), (Bases{0})) << "it ends when the next record comes, not before";
    EXPECT_EQ(engine_.faults.calls("seal"), 0);
    append_stamped(noon_);
    EXPECT_EQ(extents(), (Bases{0, 2}));
}

TEST_F(SegmentRoll, WhereTheFirstBatchHasNoTimestampTheClockCounts) {
    append_stamped({-1});
    append_stamped(noon_and(100 * age));
    EXPECT_EQ(extents(), (Bases{0}));
    shard_.advance(std::chrono::milliseconds{age + 1});
    append_stamped({-1});
    append_stamped({-1});
    EXPECT_EQ(extents(), (Bases{0, 2}));
}

TEST_F(SegmentRoll, ARestartMakesASegmentNoYounger) {
    topic_stamps_log_append_time();
    append(one_record());
    shard_.advance(std::chrono::milliseconds{age / 2});
    ASSERT_TRUE(restart());
    append(one_record());
    EXPECT_EQ(extents(), (Bases{0}));
    shard_.advance(std::chrono::milliseconds{age / 2 + 1});
    ASSERT_TRUE(restart());
    append(one_record());
    EXPECT_EQ(extents(), (Bases{0, 2}));
}

TEST_F(SegmentRoll, AfterARestartTheAgeIsThatOfTheLastSegmentsFirstBatch) {
    append_stamped(noon_);
    append_stamped(noon_and(age + 1));
    append_stamped(noon_and(age + 100));
    ASSERT_TRUE(restart());
    append_stamped(noon_and(2 * age + 1));
    EXPECT_EQ(extents(), (Bases{0, 1}));
    append_stamped(noon_and(2 * age + 2));
    EXPECT_EQ(extents(), (Bases{0, 1, 4}));
}

}  // namespace
}  // namespace leat::broker
