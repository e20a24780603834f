// One Produce: hands each partition's batch to the shard that owns it, and answers when the last of
// them has been acknowledged as the request asks.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/broker/partition.h"
#include "core/broker/partition_table.h"

namespace leat::broker {

enum class Acks : std::int16_t { all = -1, none = 0, leader = 1 };

struct ProduceItem {
    PartitionRef partition;
    // Set where the caller has found an error already (unknown topic): then it is not appended.
    wire::ErrorCode error = wire::ErrorCode::none;
    std::optional<std::span<std::byte>> records;  // Absent: null.
};

struct ProduceRequest {
    std::shared_ptr<void> owner;  // Keeps every item's records alive.
    std::vector<ProduceItem> items;
    Acks acks = Acks::leader;
    std::chrono::milliseconds timeout{30'000};  // For acks=all only.
    bool zstd = true;  // The client's version of Produce knows zstd (KIP-110).
};

// [home] `done` gets one outcome per item, in order, on `home`; possibly before this returns. After
// `timeout` what is not acknowledged is answered REQUEST_TIMED_OUT: its outcome is unknown.
void produce(PartitionTables& tables, std::size_t home, ProduceRequest request,
             sdk::Function<void(std::vector<AppendOutcome>)> done);

}  // namespace leat::broker
