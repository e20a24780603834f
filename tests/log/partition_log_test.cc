// A partition's life as its leader decides it: offsets, duplicates, seals, failures, recovery.
#include "core/log/partition_log.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/log/driven_partition.h"

namespace leat::log {
namespace {

TEST(PartitionLog, StampsOffsetsAndItsEpochInPlace) {
    DrivenPartition partition;
    partition.produce(batch_of(3));
    const auto second = std::get<Prepared>(partition.produce(batch_of(2)));

    EXPECT_EQ(second.batch.base, Offset{3});
    EXPECT_EQ(second.batch.next, Offset{5});
    const BatchView stored{partition.log.at({3})};
    EXPECT_EQ(stored.base_offset(), Offset{3});
    EXPECT_EQ(stored.leader_epoch(), LeaderEpoch{3});
    EXPECT_TRUE(stored.crc_matches());
    EXPECT_EQ(partition.machine.end(), Offset{5});
}

TEST(PartitionLog, AnswersEachOfTheLastFiveBatchesAsItDidTheFirstTime) {
    DrivenPartition partition;
    for (int sequence = 0; sequence < 6; ++sequence) partition.produce(from_producer(sequence));
    for (int sequence = 1; sequence < 6; ++sequence) {
        const auto again = std::get<Duplicate>(partition.produce(from_producer(sequence)));
        EXPECT_EQ(again.base, Offset{sequence});
    }
    const auto older = std::get<AppendError>(partition.produce(from_producer(0)));
    EXPECT_EQ(older.code, ErrorCode::out_of_order_sequence_number);
    EXPECT_EQ(partition.machine.end(), Offset{6});
}

TEST(PartitionLog, ForgetsWhatWasPreparedWhenTheAppendFails) {
    DrivenPartition partition;
    partition.produce(from_producer(0));
    Bytes first = from_producer(1), second = from_producer(2);
    ASSERT_TRUE(std::holds_alternative<Prepared>(
        partition.machine.prepare(std::span{first}, {}, noon)));
    ASSERT_TRUE(std::holds_alternative<Prepared>(
        partition.machine.prepare(std::span{second}, {}, noon)));
    EXPECT_EQ(partition.machine.prepared_end(), Offset{3});

    partition.machine.append_failed();

    EXPECT_EQ(partition.machine.prepared_end(), Offset{1});
    const auto retried = std::get<Prepared>(partition.produce(from_producer(1)));
    EXPECT_EQ(retried.batch.base, Offset{1});
}

TEST(PartitionLog, KeepsTheWindowAcrossAKillAndACleanStop) {
    const auto size = from_producer(0).size();
    DrivenPartition partition{{.segment_bytes = 3 * size}};
    for (int sequence = 0; sequence < 8; ++sequence) partition.produce(from_producer(sequence));
    EXPECT_EQ(partition.seals, 2);

    for (const bool clean : {false, true}) {
        if (clean) partition.carry_out(partition.machine.checkpoint());
        const auto recovered = partition.restart();
        EXPECT_EQ(recovered.replayed_from, Offset{clean ? 8 : 6});
        for (int sequence = 3; sequence < 8; ++sequence) {
            const auto again = std::get<Duplicate>(partition.produce(from_producer(sequence)));
            EXPECT_EQ(again.base, Offset{sequence});
        }
    }
}

TEST(PartitionLog, EndsAnExtentThatIsOlderThanWhatComes) {
    const auto seals = [](Timestamp first, Timestamp coming, Timestamp wall) {
        PartitionLog machine{{.segment_ms = 1000}};
        machine.open({{0}, {5}, {5}}, sdk::Extent{.base = {0}, .next = {5}, .bytes = 100},
                     {.first_batch = first, .begun = noon});
        machine.lead({0});
        Bytes bytes = BatchBuilder{}.add({.key = "key", .timestamp = coming}).build();
        const BatchRules any_time{.timestamp_after_max_ms = INT64_MAX};
        auto outcome = machine.prepare(std::span{bytes}, any_time, wall);
        return std::get<Prepared>(outcome).seal_first.has_value();
    };
    constexpr Timestamp later{noon.value + 1001}, none{-1}, end_of_time{INT64_MAX};
    EXPECT_TRUE(seals(noon, later, noon));
    EXPECT_FALSE(seals(noon, {later.value - 1}, later));
    EXPECT_FALSE(seals(noon, none, later));
    EXPECT_TRUE(seals({0}, end_of_time, noon));
    EXPECT_FALSE(seals(end_of_time, none, later));
    EXPECT_TRUE(seals(none, none, later));
    EXPECT_FALSE(seals(none, end_of_time, {later.value - 1}));
}

TEST(PartitionLog, EndsAnExtentBeforeItsRelativeOffsetsOverflow) {
    PartitionLog machine{{}};
    constexpr std::int64_t far = 3'000'000'000;
    machine.open({{0}, {far}, {far}}, sdk::Extent{.base = {0}, .next = {far}, .bytes = 100}, {});
    machine.lead({0});
    Bytes bytes = batch_of(1);
    const auto prepared = std::get<Prepared>(machine.prepare(std::span{bytes}, {}, noon));
    ASSERT_TRUE(prepared.seal_first);
    EXPECT_EQ(prepared.seal_first->at, Offset{far});
}

TEST(PartitionLog, RefusesABatchThatFitsNoSegment) {
    DrivenPartition partition{{.segment_bytes = 100}};
    const auto refused = std::get<AppendError>(partition.produce(batch_of(3)));
    EXPECT_EQ(refused.code, ErrorCode::record_list_too_large);
    EXPECT_EQ(partition.machine.end(), Offset{0});
}

TEST(PartitionLog, AnswersADuplicateWithTheAppendTimeOfTheOriginal) {
    DrivenPartition partition;
    const BatchRules by_append{.timestamp_type = TimestampType::log_append_time};
    const auto first = std::get<Prepared>(partition.produce(from_producer(0), by_append));
    EXPECT_EQ(first.append_time, noon);
    EXPECT_TRUE(BatchView{partition.log.at({0})}.log_append_time());
    const auto again = std::get<Duplicate>(
        partition.produce(from_producer(0), by_append, {noon.value + 500}));
    EXPECT_EQ(again.append_time, noon);
    EXPECT_EQ(std::get<Duplicate>(partition.produce(from_producer(0))).append_time, Timestamp{-1});
}

TEST(PartitionLog, StoresTheCorrectedMaximumOfABatchThatLiedAboutIt) {
    DrivenPartition partition;
    Bytes lie = batch_of(1);
    wire::MutableBatchView{lie}.set_create_time({-1});
    partition.produce(lie);
    const BatchView stored{partition.log.at({0})};
    EXPECT_EQ(stored.max_timestamp(), noon);
    EXPECT_TRUE(stored.crc_matches());
}

TEST(PartitionLog, RollsBackOnlyWhatComesAfterTheSealWhenTheSecondAppendFails) {
    const auto size = from_producer(0).size();
    PartitionLog machine{{.segment_bytes = 2 * size}};
    machine.open({}, std::nullopt, {});
    machine.lead({0});
    std::vector<Bytes> sent;
    for (int sequence = 0; sequence < 3; ++sequence) sent.push_back(from_producer(sequence));
    for (auto& bytes : sent) {
        const auto prepared = std::get<Prepared>(machine.prepare(std::span{bytes}, {}, noon));
        EXPECT_EQ(prepared.seal_first.has_value(), &bytes == &sent.back());
    }
    machine.appended(2);
    EXPECT_EQ(machine.end(), Offset{2});
    machine.append_failed();
    EXPECT_EQ(machine.end(), Offset{2});
    EXPECT_EQ(machine.prepared_end(), Offset{2});
    EXPECT_EQ(machine.producers().find(7)->newest()->last_sequence, 1);
    Bytes again = from_producer(2);
    const auto retried = std::get<Prepared>(machine.prepare(std::span{again}, {}, noon));
    EXPECT_FALSE(retried.seal_first);  // The seal was done.
    EXPECT_EQ(retried.batch.base, Offset{2});
}

TEST(PartitionLog, TakesCopiesWithTheEpochsAndOffsetsOfTheirLeader) {
    PartitionLog follower{{}};
    follower.open({}, std::nullopt, {});
    const Bytes first = batch_of(2, {.base_offset = {0}, .leader_epoch = {1}});
    const Bytes gap = batch_of(1, {.base_offset = {10}, .leader_epoch = {4}});
    ASSERT_TRUE(follower.prepare_copy(first, noon));
    ASSERT_TRUE(follower.prepare_copy(gap, noon));
    follower.appended(2);
    EXPECT_EQ(follower.end(), Offset{11});
    EXPECT_EQ(follower.epochs().encode(), "0\n2\n1 0\n4 10\n");

    EXPECT_FALSE(follower.prepare_copy(gap, noon));  // Again.
    const Bytes older = batch_of(1, {.base_offset = {11}, .leader_epoch = {3}});
    EXPECT_FALSE(follower.prepare_copy(older, noon));
    Bytes damaged = batch_of(1, {.base_offset = {11}, .leader_epoch = {4}});
    damaged.back() ^= std::byte{1};
    EXPECT_FALSE(follower.prepare_copy(damaged, noon));
    const Bytes lost = batch_of(1, {.base_offset = {11}, .leader_epoch = {5}});
    ASSERT_TRUE(follower.prepare_copy(lost, noon));
    follower.append_failed();
    EXPECT_EQ(follower.epochs().latest(), LeaderEpoch{4});
}

TEST(PartitionLog, FollowsATruncationAndATrim) {
    DrivenPartition partition;
    for (int sequence = 0; sequence < 6; ++sequence) partition.produce(from_producer(sequence));
    partition.machine.truncate({4}, sdk::Extent{.base = {0}, .next = {4}, .bytes = 400}, {});
    EXPECT_EQ(partition.machine.end(), Offset{4});
    EXPECT_EQ(partition.machine.producers().find(7)->newest()->last_sequence, 3);
    partition.machine.trim({2});
    EXPECT_EQ(partition.machine.begin(), Offset{2});
    EXPECT_EQ(partition.machine.epochs().entries()[0].start, Offset{2});
    partition.machine.trim({9});
    EXPECT_EQ(partition.machine.end(), Offset{9});
}

}  // namespace
}  // namespace leat::log
