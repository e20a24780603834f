// What Leat writes into the coordination store: keys, and values as small JSON with a `version`, so
// that each store's own tool shows them. Unknown fields are ignored (a newer broker wrote them);
// garbage is an error that names the key.
//
//   /cluster                    identity, made once            /features
//   /brokers/ids/<n>            ephemeral registration         /brokers/directories/<n>  its guard
//   /controller                 ephemeral, who it is           /controller_epoch         its guard
//   /topics/<name>              makes a topic visible          /deletions/<topic id>     to be done
//   /partitions/<topic id>/<n>  leader, epoch, ISR, ELR        /config/topics/<topic id>
//   /producer_ids               next block                     /config/brokers/<n> or default
//
// Checked    A key that is ever checked is never deleted and made again. Checked are the two
//            guards, /cluster, /features, /producer_ids and the configs of brokers, which are never
//            deleted, and partitions, configs and deletions of topics, whose keys hold a topic id
//            that never comes back.
//            /topics/<name> is never checked: only the controller writes it, fenced by
//            /controller_epoch, so the name is free again as soon as the topic is gone, and no
//            tombstones pile up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster/image.h"
#include "leat/sdk/coordination.h"
#include "leat/sdk/replication.h"
#include "leat/sdk/result.h"
#include "leat/sdk/strong.h"
#include "leat/sdk/uuid.h"

namespace leat::cluster {

namespace keys {

inline constexpr std::string_view everything = "/";
inline constexpr std::string_view cluster = "/cluster";
inline constexpr std::string_view features = "/features";
inline constexpr std::string_view controller = "/controller";
inline constexpr std::string_view controller_epoch = "/controller_epoch";
inline constexpr std::string_view producer_ids = "/producer_ids";
inline constexpr std::string_view brokers = "/brokers/ids/";
inline constexpr std::string_view directories = "/brokers/directories/";
inline constexpr std::string_view topics = "/topics/";
inline constexpr std::string_view partitions = "/partitions/";
inline constexpr std::string_view deletions = "/deletions/";
inline constexpr std::string_view topic_configs = "/config/topics/";
inline constexpr std::string_view broker_configs = "/config/brokers/";

std::string broker(sdk::NodeId node);
std::string directory(sdk::NodeId node);
std::string topic(std::string_view name);
std::string partition(const sdk::Uuid& topic_id, std::int32_t index);
std::string deletion(const sdk::Uuid& topic_id);
std::string topic_config(const sdk::Uuid& topic_id);
std::string broker_config(std::optional<sdk::NodeId> node);  // None: all brokers.

}  // namespace keys

// Kafka's text form: 22 characters of URL-safe base64 without padding.
std::string uuid_text(const sdk::Uuid& uuid);
std::optional<sdk::Uuid> parse_uuid(std::string_view text);

struct ClusterRecord {
    std::string cluster_id;
};
struct BrokerRecord {
    sdk::NodeId node = no_node;
    sdk::Uuid directory;
    sdk::Uuid incarnation;  // New for every session: tells own leftovers from what is ours now.
    std::string rack;
    std::vector<Endpoint> endpoints;
};
struct ControllerRecord {  // Also the value of /controller_epoch.
    sdk::NodeId node = no_node;
    sdk::Uuid incarnation;
    std::int32_t epoch = -1;
};
struct TopicRecord {
    std::string name;
    sdk::Uuid id;
    std::int32_t partitions = 0;
    bool internal = false;
    std::string storage;
    std::string replication;
    bool configured = false;  // Has a config key from its first moment on.
};
struct DeletionRecord {
    std::string name;
    sdk::Uuid id;
    std::int32_t partitions = 0;
};
struct ProducerIdsRecord {
    std::int64_t next = 0;  // First id of the next block.
    sdk::NodeId node = no_node;  // Who has taken the last one, and
    sdk::Uuid token;             // by which attempt.
};

std::string encode(const ClusterRecord& record);
std::string encode(const BrokerRecord& record);
std::string encode(const ControllerRecord& record);
std::string encode(const TopicRecord& record);
std::string encode(const DeletionRecord& record);
std::string encode(const ProducerIdsRecord& record);
std::string encode(const sdk::PartitionState& state);
std::string encode(const ConfigMap& configs);
std::string encode_features(const std::map<std::string, std::int16_t>& features);

// Record is one of the types above. Errc::corrupt, naming the key.
template <class Record>
sdk::Result<Record> decode(const sdk::KeyValue& entry);

// The topic and index in a partition's key; nothing if it is not one.
struct PartitionPath {
    sdk::Uuid topic_id;
    std::int32_t index = 0;
};
std::optional<PartitionPath> parse_partition_key(std::string_view key);

}  // namespace leat::cluster
