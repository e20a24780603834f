// What this process believes about the cluster: brokers, topics, partitions. Read-only, in memory,
// never waits. It may be older than the coordination store; safety rests on epochs, not on it.
//
// Threads    Each shard holds an Image of its own and changes it only by apply(). What the images
//            point at (TopicImage, BrokerImage, ImageDelta) is immutable and shared by all shards:
//            that is why it is shared_ptr. A shard may keep one for as long as it likes.
// Size       64 bytes a partition and process while it has at most three replicas.
// Sources    KIP-516 (topic ids), KIP-380 (broker epoch), KIP-966 (ELR).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/cluster/broker_config.h"
#include "core/cluster/node_list.h"
#include "core/cluster/topic_config.h"
#include "leat/sdk/replication.h"
#include "leat/sdk/strong.h"
#include "leat/sdk/uuid.h"

namespace leat::cluster {

inline constexpr sdk::NodeId no_node{-1};

// Where clients reach a broker on one of its listeners.
struct Endpoint {
    std::string listener;
    std::string host;  // "auto": the address that the asking client dialled.
    std::uint16_t port = 0;

    bool operator==(const Endpoint&) const = default;
};

struct BrokerImage {
    sdk::NodeId id = no_node;
    sdk::Uuid directory;
    std::string rack;  // Empty: none.
    std::vector<Endpoint> endpoints;
    sdk::Revision epoch;  // Broker epoch: revision of the registration.

    const Endpoint* endpoint(std::string_view listener) const;  // Null if it has no such listener.
};

// sdk::PartitionState, smaller.
struct PartitionImage {
    NodeList replicas;  // Empty only while a topic is incomplete, so never in an Image.
    NodeList in_sync;
    NodeList eligible;
    sdk::NodeId leader = no_node;
    sdk::LeaderEpoch leader_epoch{-1};
    sdk::Revision revision;  // Of the partition's key: what a change of it must check.

    static PartitionImage from(const sdk::PartitionState& state, sdk::Revision revision);
    sdk::PartitionState state() const;
};

using ConfigMap = std::map<std::string, std::string, std::less<>>;

struct TopicImage {
    std::string name;
    sdk::Uuid id;
    bool internal = false;
    std::string storage;      // Storage instance (leat.storage.engine), fixed at creation.
    std::string replication;  // Policy instance (leat.replication.policy), fixed at creation.
    sdk::Revision created;    // Revision of the topic's record.
    ConfigMap overrides;      // What was set for this topic, as it was given.
    TopicConfig config;       // Overrides over what this broker defaults to now, typed.
    std::vector<PartitionImage> partitions;  // By index, all there.

    const PartitionImage* partition(std::int32_t index) const;  // Null if there is none.
};

struct ClusterFacts {
    std::string cluster_id;  // Never empty once the image is loaded.
    sdk::NodeId controller = no_node;
    std::int32_t controller_epoch = -1;
};

// What changed, complete values throughout. Made once, applied on every shard in the same order.
struct ImageDelta {
    std::optional<ClusterFacts> facts;
    std::optional<BrokerConfigs> broker_configs;
    std::vector<std::shared_ptr<const BrokerImage>> brokers;
    std::vector<sdk::NodeId> brokers_gone;
    std::vector<std::shared_ptr<const TopicImage>> topics_gone;  // Applied before `topics`.
    std::vector<std::shared_ptr<const TopicImage>> topics;       // New ones and changed ones.

    bool empty() const {
        return !facts && !broker_configs && brokers.empty() && brokers_gone.empty() &&
               topics.empty() && topics_gone.empty();
    }
};

// Hears what an Image has just learned. [shard] of that image; the image is already changed.
class ImageListener {
public:
    // `before` is null for a topic that is new here. The partition driver opens, keeps or hands
    // over this shard's partitions of the topic.
    virtual void topic_changed(const TopicImage* before, const TopicImage& now) = 0;
    // Deleted. A topic of the same name may follow, with another id.
    virtual void topic_removed(const TopicImage& was) = 0;

protected:
    ~ImageListener() = default;
};

class Image {
public:
    using Topics = std::map<std::string_view, std::shared_ptr<const TopicImage>, std::less<>>;
    using Brokers = std::map<sdk::NodeId, std::shared_ptr<const BrokerImage>>;

    const ClusterFacts& facts() const { return facts_; }
    const BrokerConfigs& broker_configs() const { return broker_configs_; }
    const Brokers& brokers() const { return brokers_; }  // Registered now.
    const Topics& topics() const { return by_name_; }    // In order of name.
    std::size_t partition_count() const { return partition_count_; }

    // Null if there is none.
    const BrokerImage* broker(sdk::NodeId id) const;
    const TopicImage* topic(std::string_view name) const;
    const TopicImage* topic(const sdk::Uuid& id) const;
    std::shared_ptr<const TopicImage> share(std::string_view name) const;
    std::shared_ptr<const TopicImage> share(const sdk::Uuid& id) const;
    const PartitionImage* partition(const sdk::Uuid& topic_id, std::int32_t index) const;

    // Also true for a topic that Leat keeps for itself (__consumer_offsets), made or not.
    static bool is_internal(std::string_view topic);

    // Tells `listener`, if any, about each topic. The same delta twice changes nothing.
    void apply(const ImageDelta& delta, ImageListener* listener = nullptr);

private:
    void put(const std::shared_ptr<const TopicImage>& topic, ImageListener* listener);
    void remove(const std::shared_ptr<const TopicImage>& topic, ImageListener* listener);

    ClusterFacts facts_;
    BrokerConfigs broker_configs_;
    Brokers brokers_;
    Topics by_name_;  // Keys lie in the values.
    std::unordered_map<sdk::Uuid, std::shared_ptr<const TopicImage>> by_id_;
    std::size_t partition_count_ = 0;
};

}  // namespace leat::cluster
