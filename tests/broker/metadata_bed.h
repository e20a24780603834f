// A broker's Metadata over the misbehaving model store, on shards that the test turns by hand.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/broker/metadata.h"
#include "core/runtime/shards.h"
#include "leat/sdk/testing/coordination_model.h"
#include "leat/sdk/testing/manual_shard.h"

namespace leat::broker::testing {

class OneReplica : public sdk::ReplicationPolicy {
public:
    sdk::Offset high_watermark(const sdk::LeaderView& view) const override { return view.log_end; }
    sdk::AckDecision before_append(const sdk::LeaderView&) const override {
        return sdk::AckDecision::satisfied;
    }
    sdk::AckDecision acknowledge(const sdk::LeaderView&, sdk::Offset) const override {
        return sdk::AckDecision::satisfied;
    }
    std::optional<std::vector<sdk::NodeId>> in_sync_change(const sdk::LeaderView&) const override {
        return std::nullopt;
    }
    sdk::ElectionEvidence evidence() const override { return sdk::ElectionEvidence::none; }
    sdk::PartitionState elect(const sdk::ElectionView& view) const override { return view.state; }
    sdk::Result<sdk::PartitionState> initial(std::vector<sdk::NodeId> replicas) const override {
        if (replicas.size() != 1) {
            return sdk::Error{sdk::Errc::invalid_argument, "This policy keeps one replica."};
        }
        return sdk::PartitionState{.replicas = replicas,
                                   .in_sync = replicas,
                                   .eligible = {},
                                   .leader = replicas[0],
                                   .leader_epoch = sdk::LeaderEpoch{0}};
    }
};

// One thread, one virtual time, several shards: tasks of all of them run in one order.
class TestShards final : public runtime::Shards {
public:
    explicit TestShards(std::size_t count) : shards_(count) {}
    std::size_t count() const override { return shards_.size(); }
    sdk::Shard& at(std::size_t index) override { return shards_[index]; }
    sdk::testing::ManualShard& home() { return shards_[0]; }

    void settle() {
        for (std::size_t ran = 1; ran > 0;) {
            ran = 0;
            for (auto& shard : shards_) ran += shard.run_ready();
        }
    }
    // Until it holds, at most a minute of virtual time.
    template <class Condition>
    bool run_until(Condition condition) {
        for (int i = 0; i < 6000; ++i) {
            settle();
            if (condition()) return true;
            for (auto& shard : shards_) shard.advance(std::chrono::milliseconds{10});
        }
        return false;
    }

private:
    std::deque<sdk::testing::ManualShard> shards_;
};

class TestListener final : public MetadataListener {
public:
    void topic_changed(const cluster::TopicImage* before, const cluster::TopicImage& now) override {
        if (before == nullptr) ++made;
        for (const auto& partition : now.partitions) {
            whole = whole && !partition.replicas.empty();
        }
    }
    void topic_removed(const cluster::TopicImage&) override { ++removed; }
    void standing_changed(Standing now) override { standings.push_back(now); }

    int made = 0;
    int removed = 0;
    bool whole = true;
    std::vector<Standing> standings;
};

// The directory and the random numbers of one broker: its second run has the same directory.
struct BrokerOptions {
    std::int32_t node = 1;
    std::uint8_t directory = 1;
    std::uint64_t seed = 1;
    bool auto_create = true;
    bool listens = true;  // If not, a test adds listeners of its own before any shard runs.
};

class TestBroker {
public:
    TestBroker(sdk::testing::CoordinationModel& model, BrokerOptions chosen,
               std::size_t shard_count = 2)
        : shards{shard_count},
          random_{chosen.seed},
          backend{std::make_unique<sdk::testing::ModelBackend>(model, shards.home())} {
        MetadataOptions options;
        options.self = sdk::NodeId{chosen.node};
        options.directory.bytes[0] = chosen.directory;
        options.endpoints = {{.listener = "plain", .host = "auto", .port = 9092}};
        options.auto_create = chosen.auto_create;
        options.template_for = [](std::string_view) {
            return TopicTemplate{.storage = "memory", .replication = "single"};
        };
        options.storages = {"memory"};
        options.policies = {{"single", &policy_}};
        options.make_uuid = [this] {
            sdk::Uuid made;
            for (auto& byte : made.bytes) byte = static_cast<std::uint8_t>(random_());
            return made;
        };
        options.complain = [this](const std::string& sentence) { complaints.push_back(sentence); };
        listeners = std::deque<TestListener>(shard_count);
        metadata = std::make_unique<Metadata>(*backend, shards, std::move(options));
        for (std::size_t i = 0; i < shard_count && chosen.listens; ++i)
            metadata->listen(i, listeners[i]);
        metadata->start([this](sdk::Status status) { ready = status; });
    }
    ~TestBroker() {
        metadata->stop([] {});
        shards.settle();
    }

    bool becomes_ready() {
        if (!shards.run_until([&] { return ready.has_value(); })) return false;
        return ready->has_value();
    }

    std::vector<cluster::CreatedTopic> create(cluster::CreateTopics request) {
        std::optional<std::vector<cluster::CreatedTopic>> answer;
        metadata->create_topics(std::move(request), shards.at(shards.count() - 1),
                                [&](auto created) { answer = std::move(created); });
        shards.run_until([&] { return answer.has_value(); });
        return answer.value();
    }
    cluster::CreatedTopic create(const std::string& name, std::int32_t partitions = 1) {
        return create({.topics = {{.name = name, .partitions = partitions}}}).at(0);
    }
    cluster::DeletedTopic remove(cluster::TopicToDelete topic) {
        std::optional<std::vector<cluster::DeletedTopic>> answer;
        metadata->delete_topics({std::move(topic)}, 30'000, shards.at(0),
                                [&](auto deleted) { answer = std::move(deleted); });
        shards.run_until([&] { return answer.has_value(); });
        return answer.value().at(0);
    }
    cluster::ChangedTopic grow(const std::string& topic, std::int32_t count) {
        std::optional<std::vector<cluster::ChangedTopic>> answer;
        metadata->create_partitions({.topics = {{.topic = topic, .count = count}}}, shards.at(0),
                                    [&](auto changed) { answer = std::move(changed); });
        shards.run_until([&] { return answer.has_value(); });
        return answer.value().at(0);
    }
    cluster::ChangedTopic configure(const std::string& topic, const std::string& name,
                                    const std::string& value) {
        std::optional<std::vector<cluster::ChangedTopic>> answer;
        metadata->alter_configs(
            {.topics = {{.topic = topic, .changes = {{.name = name, .value = value}}}}},
            shards.at(0), [&](auto changed) { answer = std::move(changed); });
        shards.run_until([&] { return answer.has_value(); });
        return answer.value().at(0);
    }
    Metadata::ProducerId producer_id() {
        std::optional<Metadata::ProducerId> answer;
        metadata->allocate_producer_id(shards.at(0), [&](auto id) { answer = id; });
        shards.run_until([&] { return answer.has_value(); });
        return answer.value();
    }
    const cluster::Image& image(std::size_t shard = 0) const { return metadata->image(shard); }

    TestShards shards;
    std::optional<sdk::Status> ready;
    std::deque<TestListener> listeners;
    std::vector<std::string> complaints;

private:
    std::mt19937_64 random_;
    OneReplica policy_;

public:
    std::unique_ptr<sdk::testing::ModelBackend> backend;
    std::unique_ptr<Metadata> metadata;
};

}  // namespace leat::broker::testing
