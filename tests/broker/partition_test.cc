// What clients see of one partition where nothing goes wrong.
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using wire::ErrorCode;

class PartitionTest : public testing::PartitionBed {
protected:
    PartitionTest() { setup_.log.producers.expiration_ms = 60'000; }
};

TEST_F(PartitionTest, AGapInAProducersSequencesIsRefused) {
    EXPECT_EQ(produce(from_producer(0)).base(), sdk::Offset{0});
    EXPECT_EQ(produce(from_producer(5)).error(), ErrorCode::out_of_order_sequence_number);
    EXPECT_EQ(produce(from_producer(1)).base(), sdk::Offset{1});
}

TEST_F(PartitionTest, AProducerThatWasSilentForTooLongIsForgotten) {
    EXPECT_EQ(produce(from_producer(0)).base(), sdk::Offset{0});
    shard_.advance(61s);
    EXPECT_EQ(produce(from_producer(5)).error(), ErrorCode::none)
        << "one that is not known may begin anywhere";
}

TEST_F(PartitionTest, AWallClockThatIsSetForwardMakesNoProducerForgotten) {
    EXPECT_EQ(produce(from_producer(0)).base(), sdk::Offset{0});
    shard_.set_wall_clock_ahead(24h * 365);
    EXPECT_EQ(produce(from_producer(0)).base(), sdk::Offset{0}) << "a duplicate";
    EXPECT_EQ(produce(from_producer(1)).base(), sdk::Offset{1});
    shard_.advance(61s);
    EXPECT_EQ(produce(from_producer(5)).error(), ErrorCode::none)
        << "silent for too long all the same";
}

TEST_F(PartitionTest, AWallClockThatIsSetBackLetsProducersAge) {
    EXPECT_EQ(produce(from_producer(0)).base(), sdk::Offset{0});
    shard_.set_wall_clock_ahead(-24h * 365);
    shard_.advance(61s);
    EXPECT_EQ(produce(from_producer(5)).error(), ErrorCode::none);
}

TEST_F(PartitionTest, WhatIsAcknowledgedCanBeReadAtOnce) {
    EXPECT_EQ(produce(one_record()).error(), ErrorCode::none);
    const auto fetched = fetch(0);
    ASSERT_FALSE(fetched->waits());
    EXPECT_EQ(fetched->outcome->high_watermark, sdk::Offset{1});
    EXPECT_GT(fetched->outcome->bytes, 0u);
}

TEST_F(PartitionTest, WhatComesInOneTurnIsOneAppend) {
    produce(one_record());
    const auto first = send(one_record());
    const auto second = send(one_record());
    turn();
    EXPECT_EQ(first->base(), sdk::Offset{1});
    EXPECT_EQ(second->base(), sdk::Offset{2});
    EXPECT_EQ(engine_.faults.calls("append"), 2);
}

TEST_F(PartitionTest, ARestartKeepsRecordsAndProducers) {
    produce(from_producer(0));
    produce(from_producer(1));
    ASSERT_TRUE(restart());
    EXPECT_EQ(produce(from_producer(1)).base(), sdk::Offset{1}) << "a duplicate";
    EXPECT_EQ(produce(from_producer(2)).base(), sdk::Offset{2});
}

TEST_F(PartitionTest, ANewEpochDoesNotDisturbWhatIsOnItsWayIntoTheLog) {
    produce(one_record());
    const auto sent = send(one_record());
    setup_.state.leader_epoch = {1};
    table().changed(key_);
    EXPECT_EQ(sent->base(), sdk::Offset{1}) << "it was accepted under the epoch of before";
    EXPECT_EQ(produce(one_record()).base(), sdk::Offset{2});
    std::optional<log::EpochEnd> end;
    table().with_open(key_, [&](Partition* open, ErrorCode) { end = open->end_offset_for({0}); });
    EXPECT_EQ(end->end, sdk::Offset{2});
}

}  // namespace
}  // namespace leat::broker
