// The partition of __consumer_offsets that a group coordinator lives on: read from its beginning
// when the coordinator loads, appended to when it has decided.
//
// Threads    [shard] throughout; loading and opening of batches is a worker's.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/broker/partition_table.h"
#include "core/groups/effects.h"
#include "core/wire/error_code.h"
#include "leat/sdk/function.h"

namespace leat::broker {

class GroupLog : public std::enable_shared_from_this<GroupLog> {
public:
    // Writes offsets in that version (wire/group_records/group_record.h).
    GroupLog(PartitionTable& table, sdk::Shard& shard, PartitionKey key, wire::Version offsets);
    ~GroupLog();

    struct Loaded {
        wire::ErrorCode error = wire::ErrorCode::none;
        std::string why{};  // Of an error; or what was found and not understood.
        std::size_t records = 0;
        std::size_t not_understood = 0;  // Of a newer Kafka's kinds, or damaged. Passed over.
    };
    // Hands what was committed to `replay`, in order, then `done`.
    void load(sdk::Function<void(const groups::Record&)> replay, sdk::Function<void(Loaded)> done);

    // In as few batches as `most_batch_bytes` lets it. `done` hears once: when all is committed, or
    // of the first batch that failed.
    void append(std::span<const groups::Record> records, std::size_t most_batch_bytes,
                sdk::Function<void(wire::ErrorCode)> done);

private:
    struct Chunk;
    struct Loading;
    void read_on();
    void chunk_came(Chunk chunk);
    void finish(wire::ErrorCode error, std::string why);

    PartitionTable& table_;
    sdk::Shard& shard_;
    const PartitionRef partition_;
    const wire::Version offsets_;
    std::unique_ptr<Loading> loading_;
};

}  // namespace leat::broker
