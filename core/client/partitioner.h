// Which partition a key belongs to: as Kafka's own producers choose it, so that records of one key
// meet in one partition whoever wrote them (org.apache.kafka.clients.producer.internals,
// BuiltInPartitioner: murmur2 of the key, without its sign).
#pragma once

#include <cstdint>
#include <string_view>

namespace leat::client {

// 32 bits of murmur2 with Kafka's seed.
std::uint32_t murmur2(std::string_view bytes);

// 0 to `partitions` - 1; `partitions` is at least 1.
std::int32_t partition_of_key(std::string_view key, std::int32_t partitions);

}  // namespace leat::client
