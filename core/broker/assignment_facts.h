// What an assignor may look at and only the shards of the partitions know: sizes, and how far a
// group is behind.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/broker/partition_table.h"
#include "leat/sdk/assignment.h"

namespace leat::broker {

// What a group has committed, by topic and partition.
using CommittedOffsets = std::map<std::string, std::map<std::int32_t, std::int64_t>, std::less<>>;

// [shard 0] Fills in lag, where something is committed, and bytes, as `wanted` says, and hands the
// input on. Both are known for what this broker leads. A partition that does not tell within
// `longest_gathering`, for it is still being opened, is told as unknown.
inline constexpr std::chrono::milliseconds longest_gathering{1'000};
void gather_facts(PartitionTables& tables, const sdk::AssignmentCapabilities& wanted,
                  CommittedOffsets committed, sdk::AssignmentInput input,
                  sdk::Function<void(sdk::AssignmentInput)> done);

}  // namespace leat::broker
