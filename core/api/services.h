// What the handlers work with. Made once by the composition root; lives as long as the shards run.
//
// Threads    `sessions`, `draining`, `fetch_sessions`, `groups`, `requests` and `faults` of a shard
//            are touched on that shard only. The rest is constant or has its own rules.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/api/client_faults.h"
#include "core/api/request_figures.h"
#include "core/api/session_counts.h"
#include "core/broker/assignor_runner.h"
#include "core/broker/fetch_sessions.h"
#include "core/broker/group_coordinators.h"
#include "core/broker/metadata.h"
#include "core/broker/partition_table.h"
#include "core/cluster/topic_config.h"
#include "core/logging/logger.h"
#include "leat/sdk/network.h"

namespace leat::api {

class Session;

// Limits of single requests.
struct RequestLimits {
    std::size_t most_fetch_bytes = 55 * 1024 * 1024;  // fetch.max.bytes of a broker
    std::chrono::milliseconds most_wait{300'000};
    std::int32_t most_partitions_described = 2000;  // max.request.partition.size.limit
};

// Where the storage instances keep what they keep.
struct LogDirs {
    struct Space {
        std::int64_t total = -1;  // -1: not known.
        std::int64_t usable = -1;
    };
    std::map<std::string, std::string, std::less<>> by_storage;  // Absolute paths.
    std::function<Space(const std::string& path)> space{};       // [worker]
};

struct Services {
    Services(broker::PartitionTables& partition_tables, broker::Metadata& cluster_metadata,
             runtime::Shards& all_shards, logging::Logger& log,
             const broker::FetchSessionLimits& fetch_session_limits,
             std::uint32_t fault_lines_per_minute = 10)
        : tables{partition_tables},
          metadata{cluster_metadata},
          shards{all_shards},
          logger{log},
          sessions(all_shards.count()),
          draining(all_shards.count(), 0),
          counts{std::make_shared<SessionCounts>(all_shards.count())},
          requests(all_shards.count()),
          faults(all_shards.count(), ClientFaults{fault_lines_per_minute}) {
        for (std::size_t shard = 0; shard < all_shards.count(); ++shard) {
            fetch_sessions.push_back(
                std::make_unique<broker::FetchSessions>(tables, shard, fetch_session_limits));
        }
    }

    broker::PartitionTables& tables;
    broker::Metadata& metadata;
    runtime::Shards& shards;
    logging::Logger& logger;
    RequestLimits limits;
    // The TOML file's, for DescribeConfigs: of the broker, in order of name; and of topics without
    // an override, which brokers' configs may go before (cluster/broker_config.h).
    std::vector<cluster::ConfigEntry> broker_configs;
    cluster::ConfigMap topic_defaults;
    LogDirs log_dirs;

    // By the order in which they came: a drain walks them in it.
    std::vector<std::map<std::uint64_t, Session*>> sessions;
    std::vector<char> draining;  // Of each shard: a session that comes now drains at once.
    std::shared_ptr<SessionCounts> counts;
    // Moves a connection to another shard, as net::Runtime::move() does. Empty: none moves.
    std::function<bool(sdk::Connection&, std::size_t to, sdk::Accept)> move_connection{};
    std::vector<std::unique_ptr<broker::FetchSessions>> fetch_sessions;
    std::vector<broker::GroupCoordinators*> groups;  // Of each shard; outlive this.
    broker::AssignorRunner* assignors = nullptr;     // Outlives this.
    std::vector<RequestFigures> requests;
    std::vector<ClientFaults> faults;

    // A client failed, or its connection was closed for what it did: one line that says what and
    // what to change, as often as client_faults.h has it.
    void log_client_fault(std::size_t shard, const FaultyClient& client, const ClientFault& fault);
};

}  // namespace leat::api
