// From a request to what is written: whether a topic may be made, and the transactions that make
// or delete one.
//
// Stages     The transactions of one stage may run side by side; a stage begins when the one before
//            is done. Making: partitions, then the record with partition 0. Deleting: the record
//            goes and a deletion record comes, then partitions go, then the deletion record.
// Resume     A controller that dies in between leaves strays or a deletion record; the next one
//            finishes both. None of the transactions can take effect twice: each one that puts
//            checks a key that it makes or that vanishes for good with the topic.
#pragma once

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/cluster/records.h"
#include "core/cluster/store_view.h"
#include "core/cluster/topic_request.h"
#include "leat/sdk/coordination.h"
#include "leat/sdk/replication.h"

namespace leat::cluster {

// How a topic is made where the request does not say: from [topics] and its patterns, or from
// [internal_topics].
struct TopicTemplate {
    std::int32_t partitions = 1;
    std::int16_t replication_factor = 1;
    std::string storage;      // Instance.
    std::string replication;  // Instance.
    ConfigMap configs;        // Overrides that the topic gets at creation.
};

// What this broker can make topics from.
struct TopicMeans {
    std::set<std::string, std::less<>> storages;  // Instances that a topic may name.
    std::set<std::string, std::less<>> not_rewritable{};  // Those that cannot compact.
    std::map<std::string, const sdk::ReplicationPolicy*, std::less<>> policies;
    ConfigMap config_defaults;
    std::int32_t most_partitions = 200'000;  // In the whole cluster.
};

struct TopicPlan {
    TopicRecord record;
    std::vector<sdk::PartitionState> partitions;
    ConfigMap overrides;
};
struct TopicRefusal {
    wire::ErrorCode error = wire::ErrorCode::none;
    std::string message;
};

// Nothing, unless a topic with these overrides is to be compacted and its storage cannot.
std::optional<TopicRefusal> cannot_compact(const std::string& storage, const ConfigMap& overrides,
                                           const TopicMeans& means);

// `id` becomes the topic's.
std::variant<TopicPlan, TopicRefusal> plan_topic(const NewTopic& wanted, const StoreView& view,
                                                 const TopicTemplate& fallback,
                                                 const TopicMeans& means, const sdk::Uuid& id);

// The answers to a request, as far as they follow from it and from the topics that there are. Those
// without an error have name and id and are to be deleted. A topic that is named more than once, in
// one way or in both, is refused and stays (KIP-516).
std::vector<DeletedTopic> plan_deletions(const std::vector<TopicToDelete>& asked,
                                         const Image& image);

// What the plan would show as, for validate_only.
TopicImage preview(const TopicPlan& plan, const ConfigMap& config_defaults);

using Stages = std::vector<std::vector<sdk::Transaction>>;

Stages creation_stages(const TopicPlan& plan, const sdk::Check& fence);
Stages deletion_stages(const TopicImage& topic, const sdk::Check& fence);
// The rest of a deletion that another controller began.
Stages remaining_deletion_stages(const DeletionRecord& deletion,
                                 const std::vector<std::int32_t>& partitions,
                                 const sdk::Check& fence);
Stages stray_stages(const StoreView::Stray& stray, const sdk::Check& fence);

}  // namespace leat::cluster
