// Names a partition inside the process, and says which shard owns it. Nothing on disk knows shards,
// so their number may change between runs.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "leat/sdk/uuid.h"

namespace leat::broker {

struct PartitionKey {
    sdk::Uuid topic_id;
    std::int32_t index = 0;

    auto operator<=>(const PartitionKey&) const = default;
};

inline std::size_t hash_of(const PartitionKey& key) {
    // Topic ids are random; partitions of one topic must not follow each other to the same shard.
    return std::hash<sdk::Uuid>{}(key.topic_id) + static_cast<std::size_t>(key.index);
}

inline std::size_t shard_of(const PartitionKey& key, std::size_t shards) {
    return hash_of(key) % shards;
}

struct PartitionKeyHash {
    std::size_t operator()(const PartitionKey& key) const {
        return hash_of(key) * 0x9e3779b97f4a7c15ull;
    }
};

}  // namespace leat::broker
