// One partition of topic "t", behind the table of a broker with one shard that the test turns by
// hand. A turn of the loop runs what is posted; offloaded work is held until the workers are let
// to work, so that a story sees the moment between.
//
//   auto sent = send(one_record(), acks_all);
//   turn();                        // Appended, not synced.
//   EXPECT_TRUE(sent->waits());
//   workers_work();
//   EXPECT_EQ(sent->error(), ErrorCode::none);
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/broker/fetch.h"
#include "core/broker/partition_table.h"
#include "core/logging/logger.h"
#include "core/wire/batch_builder.h"
#include "tests/broker/faulty_engine.h"

namespace leat::broker::testing {

using sdk::testing::ManualShard;
using wire::ErrorCode;

class RememberedLines final : public logging::Logger {
public:
    void log(logging::Level, std::string_view event,
             std::span<const logging::Field> fields) override {
        lines_ += event;
        for (const auto& [name, value] : fields)
            lines_.append(" " + std::string{name} + "=" + value);
        lines_ += "\n";
    }
    bool keeps(logging::Level) const override { return true; }
    bool say(const std::string& what) const { return lines_.find(what) != std::string::npos; }
    const std::string& all() const { return lines_; }

private:
    std::string lines_;
};

class OneShard final : public runtime::Shards {
public:
    explicit OneShard(sdk::Shard& shard) : shard_{shard} {}
    std::size_t count() const override { return 1; }
    sdk::Shard& at(std::size_t) override { return shard_; }

private:
    sdk::Shard& shard_;
};

// What became of a request.
struct Sent {
    std::optional<AppendOutcome> outcome;
    bool waits() const { return !outcome; }
    ErrorCode error() const { return outcome ? outcome->error : ErrorCode::unknown_server_error; }
    sdk::Offset base() const { return outcome ? outcome->base : sdk::Offset{-2}; }
};
struct Fetched {
    std::optional<ReadOutcome> outcome;
    bool waits() const { return !outcome; }
    ErrorCode error() const { return outcome ? outcome->error : ErrorCode::unknown_server_error; }
};

class PartitionBed : public ::testing::Test {
protected:
    using Bytes = std::vector<std::byte>;
    enum class Acks { none, leader, all };

    explicit PartitionBed(ManualShard::Time time = ManualShard::Time::manual,
                          ManualShard::Work work = ManualShard::Work::held)
        : shard_{time, work} {
        setup_ = {
            .id = {key_.topic_id, "t", key_.index},
            .self = {1},
            .state = {.replicas = {{1}}, .in_sync = {{1}}, .leader = {{1}}, .leader_epoch = {0}},
            .engine_name = "faulty",
            .engine = &engine_,
            .policy_name = "holding",
            .policy = &policy_};
        start();
    }
    ~PartitionBed() override { stop(); }

    // The broker's life: partitions are opened on first use.
    void start() {
        tables_ = std::make_unique<PartitionTables>(shards_);
        tables_->add(std::make_unique<PartitionTable>(
            shard_, tables_->open_logs(), lines_, [this](const PartitionKey&) { return made(); }));
    }
    void begin_to_stop() {
        ended_well_.reset();
        table().close_all([this](bool well) { ended_well_ = well; });
    }
    // Whether all of it ended well.
    bool has_stopped() {
        EXPECT_TRUE(comes_to([this] { return ended_well_.has_value(); })) << "it stays open";
        return ended_well_.value_or(false);
    }
    bool stop() {
        begin_to_stop();
        return has_stopped();
    }
    bool restart() {
        const bool well = stop();
        start();
        return well;
    }
    void topic_is_deleted() {
        exists_ = false;
        table().removed(setup_.id, "faulty", engine_);
    }

    // Tasks only, and the timers that are due.
    void turn() { shard_.run_ready(); }
    void one_worker_works() {
        turn();
        shard_.run_work();
        turn();
    }
    void workers_work() {
        do turn();
        while (shard_.run_work());
    }

    // All that workers and the shard can do done, or, if the workers are threads, enough of it.
    template <class Condition>
    bool comes_to(Condition condition) {
        workers_work();
        return shard_.run_until(condition);
    }

    wire::NewRecord record() const { return {.value = "v", .timestamp = shard_.wall_clock()}; }
    Bytes one_record() const { return wire::BatchBuilder{}.add(record()).build(); }
    Bytes stamped_by_client(sdk::Timestamp when) const {
        return wire::BatchBuilder{}.add({.value = "v", .timestamp = when}).build();
    }
    Bytes from_producer(std::int32_t sequence) const {
        return wire::BatchBuilder{
            {.producer_id = 7, .producer_epoch = 0, .base_sequence = sequence}}
            .add(record())
            .build();
    }

    std::shared_ptr<Sent> send(Bytes batch, Acks acks = Acks::leader) {
        auto owner = std::make_shared<Bytes>(std::move(batch));
        auto sent = std::make_shared<Sent>();
        table().append({key_},
                       {.owner = owner,
                        .records = std::span{*owner},
                        .wait_for_commit = acks == Acks::all,
                        .acknowledged = acks != Acks::none},
                       [sent](AppendOutcome outcome) { sent->outcome = std::move(outcome); });
        return sent;
    }
    // Sent, and all that follows from it done.
    Sent produce(Bytes batch, Acks acks = Acks::leader) {
        const auto sent = send(std::move(batch), acks);
        workers_work();
        return *sent;
    }
    // One that waits for a byte, if there is none at `from`.
    std::shared_ptr<Fetched> fetch(std::int64_t from) {
        auto fetched = std::make_shared<Fetched>();
        FetchRequest request{
            .items = {{.partition = {key_}, .read = {.from = {from}, .max_bytes = 1 << 20}}},
            .max_bytes = 1 << 20,
            .min_bytes = 1,
            .max_wait = std::chrono::hours{1}};
        std::make_shared<FetchOperation>(*tables_, 0, std::move(request),
                                         [fetched](std::vector<ReadOutcome> outcomes) {
                                             fetched->outcome = std::move(outcomes.at(0));
                                         })
            ->start();
        return fetched;
    }

    // Where the engine's extents begin.
    std::vector<std::int64_t> extents() const {
        std::vector<std::int64_t> bases;
        for (const auto& extent : engine_.kept().log->extents()) bases.push_back(extent.base.value);
        return bases;
    }
    // One above the last record that the engine has.
    std::int64_t stored_end() const { return engine_.kept().log->bounds().end.value; }

    PartitionTables& tables() { return *tables_; }
    PartitionTable& table() { return tables_->at(0); }

    const PartitionKey key_{{{1}}, 0};
    ManualShard shard_;
    OneShard shards_{shard_};
    sdk::testing::ManualContext context_{shard_};
    RememberedLines lines_;
    FaultyEngine engine_{context_};
    FaultyPolicy policy_;
    PartitionSetup setup_;
    bool exists_ = true;

private:
    std::variant<PartitionSetup, ErrorCode> made() const {
        if (!exists_) return ErrorCode::unknown_topic_or_partition;
        return setup_;
    }

    std::unique_ptr<PartitionTables> tables_;
    std::optional<bool> ended_well_;
};

}  // namespace leat::broker::testing
