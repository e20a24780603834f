#include "core/app/assembly.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/api/session.h"
#include "core/app/assignors.h"
#include "core/app/broker_configs.h"
#include "core/app/group_settings.h"
#include "core/app/log_dirs.h"
#include "core/app/topic_settings.h"
#include "core/groups/built_in.h"

namespace leat::app {
namespace {

std::size_t shard_count(const config::Config& config) {
    if (config.network.shards > 0) return static_cast<std::size_t>(config.network.shards);
    return std::max(1u, std::thread::hardware_concurrency());
}

net::Runtime::Options runtime_options(const config::Config& config, runtime::MemoryBudget& memory,
                                      logging::Logger& logger) {
    return {.shards = shard_count(config),
            .workers = static_cast<std::size_t>(config.network.workers),
            .file_sending = config.network.file_sending == "copy" ? net::FileSending::copy
                                                                  : net::FileSending::sendfile,
            .send_buffer = config.network.send_buffer.bytes,
            .memory = memory,
            .most_connections = static_cast<std::size_t>(config.limits.connections),
            .most_connections_per_address =
                static_cast<std::size_t>(config.limits.connections_per_address),
            .log = [&logger](sdk::LogLevel level, const std::string& event) {
                logger.log(level, event);
            }};
}

sdk::FrameLimits frame_limits(const config::LimitsSection& limits) {
    return {.largest_frame = limits.largest_frame.bytes,
            .unsent_bytes = limits.unsent_bytes.bytes,
            .idle = limits.idle,
            .partial_frame = limits.partial_frame,
            .write_stall = limits.write_stall};
}

broker::FetchSessionLimits fetch_session_limits(const config::LimitsSection& limits,
                                                runtime::MemoryBudget& memory) {
    return {.most_sessions = static_cast<std::size_t>(limits.fetch_sessions),
            .memory = &memory,
            .random = [] {
                std::uint32_t drawn = 0;
                const sdk::Uuid uuid = random_uuid();
                std::memcpy(&drawn, uuid.bytes.data(), sizeof drawn);
                return drawn;
            }};
}

// Each shard compacts one log at a time.
broker::CompactionTerms compaction_terms(const config::CompactionSection& section,
                                         std::size_t shards) {
    broker::CompactionTerms terms{
        .map_bytes = static_cast<std::size_t>(section.memory.bytes) / shards,
        .bytes_per_second = static_cast<std::uint64_t>(section.bytes_per_second.bytes) / shards};
    const sdk::Uuid random = random_uuid();
    static_assert(sizeof terms.secret == sizeof random.bytes);
    std::memcpy(terms.secret.data(), random.bytes.data(), sizeof terms.secret);
    return terms;
}

std::string address_of(const sdk::Endpoint& at) {
    const bool bare_v6 = at.host.find(':') != std::string::npos;
    return (bare_v6 ? "[" + at.host + "]" : at.host) + ":" + std::to_string(at.port);
}

sdk::Error cannot_listen(const config::Config& config, const config::Listener& listener,
                         const sdk::Error& why) {
    const auto at = config.source.complaint(listener.place, "");
    return {why.code, "listener `" + listener.name + "` (" + config::where(at) +
                          ") cannot start: " + why.what};
}

}  // namespace

Assembly::Assembly(config::Config config, std::unique_ptr<logging::AdjustableLogger> logger)
    : config_{std::move(config)},
      logger_{std::move(logger)},
      memory_{{.bytes = config_.limits.memory_budget.bytes,
               .largest_frame = config_.limits.largest_frame.bytes,
               .leases = shard_count(config_)}},
      runtime_{runtime_options(config_, memory_, *logger_)},
      host_{*logger_},
      maker_{host_, config_.source} {}

Assembly::~Assembly() = default;

sdk::Status Assembly::prepare() {
    find_plugins(host_, config_);
    CheckedPlugins checked = check_plugins(config_, maker_);
    auto complaints = check_topic_configs(config_);
    for (auto& more : check_operator_view(config_)) complaints.push_back(std::move(more));
    for (auto& more : check_groups(config_)) complaints.push_back(std::move(more));
    complaints.insert(complaints.end(), checked.complaints.begin(), checked.complaints.end());
    if (!complaints.empty()) {
        return sdk::Error{sdk::Errc::invalid_argument, config::text_of(complaints)};
    }
    auto folder =
        DataFolder::open(config_.node.data_dir, {config_.node.node_id}, config_.node.cluster_id);
    if (!folder) return folder.error();
    data_folder_.emplace(std::move(*folder));
    logger_->log(logging::Level::info, "starting",
                 {{"version", LEAT_VERSION},
                  {"process", std::to_string(::getpid())},
                  {"config", std::filesystem::absolute(config_.source.file()).string()},
                  {"data", data_folder_->path().string()}});
    for (const auto& warning : volatile_storage(config_, host_)) {
        logger_->log(logging::Level::warn, "storage is not durable",
                     {{"place", config::where(warning)}, {"reason", warning.reason}});
    }
    for (const auto& warning : exposed_operator_view(config_)) {
        logger_->log(logging::Level::warn, "watched from outside", {{"reason", warning.reason}});
    }
    coordination_settings_ = checked.coordination;
    const auto made = make_instances(checked);
    if (!made) static_cast<void>(close_engines());
    return made;
}

// The plugin of an instance that was made, for whoever reads the log of a broker that misbehaves.
template <class Found>
void Assembly::log_plugin(const config::InstanceConfig& instance, const Found& found) {
    const host::Origin& origin = found.find(instance.plugin)->second.origin;
    logger_->log(logging::Level::info, "plugin in use",
                 {{"instance", instance.table},
                  {"plugin", instance.plugin},
                  {"version", origin.version},
                  {"file", origin.file}});
}

sdk::Status Assembly::make_instances(const CheckedPlugins& checked) {
    sdk::Shard& shard = runtime_.at(0);
    for (std::size_t i = 0; i < config_.storage.size(); ++i) {
        const config::InstanceConfig& named = config_.storage[i];
        auto made =
            maker_.make_storage(named, checked.storage[i],
                                {.shard = shard, .data_folder = data_folder_->path() / named.name});
        if (!made) return made.error();
        instances_.storage[named.name] = made->object.get();
        engines_.push_back(std::move(*made));
        log_plugin(named, host_.storage());
    }
    for (std::size_t i = 0; i < config_.replication.size(); ++i) {
        const config::InstanceConfig& named = config_.replication[i];
        auto made = maker_.make_replication(named, checked.replication[i], {.shard = shard});
        if (!made) return made.error();
        instances_.replication[named.name] = made->object.get();
        policies_.push_back(std::move(*made));
        log_plugin(named, host_.replication());
    }
    return groups::built_in ? make_assignor_instances(checked) : sdk::Status{};
}

sdk::Status Assembly::make_assignor_instances(const CheckedPlugins& checked) {
    auto assignors = make_assignors(config_, checked.assignment, host_, maker_, runtime_.at(0));
    if (!assignors) return assignors.error();
    assignors_ = std::move(*assignors);
    for (const config::InstanceConfig& named : config_.assignment) {
        log_plugin(named, host_.assignment());
    }
    return {};
}

sdk::Status Assembly::run(Watcher watcher) {
    watcher_ = std::move(watcher);
    runtime_.at(0).post([this] { start(coordination_settings_); });
    runtime_.run();
    left_a_thread_ = !assignor_thread_.end();
    return ended();
}

// Before all else, so that it can tell that the broker is starting.
sdk::Status Assembly::start_view() {
    view_ = make_operator_view(
        {.config = config_,
         .runtime = runtime_,
         .memory = memory_,
         .counters = host_.counters(),
         .logger = *logger_,
         .stop = [this](std::string why) { stop(std::move(why)); },
         .reload = [this](std::string name,
                          auto done) { reload_assignor(std::move(name), std::move(done)); }});
    if (!view_) return {};
    if (auto status = view_->listen(data_folder_->path()); !status) return status;
    if (!config_.http_listen) return {};
    const auto bound = view_->listen(*config_.http_listen);
    if (!bound) {
        return sdk::Error{bound.error().code, "[http] cannot start: " + bound.error().what};
    }
    logger_->log(logging::Level::info, "telling metrics and health over HTTP",
                 {{"address", address_of(*bound)}});
    view_at_ = {"[http]", *bound};
    return {};
}

void Assembly::start(const sdk::Settings& settings) {
    if (stopping_) return;  // A signal was faster.
    if (const auto status = start_view(); !status) return fail(status.error());
    auto made = maker_.make_coordination(config_.coordination, settings,
                                         {.shard = runtime_.at(0),
                                          .network = &runtime_,
                                          .data_folder = data_folder_->path() / "coordination"});
    if (!made) return fail(made.error());
    coordination_.emplace(std::move(*made));
    log_plugin(config_.coordination, host_.coordination());
    start_metadata();
}

void Assembly::start_metadata() {
    broker::MetadataOptions options{
        .self = {config_.node.node_id},
        .directory = data_folder_->meta().directory_id,
        .rack = config_.node.rack,
        .cluster_id = data_folder_->meta().cluster_id,
        .auto_create = config_.topic_defaults.auto_create,
        .template_for = [this](std::string_view topic) { return topic_template(config_, topic); },
        .config_defaults = topic_defaults(config_),
        .make_uuid = random_uuid,
        .complain =
            [this](const std::string& what) {
                logger_->log(logging::Level::warn, "coordination store", {{"reason", what}});
            }};
    for (const config::Listener& listener : config_.listeners) {
        const auto& advertised = listener.advertise;
        options.endpoints.push_back({listener.name, advertised ? advertised->host : "auto",
                                     advertised ? advertised->port : std::uint16_t{0}});
    }
    for (const config::InstanceConfig& named : config_.storage) {
        options.storages.insert(named.name);
        const auto plugin = host_.storage().find(named.plugin);
        const bool able =
            plugin != host_.storage().end() && plugin->second.declaration.capabilities.rewritable;
        if (!able) options.not_rewritable.insert(named.name);
    }
    for (const auto& [name, policy] : instances_.replication) options.policies[name] = policy;
    metadata_.emplace(*coordination_->object, runtime_, std::move(options));

    make_shard_brokers();
    start_services();
    metadata_->start([this](const sdk::Status& ready) {
        if (!ready) return fail(ready.error());
        if (!stopping_) serve();
    });
}

void Assembly::make_shard_brokers() {
    tables_.emplace(runtime_);
    broker::GroupSettings group_settings = app::group_settings(config_);
    if (groups::built_in) {
        group_settings.assignors = &assignor_runner_.emplace(
            [this]() -> const cluster::Image& { return metadata_->image(0); }, *tables_,
            assignor_thread_, *logger_, std::exchange(assignors_, {}),
            broker::AssignorRunner::Options{config_.group_coordinator.assignor_budget,
                                            built_in_assignor()});
        // Those of the file are there, or it had been refused.
        std::erase_if(group_settings.limits.consumer_assignors, [this](const std::string& name) {
            return !assignor_runner_->names().contains(name);
        });
    }
    for (std::size_t shard = 0; shard < runtime_.count(); ++shard) {
        shard_brokers_.push_back(std::make_unique<broker::ShardBroker>(
            *metadata_, *tables_, runtime_, instances_, *logger_,
            broker::ShardBrokerOptions{
                .shard = shard,
                .self = {config_.node.node_id},
                .producers = {.max_producers =
                                  static_cast<std::size_t>(config_.producers.most_per_partition),
                              .expiration_ms = config_.producers.id_expiration.count()},
                .retention_check = config_.retention.check_interval,
                .compaction_check = config_.compaction.check_interval,
                .compaction = compaction_terms(config_.compaction, runtime_.count()),
                .groups = group_settings}));
    }
}

void Assembly::start_services() {
    services_.emplace(*tables_, *metadata_, runtime_, *logger_,
                      fetch_session_limits(config_.limits, memory_),
                      static_cast<std::uint32_t>(config_.limits.log_lines_per_minute));
    if (runtime_.count() > 1) {
        services_->move_connection = [this](sdk::Connection& connection, std::size_t to,
                                            sdk::Accept accept) {
            return runtime_.move(connection, to, std::move(accept));
        };
    }
    for (const auto& shard : shard_brokers_) services_->groups.push_back(&shard->groups());
    services_->assignors = assignor_runner_ ? &*assignor_runner_ : nullptr;
    services_->broker_configs = broker_configs(config_);
    services_->topic_defaults = topic_defaults(config_);
    services_->log_dirs = log_dirs(config_, data_folder_->path(), host_);
    if (view_) view_->serves(*services_);
}

std::unique_ptr<sdk::ConnectionHandler> Assembly::accept(sdk::Connection& connection) {
    std::size_t shard = 0;
    while (&runtime_.at(shard) != &connection.shard()) ++shard;
    const auto in_flight =
        static_cast<std::size_t>(config_.limits.requests_in_flight_per_connection);
    return std::make_unique<api::Session>(
        connection, *services_, shard,
        api::SessionLimits{.most_waiting = in_flight, .most_together = in_flight});
}

void Assembly::serve() {
    const auto& facts = metadata_->image(0).facts();
    if (const auto status = data_folder_->write_cluster_id(facts.cluster_id); !status) {
        return fail(status.error());
    }
    std::vector<Listening> listening;
    for (const config::Listener& listener : config_.listeners) {
        const auto bound = runtime_.listen(
            {.name = listener.name, .bind = listener.bind, .limits = frame_limits(config_.limits)},
            [this](sdk::Connection& connection) { return accept(connection); });
        if (!bound) return fail(cannot_listen(config_, listener, bound.error()));
        logger_->log(logging::Level::info, "listening",
                     {{"listener", listener.name}, {"address", address_of(*bound)}});
        listening.push_back({listener.name, *bound});
    }
    if (view_at_) listening.push_back(*view_at_);
    if (watcher_.serving) watcher_.serving(listening);
    logger_->log(logging::Level::info, "serving",
                 {{"cluster", facts.cluster_id},
                  {"node", std::to_string(config_.node.node_id)},
                  {"topics", std::to_string(metadata_->image(0).topics().size())}});
}

}  // namespace leat::app
