#include "core/cluster/topic_plan.h"

#include <algorithm>
#include <optional>

#include "core/cluster/topic_rules.h"

namespace leat::cluster {

using sdk::NodeId;
using wire::ErrorCode;

namespace {

constexpr std::string_view storage_key = "leat.storage.engine";
constexpr std::string_view policy_key = "leat.replication.policy";

// Where Kafka keeps its metadata: tools take what is in it for that.
constexpr std::string_view kafkas_own_log = "__cluster_metadata";

using Placement = std::vector<std::vector<NodeId>>;
using Placed = std::variant<Placement, TopicRefusal>;

TopicRefusal refuse(ErrorCode error, std::string message) {
    return {error, std::move(message)};
}

std::optional<TopicRefusal> check_name(const std::string& name, const StoreView& view) {
    if (auto legal = check_topic_name(name); !legal) {
        return refuse(ErrorCode::invalid_topic_exception, legal.error().what);
    }
    if (name == kafkas_own_log) {
        return refuse(ErrorCode::invalid_request, "Nobody may create '" + name + "'.");
    }
    if (view.find(keys::topic(name)) != nullptr) {
        return refuse(ErrorCode::topic_already_exists, "Topic '" + name + "' already exists.");
    }
    if (const auto other = colliding_topic(view.image(), name); !other.empty()) {
        return refuse(ErrorCode::invalid_topic_exception,
                      "Topic '" + name + "' collides with existing topic: " + std::string{other});
    }
    return std::nullopt;
}

std::optional<TopicRefusal> take_configs(const NewTopic& wanted, const TopicMeans& means,
                                         TopicPlan& plan) {
    for (const auto& [name, value] : wanted.configs) {
        if (!value) {
            return refuse(ErrorCode::invalid_config,
                          "Null value not supported for topic configs: " + name);
        }
        if (name == storage_key) {
            plan.record.storage = *value;
        } else if (name == policy_key) {
            plan.record.replication = *value;
        } else {
            plan.overrides[name] = *value;
        }
    }
    if (auto checked = check_topic_configs(plan.overrides); !checked) {
        return refuse(ErrorCode::invalid_config, checked.error().what);
    }
    if (!means.storages.contains(plan.record.storage)) {
        return refuse(ErrorCode::invalid_config, "No storage instance of this broker is called '" +
                                                     plan.record.storage +
                                                     "' (leat.storage.engine).");
    }
    if (auto refused = cannot_compact(plan.record.storage, plan.overrides, means)) return refused;
    if (!means.policies.contains(plan.record.replication)) {
        return refuse(ErrorCode::invalid_config,
                      "No replication policy of this broker is called '" + plan.record.replication +
                          "' (leat.replication.policy).");
    }
    plan.record.configured = !plan.overrides.empty();
    return std::nullopt;
}

Placed placed_by_client(const NewTopic& wanted, const Image& image) {
    const auto wrong = [](std::string why) {
        return refuse(ErrorCode::invalid_replica_assignment, std::move(why));
    };
    Placement placed(wanted.assignments.size());
    for (const auto& [index, replicas] : wanted.assignments) {
        if (index < 0 || static_cast<std::size_t>(index) >= placed.size() ||
            !placed[static_cast<std::size_t>(index)].empty()) {
            return wrong("The partitions of the assignment are not numbered from 0 without gaps.");
        }
        if (replicas.empty()) {
            return wrong("Partition " + std::to_string(index) + " has no replicas assigned.");
        }
        if (replicas.size() != wanted.assignments.front().second.size()) {
            return wrong("All partitions of the assignment need the same number of replicas.");
        }
        for (auto at = replicas.begin(); at != replicas.end(); ++at) {
            if (std::find(replicas.begin(), at, *at) != at) {
                return wrong("A broker is assigned to partition " + std::to_string(index) +
                             " twice.");
            }
            if (image.broker(*at) == nullptr) {
                return wrong("Partition " + std::to_string(index) + " is assigned to broker " +
                             std::to_string(at->value) + ", which is not registered.");
            }
        }
        placed[static_cast<std::size_t>(index)] = replicas;
    }
    return placed;
}

Placed placed_by_us(const NewTopic& wanted, const Image& image, const TopicTemplate& fallback) {
    const auto partitions =
        wanted.partitions == by_template ? fallback.partitions : wanted.partitions;
    const auto replicas = wanted.replication_factor == by_template ? fallback.replication_factor
                                                                   : wanted.replication_factor;
    if (partitions <= 0) {
        return refuse(ErrorCode::invalid_partitions,
                      "Number of partitions was set to an invalid non-positive value.");
    }
    if (partitions > most_partition_index) {
        return refuse(
            ErrorCode::policy_violation,
            "A topic has at most " + std::to_string(most_partition_index) + " partitions.");
    }
    if (replicas <= 0) {
        return refuse(ErrorCode::invalid_replication_factor,
                      "Replication factor must be larger than 0, or -1 to use the default value.");
    }
    std::vector<NodeId> brokers;
    for (const auto& [id, broker] : image.brokers()) brokers.push_back(id);
    if (static_cast<std::size_t>(replicas) > brokers.size()) {
        return refuse(ErrorCode::invalid_replication_factor,
                      "The target replication factor of " + std::to_string(replicas) +
                          " cannot be reached because only " + std::to_string(brokers.size()) +
                          " broker(s) are registered.");
    }
    return place_replicas(brokers, partitions, replicas, image.partition_count());
}

Placed place(const NewTopic& wanted, const Image& image, const TopicTemplate& fallback) {
    if (wanted.assignments.empty()) return placed_by_us(wanted, image, fallback);
    if (wanted.partitions != by_template || wanted.replication_factor != by_template) {
        return refuse(ErrorCode::invalid_request,
                      "Where replicas are assigned, the number of partitions and the replication "
                      "factor must be -1.");
    }
    return placed_by_client(wanted, image);
}

}  // namespace

std::optional<TopicRefusal> cannot_compact(const std::string& storage, const ConfigMap& overrides,
                                           const TopicMeans& means) {
    if (!means.not_rewritable.contains(storage)) return std::nullopt;
    if (!resolve_topic_config(overrides, means.config_defaults).cleanup_compact)
        return std::nullopt;
    return refuse(ErrorCode::invalid_config,
                  "The storage instance '" + storage +
                      "' cannot rewrite what it holds: no cleanup.policy with 'compact' there "
                      "(leat.storage.engine).");
}

std::variant<TopicPlan, TopicRefusal> plan_topic(const NewTopic& wanted, const StoreView& view,
                                                 const TopicTemplate& fallback,
                                                 const TopicMeans& means, const sdk::Uuid& id) {
    if (auto refused = check_name(wanted.name, view)) return *refused;
    TopicPlan plan;
    plan.record = {.name = wanted.name,
                   .id = id,
                   .internal = Image::is_internal(wanted.name),
                   .storage = fallback.storage,
                   .replication = fallback.replication};
    plan.overrides = fallback.configs;
    auto placed = place(wanted, view.image(), fallback);
    if (auto* refused = std::get_if<TopicRefusal>(&placed)) return *refused;
    auto& placement = std::get<Placement>(placed);
    if (auto refused = take_configs(wanted, means, plan)) return *refused;
    if (placement.size() + view.image().partition_count() >
        static_cast<std::size_t>(means.most_partitions)) {
        return refuse(ErrorCode::policy_violation, "The cluster would have more than " +
                                                       std::to_string(means.most_partitions) +
                                                       " partitions.");
    }
    const auto* policy = means.policies.find(plan.record.replication)->second;
    for (auto& replicas : placement) {
        auto state = policy->initial(std::move(replicas));
        if (!state) return refuse(ErrorCode::invalid_replication_factor, state.error().what);
        plan.partitions.push_back(std::move(*state));
    }
    plan.record.partitions = static_cast<std::int32_t>(plan.partitions.size());
    return plan;
}

TopicImage preview(const TopicPlan& plan, const ConfigMap& config_defaults) {
    TopicImage shown;
    shown.name = plan.record.name;
    shown.id = plan.record.id;
    shown.internal = plan.record.internal;
    shown.storage = plan.record.storage;
    shown.replication = plan.record.replication;
    shown.overrides = plan.overrides;
    shown.config = resolve_topic_config(plan.overrides, config_defaults);
    for (const auto& state : plan.partitions) {
        shown.partitions.push_back(PartitionImage::from(state, {}));
    }
    return shown;
}

}  // namespace leat::cluster
