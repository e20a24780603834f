// Brings a PartitionLog to the state that its log says, at open and after a truncation: leader
// epochs and producers from the newest side files that fit the log, then the batches above them,
// one by one.
//
// [worker]: reads side files and batches, and may take as long as one extent takes to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/partition_log.h"
#include "leat/sdk/storage.h"

namespace leat::log {

class BatchReader {
public:
    // Whole batches in offset order from the one that holds `from` on; empty at the log's end. The
    // bytes are good until the next call.
    virtual sdk::Result<std::span<const std::byte>> read_from(Offset from) = 0;

protected:
    ~BatchReader() = default;
};

struct Recovered {
    Offset replayed_from;
    std::uint64_t batches = 0;         // Replayed.
    std::vector<std::string> ignored;  // Side files that were damaged or do not fit, for the log.
    LeaderEpochs stored_epochs;        // As the checkpoint has them; empty if there is none.
    std::int64_t highest_producer_id = wire::no_producer_id;  // Of those that are remembered now.
};

// Snapshots above the log's end tell of a tail that was lost: they are removed, for the log will
// grow past their offset again with other batches. `log` has been opened with the engine's bounds.
// `files` may be null: then all is replayed. Errc::corrupt if a batch of the log is not one.
sdk::Result<Recovered> recover(PartitionLog& log, sdk::SideFiles* files, BatchReader& batches,
                               Timestamp wall);

// The names a core writes: 20 digits, zero padded, as Kafka names its segments.
std::string snapshot_name(Offset at);  // `<at>.snapshot`
std::string windows_name(Offset at);   // `<at>.producers`

// Of the files that list() named, those that are of no more use: snapshots above `end` or below
// `begin`, and all but the newest two of the rest (Kafka keeps one per segment; two survive a
// damaged one).
std::vector<std::string> stale_files(const std::vector<std::string>& names, Offset begin,
                                     Offset end);

}  // namespace leat::log
