// A partition's folder that another cluster wrote, and the producer ids that are in it.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "core/broker/partition_table.h"
#include "core/broker/shard_broker.h"
#include "core/cluster/bootstrap.h"
#include "tests/broker/partition_on_disk.h"

namespace leat::broker {
namespace {

using namespace testing;
using sdk::testing::CoordinationModel;
using wire::ErrorCode;

// A broker with one topic, "t", over the disk. The folder of its partition may be there before.
class WholeBroker {
public:
    WholeBroker(CoordinationModel& model, std::shared_ptr<SimulatedDisk> disk)
        : broker{model, {.listens = false}, 1},
          context_{broker.shards.home(), "/d"},
          tables_{broker.shards} {
        engine_ = std::make_unique<LoadingEngine>(
            std::move(*segment::SegmentEngine::start(context_, disk, {})), disk);
        instances_.storage["memory"] = engine_.get();  // As TestBroker's template has it.
        instances_.replication["single"] = &policy_;
        shard_broker_.emplace(*broker.metadata, tables_, broker.shards, instances_, logger_,
                              ShardBrokerOptions{.self = {1}});
        EXPECT_TRUE(broker.becomes_ready());
        const auto made = broker.create("t").error;
        EXPECT_TRUE(made == ErrorCode::none || made == ErrorCode::topic_already_exists);
        key_ = {broker.image().topic("t")->id, 0};
    }
    ~WholeBroker() {
        tables_.at(0).close_all([](bool) {});
        broker.metadata->stop([] {});
        broker.shards.settle();
    }

    // Opens the partition if need be.
    AppendOutcome append(std::int64_t producer, std::int32_t sequence) {
        wire::BatchBuilder builder{
            {.producer_id = producer, .producer_epoch = 0, .base_sequence = sequence}};
        auto batch =
            builder.add({.value = "v", .timestamp = broker.shards.home().wall_clock()}).build();
        std::optional<AppendOutcome> outcome;
        tables_.at(0).append({key_}, {.records = std::span{batch}},
                             [&](AppendOutcome came) { outcome = std::move(came); });
        broker.shards.run_until([&] { return outcome.has_value(); });
        return outcome.value();
    }
    std::int64_t new_id() {
        const auto got = broker.producer_id();
        EXPECT_EQ(got.error, ErrorCode::none);
        return got.id;
    }

    TestBroker broker;

private:
    sdk::testing::ManualContext context_;
    std::unique_ptr<sdk::StorageEngine> engine_;
    OneReplica policy_;
    LastLine logger_;
    PluginInstances instances_;
    PartitionTables tables_;
    std::optional<ShardBroker> shard_broker_;
    PartitionKey key_;
};

// One batch, sequence 0, of each of these producers; of a topic whose id is not in the folder.
std::shared_ptr<SimulatedDisk> folder_with(const std::vector<std::int64_t>& producers) {
    auto disk = empty_disk();
    PartitionOnDisk elsewhere{disk, {.topic_id = {}}};
    for (const std::int64_t id : producers) {
        EXPECT_EQ(elsewhere.append(id, 0).error, ErrorCode::none);
    }
    return disk;
}

TEST(AdoptedFolder, HoldsNoIdThatWasHandedOutBeforeItWasOpened) {
    CoordinationModel model;
    WholeBroker whole{model, folder_with({0, 1, 2, 3})};  // Apache Kafka counts from 0.
    const std::int64_t ours = whole.new_id();
    // Were ours one of them, this would be taken for a copy of what is there, and be lost.
    EXPECT_EQ(whole.append(ours, 0).base, sdk::Offset{4});
    EXPECT_EQ(whole.append(1, 0).base, sdk::Offset{1}) << "theirs are remembered";
    EXPECT_EQ(whole.new_id(), ours + 1) << "theirs are lower: nothing changes";
}

TEST(AdoptedFolder, OnlyIdsAboveThoseInItAreHandedOutOnceItIsOpen) {
    CoordinationModel model;
    std::int64_t theirs = 0;
    {
        WholeBroker before{model, empty_disk()};
        theirs = before.new_id() + 5;  // In our own block: it can only be by a rare chance.
    }
    for (const std::int64_t above : {std::int64_t{0}, 10 * cluster::producer_id_block}) {
        WholeBroker whole{model, folder_with({theirs + above})};
        EXPECT_NE(whole.append(3, 0).error, ErrorCode::unknown_server_error);
        const std::int64_t ours = whole.new_id();
        EXPECT_GT(ours, theirs + above);
        EXPECT_EQ(whole.append(ours, 0).error, ErrorCode::none);
    }
    WholeBroker later{model, empty_disk()};
    EXPECT_GT(later.new_id(), theirs + 10 * cluster::producer_id_block) << "the store knows";
}

TEST(AdoptedFolder, TheRestOfABlockBelowItsIdsIsNotHandedOut) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    const std::int64_t first = broker.producer_id().id;
    broker.metadata->found_producer_id(first + 500);
    EXPECT_EQ(broker.producer_id().id, first + 501);
    broker.metadata->found_producer_id(first + 100);
    EXPECT_EQ(broker.producer_id().id, first + 502);
    broker.metadata->found_producer_id(first + 5000);
    EXPECT_EQ(broker.producer_id().id, first + 5001);
}

TEST(AdoptedFolder, AnIdThatAClientMadeUpDoesNotUseUpAllOthers) {
    CoordinationModel model;
    constexpr auto last = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t made_up : {last, last - 1, cluster::made_up_producer_id - 1}) {
        WholeBroker whole{model, folder_with({made_up})};
        EXPECT_EQ(whole.append(3, 0).error, ErrorCode::none);
        for (int i = 0; i < 2 * cluster::producer_id_block; ++i) {
            const auto got = whole.broker.producer_id();
            ASSERT_EQ(got.error, ErrorCode::none);
            ASSERT_LT(got.id, last / 2);
        }
    }
}

TEST(AdoptedFolder, TwoClustersBeginWithIdsFarFromEachOther) {
    std::vector<std::int64_t> firsts;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CoordinationModel model;
        TestBroker broker{model, {.seed = seed}};
        ASSERT_TRUE(broker.becomes_ready());
        firsts.push_back(broker.producer_id().id);
    }
    std::sort(firsts.begin(), firsts.end());
    EXPECT_GE(firsts.front(), cluster::lowest_first_producer_id);
    EXPECT_LT(firsts.back(), cluster::highest_first_producer_id);
    for (std::size_t i = 1; i < firsts.size(); ++i) {
        EXPECT_GT(firsts[i] - firsts[i - 1], 1'000'000'000) << i;
    }
}

TEST(AdoptedFolder, AClusterThatCountedFrom0LeavesThoseIdsBehind) {
    CoordinationModel model;
    TestBroker broker{model, {}};
    ASSERT_TRUE(broker.becomes_ready());
    sdk::Transaction counted;
    counted.operations.emplace_back(
        sdk::Put{.key = std::string{cluster::keys::producer_ids},
                 .value = cluster::encode(cluster::ProducerIdsRecord{.next = 3000, .node = {1}})});
    broker.backend->commit(counted, [](const auto& outcome) { EXPECT_TRUE(outcome); });
    broker.shards.settle();
    EXPECT_GE(broker.producer_id().id, cluster::lowest_first_producer_id);
}

}  // namespace
}  // namespace leat::broker
