#include "tests/simulation/broker_process.h"

#include <utility>

#include "core/api/session.h"
#include "core/cluster/records.h"
#include "leat/sdk/ensure.h"
#include "plugins/assignment/range/range_assignor.h"
#include "plugins/assignment/uniform/uniform_assignor.h"

namespace leat::simulation {

using std::chrono::milliseconds;

void TraceLogger::log(logging::Level, std::string_view event,
                      std::span<const logging::Field> fields) {
    std::string line{event};
    for (const auto& [key, value] : fields) line += " " + std::string{key} + "=" + value;
    world_.note("log", line);
}

BrokerProcess::BrokerProcess(Machine& machine)
    : machine_{machine},
      logger_{machine.world},
      shards_{machine.world, 2},
      network_{machine.world, machine.wires, shards_},
      engine_{machine.disk, shards_},
      assignor_thread_{shards_} {
    instances_.storage["disk"] = &engine_;
    instances_.replication["single"] = &policy_;
    shards_.at(0).post([this] { start(); });
}

BrokerProcess::~BrokerProcess() {
    if (!killed_) kill(false);
    services_.reset();
    metadata_.reset();
    shard_brokers_.clear();
    assignors_.reset();
    tables_.reset();
    backend_.reset();
}

void BrokerProcess::start() {
    backend_ = std::make_unique<sdk::testing::ModelBackend>(machine_.store, shards_.at(0));
    broker::MetadataOptions options;
    options.self = {1};
    options.directory.bytes[0] = 7;
    options.endpoints = {{.listener = "plain", .host = "auto", .port = 9092}};
    options.cluster_id = machine_.cluster_id;
    options.template_for = [this](std::string_view topic) { return template_for(topic); };
    // Short, so that extents end often: the least segment.bytes is more than a run writes.
    options.config_defaults = {{"segment.ms", "600"}};
    options.storages = {"disk"};
    options.policies = {{"single", &policy_}};
    options.make_uuid = [this] { return make_uuid(); };
    options.complain = [this](const std::string& what) { machine_.world.note("complaint", what); };
    metadata_.emplace(*backend_, shards_, std::move(options));
    make_shard_brokers();
    services_.emplace(*tables_, *metadata_, shards_, logger_,
                      broker::FetchSessionLimits{.random = [this] {
                          return static_cast<std::uint32_t>(machine_.world.random().word());
                      }});
    for (const auto& shard : shard_brokers_) services_->groups.push_back(&shard->groups());
    drain_.emplace(*services_, network_);
    metadata_->start([this](const sdk::Status& ready) {
        sdk::ensure(ready.has_value(), "this broker may always come back");
        if (!stopping_) serve();
    });
}

broker::TopicTemplate BrokerProcess::template_for(std::string_view topic) const {
    if (topic == broker::group_topic) return machine_.settings.group_topic;
    return {.storage = "disk", .replication = "single"};
}

sdk::Uuid BrokerProcess::make_uuid() {
    sdk::Uuid made;
    for (auto& byte : made.bytes) byte = static_cast<std::uint8_t>(machine_.world.random().word());
    return made;
}

void BrokerProcess::make_shard_brokers() {
    tables_.emplace(shards_);
    const broker::Assignor uniform{"uniform", std::make_shared<uniform::UniformAssignor>(),
                                   uniform::UniformAssignor::capabilities};
    assignors_.emplace(
        [this]() -> const cluster::Image& { return metadata_->image(0); }, *tables_,
        assignor_thread_, logger_,
        std::vector<broker::Assignor>{uniform,
                                      {"range", std::make_shared<range::RangeAssignor>(),
                                       range::RangeAssignor::capabilities}},
        broker::AssignorRunner::Options{machine_.settings.assignor_budget, uniform});
    for (std::size_t shard = 0; shard < shards_.count(); ++shard) {
        shard_brokers_.push_back(std::make_unique<broker::ShardBroker>(
            *metadata_, *tables_, shards_, instances_, logger_,
            broker::ShardBrokerOptions{
                .shard = shard,
                .self = {1},
                .producers = {},
                .groups = {.limits = machine_.settings.groups,
                           .make_id = [this] { return cluster::uuid_text(make_uuid()); },
                           .assignors = &*assignors_}}));
    }
}

void BrokerProcess::serve() {
    machine_.cluster_id = metadata_->image(0).facts().cluster_id;
    auto listening = network_.listen(
        {.name = "plain", .bind = {"127.0.0.1", 9092}, .limits = {.unsent_bytes = 20'000}},
        [this](sdk::Connection& connection) {
            const std::size_t shard = &shards_.at(0) == &connection.shard() ? 0 : 1;
            return std::make_unique<api::Session>(
                connection, *services_, shard,
                api::SessionLimits{.most_waiting = 8, .most_together = 8});
        });
    sdk::ensure(listening.has_value(), "the port is free");
    serving_ = true;
    machine_.world.note("broker", "serves");
}

void BrokerProcess::stop() {
    shards_.at(0).post([this] {
        if (!services_ || std::exchange(stopping_, true)) return;
        machine_.world.note("broker", "stops in order");
        drain_->start([this](bool well) {
            machine_.world.note("broker", well ? "stopped" : "stopped, not all logs closed");
            stopped_ = true;
        });
    });
}

void BrokerProcess::kill(bool with_the_machine) {
    if (!stopped_) {
        machine_.world.note("broker", with_the_machine ? "machine crashes" : "killed");
    }
    killed_ = true;
    shards_.kill();
    // Where a sync failed, what was written may be lost too: an answer that is still on its way
    // would tell a client of what is no more.
    network_.die(with_the_machine || machine_.disk.a_sync_failed());
    tear_down();
}

// Its objects want to end in order: they do, cut off from the world.
void BrokerProcess::tear_down() {
    if (!services_) {
        shards_.run_severed();
        if (!services_) return;
    }
    stopping_ = true;
    for (std::size_t shard = 0; shard < shards_.count(); ++shard) {
        shards_.at(shard).post([this, shard] { tables_->at(shard).close_all([](bool) {}); });
    }
    shards_.run_severed();
    metadata_->stop([] {});
    shards_.run_severed();
}

}  // namespace leat::simulation
