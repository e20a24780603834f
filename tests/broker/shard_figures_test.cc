// What is counted of partitions and of calls into plugins.
#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using wire::ErrorCode;

class ShardFiguresTest : public testing::PartitionBed {
protected:
    const StorageFigures& storage() { return table().figures().storage.at("faulty"); }
    const metrics::PluginCalls& policy() { return table().figures().replication.at("holding"); }
    const Traffic& traffic() { return table().made(key_)->traffic(); }
};

TEST_F(ShardFiguresTest, WhatIsAppendedIsCountedOnceItIsInTheLog) {
    const auto batch = from_producer(0);
    produce(batch);
    EXPECT_EQ(traffic().bytes_in, batch.size());
    EXPECT_EQ(traffic().records_in, 1u);
    produce(batch);  // A duplicate.
    EXPECT_EQ(traffic().records_in, 1u);
    engine_.faults.fail("append", sdk::Errc::no_space);
    produce(from_producer(1));
    EXPECT_EQ(traffic().records_in, 1u);
    EXPECT_EQ(traffic().bytes_in, batch.size());
}

TEST_F(ShardFiguresTest, WhatAFetchLooksAtSeveralTimesIsCountedOnce) {
    const auto batch = one_record();
    produce(batch);
    FetchRequest request{
        .items = {{.partition = {key_}, .read = {.from = {0}, .max_bytes = 1 << 20}}},
        .max_bytes = 1 << 20,
        .min_bytes = 3 * batch.size(),
        .max_wait = 1h};
    std::size_t bytes = 0;
    std::make_shared<FetchOperation>(
        tables(), 0, std::move(request),
        [&](std::vector<ReadOutcome> outcomes) { bytes = outcomes.at(0).bytes; })
        ->start();
    turn();
    produce(one_record());
    EXPECT_EQ(bytes, 0u) << "it waits for more";
    produce(one_record());
    ASSERT_EQ(bytes, 3 * batch.size());
    EXPECT_EQ(traffic().bytes_out, bytes);
    fetch(0);
    EXPECT_EQ(traffic().bytes_out, 2 * bytes);
}

TEST_F(ShardFiguresTest, CallsAndFailuresAreCountedByInstanceOnShardsAndWorkers) {
    produce(one_record());
    const auto before = storage().calls;
    EXPECT_GT(before.calls, 2u);  // At least open, append and bounds.
    EXPECT_EQ(before.errors, 0u);
    EXPECT_GT(policy().calls, 0u);
    engine_.faults.throw_from("append");
    produce(one_record());
    EXPECT_EQ(storage().calls.errors, 1u);
    EXPECT_GT(storage().calls.calls, before.calls);
    restart();
    EXPECT_TRUE(table().figures().storage.empty()) << "a start counts anew";
    engine_.faults.fail("open", sdk::Errc::io);
    produce(one_record());
    EXPECT_EQ(storage().calls.errors, 1u) << "a worker's call";
}

TEST_F(ShardFiguresTest, EachSyncIsTimed) {
    setup_.flush.kind = FlushPromise::Kind::each;
    produce(one_record());
    produce(one_record());
    EXPECT_EQ(storage().syncs.count(), 2u);
}

TEST_F(ShardFiguresTest, ACallThatHoldsUpTheShardIsAStall) {
    produce(one_record());
    EXPECT_EQ(storage().calls.stalls, 0u);
    engine_.mood.within_a_call = [this] { shard_.time_passes(11ms); };
    produce(one_record());
    EXPECT_EQ(storage().calls.stalls, 1u);
    engine_.mood.within_a_call = [this] { shard_.time_passes(11ms); };
    fetch(0);
    EXPECT_EQ(storage().calls.stalls, 2u);
    engine_.mood.within_a_call = [this] { shard_.time_passes(9ms); };
    fetch(0);
    EXPECT_EQ(storage().calls.stalls, 2u);
}

TEST_F(ShardFiguresTest, WhatADeletedTopicTookStaysInTheSumOfAll) {
    produce(one_record());
    const Traffic was = traffic();
    topic_is_deleted();
    workers_work();
    EXPECT_EQ(table().made(key_), nullptr);
    EXPECT_TRUE(table().keys().empty());
    EXPECT_EQ(table().figures().gone.bytes_in, was.bytes_in);
    EXPECT_EQ(table().figures().gone.records_in, was.records_in);
}

}  // namespace
}  // namespace leat::broker
