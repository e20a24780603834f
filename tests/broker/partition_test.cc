// One partition over the memory engine, on a shard that the test turns by hand.
#include "core/broker/partition.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "core/logging/logger.h"
#include "core/wire/batch_builder.h"
#include "leat/sdk/plugin.h"
#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"

extern "C" const leat::sdk::PluginInfo leat_plugin_v1_memory;
extern "C" const leat::sdk::PluginInfo leat_plugin_v1_single;

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using wire::ErrorCode;

class Silence final : public logging::Logger {
public:
    void log(logging::Level, std::string_view, std::span<const logging::Field>) override {}
    bool keeps(logging::Level) const override { return false; }
};

// Takes what a plugin registers.
struct Taken final : sdk::Registrar {
    void storage_engine(sdk::StorageDeclaration made) override { storage = std::move(made); }
    void coordination_backend(sdk::CoordinationDeclaration) override {}
    void replication_policy(sdk::ReplicationDeclaration made) override {
        replication = std::move(made);
    }
    sdk::StorageDeclaration storage;
    sdk::ReplicationDeclaration replication;
};

class PartitionTest : public testing::Test {
protected:
    PartitionTest() {
        Taken taken;
        leat_plugin_v1_memory.enroll(taken);
        leat_plugin_v1_single.enroll(taken);
        engine_ = *taken.storage.make(context_, {});
        policy_ = *taken.replication.make(context_, {});
        partition_ = std::make_unique<Partition>(
            PartitionSetup{.id = {{{1}}, "t", 0},
                           .self = {1},
                           .state = {.replicas = {{1}},
                                     .in_sync = {{1}},
                                     .leader = {{1}},
                                     .leader_epoch = {0}},
                           .engine_name = "memory",
                           .engine = engine_.get(),
                           .policy = policy_.get(),
                           .log = {.producers = {.expiration_ms = 60'000}}},
            shard_, logger_);
        shard_.run_ready();
    }
    ~PartitionTest() override {
        partition_->close(ErrorCode::not_leader_or_follower, false, [](bool) {});
        shard_.run_ready();
    }

    // The outcome of one record of producer 7 with this sequence.
    AppendOutcome append(std::int32_t sequence) {
        wire::BatchBuilder builder{
            {.producer_id = 7, .producer_epoch = 0, .base_sequence = sequence}};
        auto batch = builder.add({.value = "v", .timestamp = shard_.wall_clock()}).build();
        std::optional<AppendOutcome> outcome;
        partition_->append({.records = std::span{batch}},
                           [&outcome](AppendOutcome came) { outcome = std::move(came); });
        shard_.run_ready();
        return outcome.value_or(AppendOutcome{.error = ErrorCode::unknown_server_error});
    }

    sdk::testing::ManualShard shard_;
    sdk::testing::ManualContext context_{shard_};
    Silence logger_;
    std::unique_ptr<sdk::StorageEngine> engine_;
    std::unique_ptr<sdk::ReplicationPolicy> policy_;
    std::unique_ptr<Partition> partition_;
};

TEST_F(PartitionTest, AGapInAProducersSequencesIsRefused) {
    EXPECT_EQ(append(0).base, sdk::Offset{0});
    EXPECT_EQ(append(5).error, ErrorCode::out_of_order_sequence_number);
    EXPECT_EQ(append(1).base, sdk::Offset{1});
}

TEST_F(PartitionTest, AProducerThatWasSilentForTooLongIsForgotten) {
    EXPECT_EQ(append(0).base, sdk::Offset{0});
    shard_.advance(61s);
    EXPECT_EQ(append(5).error, ErrorCode::none) << "one that is not known may begin anywhere";
}

TEST_F(PartitionTest, WhatIsAcknowledgedCanBeReadAtOnce) {
    EXPECT_EQ(append(0).error, ErrorCode::none);
    const auto read = partition_->read({.from = {0}, .max_bytes = 1 << 20}, [] {});
    ASSERT_TRUE(read);
    EXPECT_EQ(read->high_watermark, sdk::Offset{1});
    EXPECT_GT(read->bytes, 0u);
}

}  // namespace
}  // namespace leat::broker
