#include "core/client/partitioner.h"

#include <cstring>

namespace leat::client {

std::uint32_t murmur2(std::string_view bytes) {
    constexpr std::uint32_t seed = 0x9747b28c;
    constexpr std::uint32_t factor = 0x5bd1e995;
    std::uint32_t hash = seed ^ static_cast<std::uint32_t>(bytes.size());
    for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
        std::uint32_t word = 0;  // Little-endian, as this machine is.
        std::memcpy(&word, bytes.data(), sizeof word);
        word *= factor;
        word ^= word >> 24;
        hash = (hash * factor) ^ (word * factor);
    }
    if (!bytes.empty()) {
        std::uint32_t rest = 0;
        std::memcpy(&rest, bytes.data(), bytes.size());
        hash = (hash ^ rest) * factor;
    }
    hash = (hash ^ (hash >> 13)) * factor;
    return hash ^ (hash >> 15);
}

std::int32_t partition_of_key(std::string_view key, std::int32_t partitions) {
    return static_cast<std::int32_t>(murmur2(key) & 0x7fffffff) % partitions;
}

}  // namespace leat::client
