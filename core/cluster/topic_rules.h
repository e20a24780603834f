// Rules for topics that need nothing but their arguments: legal names, where replicas go.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster/image.h"
#include "leat/sdk/result.h"
#include "leat/sdk/strong.h"

namespace leat::cluster {

inline constexpr std::size_t most_topic_name_bytes = 249;  // A folder `name-2147483647` must fit.

// Kafka's legal names: 1 to 249 of [a-zA-Z0-9._-], neither "." nor "..".
sdk::Status check_topic_name(std::string_view name);

// The existing topic whose metrics would be indistinguishable from `name`'s, since Kafka folds '.'
// into '_' there; empty if there is none.
std::string_view colliding_topic(const Image& image, std::string_view name);

// Whether two different names fold alike.
bool names_collide(std::string_view a, std::string_view b);

// Replica lists for `partitions` new ones: round-robin over the brokers, first replica of the first
// partition on brokers[start % size]. Fewer brokers than replicas is the caller's to refuse.
std::vector<std::vector<sdk::NodeId>> place_replicas(std::span<const sdk::NodeId> brokers,
                                                     std::int32_t partitions,
                                                     std::int16_t replication_factor,
                                                     std::size_t start);

}  // namespace leat::cluster
