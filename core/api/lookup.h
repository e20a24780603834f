// How requests name things, and what the image says of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/api/services.h"
#include "core/api/session.h"
#include "core/broker/partition_table.h"
#include "core/wire/error_code.h"
#include "leat/sdk/network.h"
#include "leat/sdk/uuid.h"

namespace leat::api {

// A partition that a produce or fetch names by topic name, or from some version on by id.
struct NamedPartition {
    bool by_id = false;
    std::string_view topic;
    sdk::Uuid topic_id;
    std::int32_t index = 0;
    bool may_be_internal = true;  // Else the broker's own topics are INVALID_TOPIC_EXCEPTION.
};
std::variant<broker::PartitionRef, wire::ErrorCode> find_partition(const cluster::Image& image,
                                                                   const NamedPartition& named);

// 0 reads all up to the high watermark, 1 what is committed; there are no others.
bool is_isolation_level(std::int8_t level);

// A broker, and where the caller of a request reaches it: on the listener that it came in by.
struct ReachableBroker {
    std::int32_t node_id = -1;
    sdk::Endpoint at;
    std::optional<std::string> rack;
};
// All but those that have no such listener.
std::vector<ReachableBroker> reachable_brokers(const cluster::Image& image, const Caller& caller);

// What a caller may do with a topic and with the cluster, a bit for each of Kafka's AclOperations
// (KIP-430). Without an authorizer that is all that each kind of resource knows.
inline constexpr std::int32_t all_topic_operations = 0b1101'1111'1000;  // READ.. DESCRIBE, configs.
inline constexpr std::int32_t all_group_operations = 0b1101'0100'1000;  // READ, DELETE, DESCRIBE..
inline constexpr std::int32_t all_cluster_operations = 0b1'1111'1010'0000;

// As answers name them.
std::vector<std::int32_t> node_ids(const cluster::NodeList& nodes);

}  // namespace leat::api
