// A broker put together from its configuration: every part, in the order in which they start, each
// taking what it needs from those above it. C++ destroys them in reverse.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/api/drain.h"
#include "core/api/services.h"
#include "core/app/data_folder.h"
#include "core/app/operator_view.h"
#include "core/broker/assignor_runner.h"
#include "core/broker/metadata.h"
#include "core/broker/partition_table.h"
#include "core/broker/plugin_instances.h"
#include "core/broker/shard_broker.h"
#include "core/config/config.h"
#include "core/host/instances.h"
#include "core/host/plugin_host.h"
#include "core/logging/adjustable_logger.h"
#include "core/net/lone_thread.h"
#include "core/net/runtime.h"
#include "core/runtime/memory_budget.h"
#include "leat/sdk/result.h"

namespace leat::app {

// The settings of every plugin instance, checked. Nothing is made yet: what `leat check` does.
struct CheckedPlugins {
    std::vector<sdk::Settings> storage;  // In the order of the configuration.
    std::vector<sdk::Settings> replication;
    std::vector<sdk::Settings> assignment;
    sdk::Settings coordination;
    std::vector<config::Complaint> complaints;
};
CheckedPlugins check_plugins(const config::Config& config, host::InstanceMaker& maker);

// All that can be said about a configuration without serving: load()'s complaints, topic configs,
// plugins and their options, in the order of the file; and warnings if nothing is wrong.
struct Verdict {
    std::vector<config::Complaint> mistakes;
    std::vector<config::Complaint> warnings;
};
Verdict judge(const config::Loading& loading);

// Where topics are put into storage that is not durable: legal, and the operator is told.
std::vector<config::Complaint> volatile_storage(const config::Config& config,
                                                const host::PluginHost& host);

// Those that the program holds; of the configured folders; and its own: plugins/ beside it or,
// where it is installed in PREFIX/bin, PREFIX/lib/leat/plugins.
void find_plugins(host::PluginHost& host, const config::Config& config);

// For commands that look at plugins: those of the configuration `file`, or of the program's own
// folder. False, and stderr says why, if the file is wrong.
bool discover_plugins(host::PluginHost& host, const std::optional<std::filesystem::path>& file);

class Assembly {
public:
    Assembly(config::Config config, std::unique_ptr<logging::AdjustableLogger> logger);
    ~Assembly();

    // Everything that can be refused before a thread runs: plugins, the data folder, engines.
    sdk::Status prepare();

    struct Listening {
        std::string listener;
        sdk::Endpoint at;
    };
    // Called on shard 0, each at most once.
    struct Watcher {
        sdk::Function<void(const std::vector<Listening>&)> serving;  // Clients are answered.
        sdk::Function<void()> stopping;                              // It ends, in order.
    };
    // Serves until stop(), on this thread and others. An error says why it never served, or what
    // was not closed well.
    sdk::Status run(Watcher watcher);
    // After run(): a thread is still in an assignor that never came back. What it may use must not
    // be torn down: end the process by std::_Exit.
    bool left_a_thread() const { return left_a_thread_; }

    // [any thread] Ends in order: parked requests are answered, running ones finish, logs are
    // synced and closed, a clean stop is noted. `why` is for the log. Again: changes nothing.
    void stop(std::string why);

private:
    sdk::Status make_instances(const CheckedPlugins& checked);
    sdk::Status make_assignor_instances(const CheckedPlugins& checked);
    template <class Found>
    void log_plugin(const config::InstanceConfig& instance, const Found& found);
    void start(const sdk::Settings& coordination);  // [shard 0] This and all below.
    sdk::Status start_view();
    void start_metadata();
    void start_services();
    void make_shard_brokers();
    // Nothing rebalances for it: groups get to know it at their next change.
    void reload_assignor(std::string name, sdk::Function<void(sdk::Result<std::string>)> done);
    void serve();
    std::unique_ptr<sdk::ConnectionHandler> accept(sdk::Connection& connection);
    void fail(sdk::Error error);
    void end();
    void drain();
    sdk::Status ended();  // After the threads; and this:
    sdk::Status close_engines();

    config::Config config_;
    std::unique_ptr<logging::AdjustableLogger> logger_;
    runtime::MemoryBudget memory_;
    net::Runtime runtime_;
    host::PluginHost host_;
    host::InstanceMaker maker_;
    std::optional<DataFolder> data_folder_;
    sdk::Settings coordination_settings_;
    std::vector<host::Instance<sdk::StorageEngine>> engines_;
    std::vector<host::Instance<sdk::ReplicationPolicy>> policies_;
    std::vector<broker::Assignor> assignors_;  // Until the runner has them.
    broker::PluginInstances instances_;
    std::optional<host::Instance<sdk::CoordinationBackend>> coordination_;
    std::optional<broker::PartitionTables> tables_;
    std::vector<std::unique_ptr<broker::ShardBroker>> shard_brokers_;
    std::optional<broker::Metadata> metadata_;
    std::optional<broker::AssignorRunner> assignor_runner_;
    net::LoneThread assignor_thread_;  // Ends before what it runs.
    std::optional<api::Services> services_;
    std::optional<api::Drain> drain_;
    std::unique_ptr<OperatorView> view_;  // Null: not in this build.
    std::optional<Listening> view_at_;

    Watcher watcher_;
    std::optional<sdk::Error> failure_;
    bool stopping_ = false;
    bool logs_closed_well_ = false;
    bool left_a_thread_ = false;
    bool reloading_ = false;
};

}  // namespace leat::app
