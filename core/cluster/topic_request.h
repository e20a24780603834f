// What somebody asks of the cluster's topics, and what came of it: the shapes between api/ and the
// metadata driver. Field meanings are those of CreateTopics, DeleteTopics, CreatePartitions and
// IncrementalAlterConfigs (KIP-4, KIP-516, KIP-195, KIP-339).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster/image.h"
#include "core/wire/error_code.h"
#include "leat/sdk/strong.h"
#include "leat/sdk/uuid.h"

namespace leat::cluster {

inline constexpr std::int32_t by_template = -1;  // Partitions, replication factor: as configured.

struct NewTopic {
    std::string name;
    std::int32_t partitions = by_template;
    std::int16_t replication_factor = by_template;
    // Replicas by partition index, if the client places them itself; then the two above are -1.
    std::vector<std::pair<std::int32_t, std::vector<sdk::NodeId>>> assignments;
    std::vector<std::pair<std::string, std::optional<std::string>>> configs;
};

struct CreateTopics {
    std::vector<NewTopic> topics;
    bool validate_only = false;
    std::int32_t timeout_ms = 30'000;
};

// Of CreateTopics, in the order of the request; a topic that it names more than once is answered
// once.
struct CreatedTopic {
    std::string name;
    wire::ErrorCode error = wire::ErrorCode::none;
    std::string message;  // For a human; set if there is an error.
    // As it is, or would be if only validated. Null after an error.
    std::shared_ptr<const TopicImage> topic;
};

// As a client names it: by name, or by an id that is not zero.
struct TopicToDelete {
    std::optional<std::string> name;
    sdk::Uuid id;
};

struct DeletedTopic {
    std::optional<std::string> name;  // Of a topic that exists it is filled in, and so is the id.
    sdk::Uuid id;
    wire::ErrorCode error = wire::ErrorCode::none;
    std::string message;
};

// How many partitions a topic that exists is to have.
struct MorePartitions {
    std::string topic;
    std::int32_t count = 0;  // All of them, the old ones too.
    // Replicas of each new one, if the client places them itself.
    std::optional<std::vector<std::vector<sdk::NodeId>>> assignments;
};

struct CreatePartitions {
    std::vector<MorePartitions> topics;
    bool validate_only = false;
    std::int32_t timeout_ms = 30'000;
};

// Numbers are the protocol's.
enum class ConfigOperation : std::int8_t { set = 0, remove = 1, append = 2, subtract = 3 };

struct ConfigChange {
    std::string name;
    ConfigOperation operation = ConfigOperation::set;
    std::string value;  // Of `remove` not looked at.
};

struct TopicConfigChange {
    std::string topic;
    bool replace = false;  // Overrides that are not named go (AlterConfigs).
    std::vector<ConfigChange> changes;
};

struct BrokerConfigChange {
    std::optional<sdk::NodeId> broker;  // None: all brokers.
    bool replace = false;
    std::vector<ConfigChange> changes;
};

struct AlterConfigs {
    std::vector<TopicConfigChange> topics;
    std::vector<BrokerConfigChange> brokers;
    bool validate_only = false;
    std::int32_t timeout_ms = 30'000;
};

// Of CreatePartitions, in the order of the request, and of AlterConfigs: topics, then brokers.
struct ChangedTopic {
    std::string topic;  // Of a broker: empty.
    wire::ErrorCode error = wire::ErrorCode::none;
    std::string message;  // For a human; set if there is an error.
};

}  // namespace leat::cluster
