// Topics over the wire: what `leat topic` does. Asking is repeated while brokers come and go, as
// Cluster::persist() says. What changes something is sent once: when the answer is lost, nobody
// knows whether it was done, and the error says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/client/cluster.h"
#include "core/wire/messages/describe_configs.h"
#include "leat/sdk/uuid.h"

namespace leat::client {

using ConfigValue = std::pair<std::string, std::string>;

// All that the brokers tell of, internal ones too, by name.
sdk::Result<std::vector<wire::MetadataResponse::Topic>> list_topics(Cluster& cluster);

// The topic of this name; if there is none, the error names one that was perhaps meant.
sdk::Result<wire::MetadataResponse::Topic> find_topic(Cluster& cluster, const std::string& name);

struct NewTopic {
    std::string name;
    std::int32_t partitions = -1;  // -1: as the broker has it for topics that say nothing.
    std::int16_t replicas = -1;
    std::vector<ConfigValue> configs;
};
struct CreatedTopic {
    std::int32_t partitions = -1;  // -1: the broker does not say.
    std::int16_t replicas = -1;
};
// `existed` is set, and nothing else done, if a topic of this name is there.
sdk::Result<CreatedTopic> create_topic(Cluster& cluster, const NewTopic& topic, bool validate_only,
                                       bool& existed);

// `missing` is set if there is no such topic.
sdk::Status delete_topic(Cluster& cluster, const std::string& name, bool& missing);

struct TopicChange {
    std::optional<std::int32_t> partitions;  // The new total; more than there are.
    std::vector<ConfigValue> set;
    std::vector<std::string> unset;  // These follow the broker's default again.
};
// The partitions first; the configs all or none.
sdk::Status alter_topic(Cluster& cluster, const std::string& name, const TopicChange& change,
                        bool validate_only);

struct PartitionState {
    wire::MetadataResponse::Partition partition;
    std::optional<std::int64_t> begin;  // Absent without a leader.
    std::optional<std::int64_t> end;
};
struct TopicState {
    std::string name;
    sdk::Uuid id;  // Zero if the broker does not say.
    bool internal = false;
    std::vector<PartitionState> partitions;                      // In order.
    std::vector<wire::DescribeConfigsResponse::Config> configs;  // By name.
};
sdk::Result<TopicState> describe_topic(Cluster& cluster, const std::string& name);

}  // namespace leat::client
