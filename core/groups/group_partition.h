// Which partition of __consumer_offsets a group lives on. As Kafka computes it, so that a folder of
// Kafka's is understood, and clients that compute it find the right broker.
#pragma once

#include <cstdint>
#include <string_view>

namespace leat::groups {

// abs(String.hashCode()) modulo `partitions`, over the UTF-16 units of `group`, which is UTF-8.
std::int32_t partition_of_group(std::string_view group, std::int32_t partitions);

}  // namespace leat::groups
