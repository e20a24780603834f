// One run of a broker: production drivers over a simulated process, put together as core/app does.
// It is made by start(), ends by stop() or kill(), and then another one is made over the same disk
// and store.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/api/drain.h"
#include "core/api/services.h"
#include "core/broker/assignor_runner.h"
#include "core/broker/metadata.h"
#include "core/broker/partition_table.h"
#include "core/broker/shard_broker.h"
#include "core/logging/logger.h"
#include "leat/sdk/testing/coordination_model.h"
#include "plugins/replication/single/single_policy.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/lone_thread.h"
#include "tests/simulation/network.h"
#include "tests/simulation/world.h"

namespace leat::simulation {

// The broker's log lines become part of the trace.
class TraceLogger final : public logging::Logger {
public:
    explicit TraceLogger(World& world) : world_{world} {}
    void log(logging::Level level, std::string_view event,
             std::span<const logging::Field> fields) override;
    bool keeps(logging::Level) const override { return true; }

private:
    World& world_;
};

// What its configuration file says.
struct BrokerSettings {
    groups::GroupLimits groups{};
    std::chrono::milliseconds assignor_budget{5'000};
    broker::TopicTemplate group_topic{.storage = "disk", .replication = "single"};
};

// What outlives a process.
struct Machine {
    World& world;
    SimDisk& disk;
    Wires& wires;
    sdk::testing::CoordinationModel& store;
    BrokerSettings settings;
    std::string cluster_id;  // Of meta.properties.
};

class BrokerProcess {
public:
    explicit BrokerProcess(Machine& machine);
    ~BrokerProcess();  // Kills what still runs.

    bool serving() const { return serving_; }
    bool stopped() const { return stopped_; }  // In order: it may be destroyed.
    sdk::testing::ModelBackend& store_session() { return *backend_; }
    // [shard] Those of that shard. While it serves.
    broker::GroupCoordinators& groups(std::size_t shard) { return shard_brokers_[shard]->groups(); }
    std::size_t shards() const { return shard_brokers_.size(); }
    const cluster::Image& image(std::size_t shard) const { return metadata_->image(shard); }

    void stop();
    void kill(bool with_the_machine);

private:
    void start();
    void make_shard_brokers();
    void serve();
    void tear_down();
    broker::TopicTemplate template_for(std::string_view topic) const;
    sdk::Uuid make_uuid();

    Machine& machine_;
    TraceLogger logger_;
    SimShards shards_;
    SimNetwork network_;
    SimEngine engine_;
    single::SinglePolicy policy_;
    broker::PluginInstances instances_;
    std::unique_ptr<sdk::testing::ModelBackend> backend_;
    std::optional<broker::PartitionTables> tables_;
    SimLoneThread assignor_thread_;
    std::optional<broker::AssignorRunner> assignors_;
    std::vector<std::unique_ptr<broker::ShardBroker>> shard_brokers_;
    std::optional<broker::Metadata> metadata_;
    std::optional<api::Services> services_;
    std::optional<api::Drain> drain_;
    bool serving_ = false;
    bool stopping_ = false;
    bool stopped_ = false;
    bool killed_ = false;
};

}  // namespace leat::simulation
