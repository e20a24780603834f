// Numbers that mean something, as types that do not mix.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace leat::sdk {

template <class Tag, class Number>
struct Strong {
    Number value{};

    constexpr auto operator<=>(const Strong&) const = default;
};

// Position of a record in a partition's log: dense but for compaction and control batches.
using Offset = Strong<struct OffsetTag, std::int64_t>;
// Raised whenever a partition's leader changes; -1 is "not known" (KIP-101).
using LeaderEpoch = Strong<struct LeaderEpochTag, std::int32_t>;
using NodeId = Strong<struct NodeIdTag, std::int32_t>;
// Milliseconds since 1970-01-01 UTC, as in record batches; -1 is "none".
using Timestamp = Strong<struct TimestampTag, std::int64_t>;
// Position in the coordination store's history of changes; 0 is "before everything".
using Revision = Strong<struct RevisionTag, std::uint64_t>;

constexpr Offset operator+(Offset offset, std::int64_t n) { return {offset.value + n}; }
constexpr std::int64_t operator-(Offset a, Offset b) { return a.value - b.value; }

}  // namespace leat::sdk

template <class Tag, class Number>
struct std::hash<leat::sdk::Strong<Tag, Number>> {
    std::size_t operator()(const leat::sdk::Strong<Tag, Number>& strong) const {
        return std::hash<Number>{}(strong.value);
    }
};
