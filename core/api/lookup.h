// How requests name things, and what the image says of them.
#pragma once

#include <cstdint>
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
};
std::variant<broker::PartitionRef, wire::ErrorCode> find_partition(const cluster::Image& image,
                                                                   const NamedPartition& named);

// Where `caller` reaches the broker: on the listener that it came in by.
sdk::Endpoint reachable_at(const cluster::BrokerImage& broker, const Caller& caller);

// As answers name them.
std::vector<std::int32_t> node_ids(const cluster::NodeList& nodes);

}  // namespace leat::api
