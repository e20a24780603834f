// A storage engine on a disk that forgets what was not synced.
//
// SimDisk is the device: it outlives processes. SimEngine is the plugin of one process over it.
// A log has what is written and what of it is durable; side files, truncate and trim are durable
// when they return, as the contract says.
//
//   crash of the machine   each log keeps a prefix of whole batches, somewhere between durable and
//                          written: what recovery makes of a torn tail
//   append fails           no_space: nothing is kept. io: what was written is unknown; some of it
//                          may show after the next start
//   flush fails            what was not durable may be gone at the next start, whatever comes (the
//                          pages are marked clean: fsyncgate)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "leat/sdk/storage.h"
#include "tests/simulation/world.h"

namespace leat::simulation {

struct StoredBatch {
    sdk::Offset base;
    sdk::Offset next;
    sdk::Timestamp max_timestamp;
    std::shared_ptr<const std::vector<std::byte>> bytes;
    bool begins_extent = false;
};

struct StoredLog {
    sdk::PartitionId id;
    std::vector<StoredBatch> batches;  // The last `ghosts` came of a failed append.
    std::size_t ghosts = 0;
    sdk::Offset begin{0};
    sdk::Offset end{0};
    sdk::Offset durable{0};
    bool sealed = false;        // The next batch begins an extent.
    bool flush_failed = false;  // In this run.
    std::map<std::string, std::vector<std::byte>> files;
};

// What a log lost when a process or machine ended.
struct Loss {
    sdk::PartitionId id;
    sdk::Offset had;
    sdk::Offset kept;
    bool disk_failed = false;  // A flush of it had failed.
};

class SimDisk {
public:
    explicit SimDisk(World& world) : world_{world} {}

    // Between two processes. Every log, also those that lost nothing.
    std::vector<Loss> process_ended() { return ended(false); }
    std::vector<Loss> machine_crashed() { return ended(true); }

    const std::map<std::string, std::shared_ptr<StoredLog>>& logs() const { return logs_; }
    bool a_sync_failed() const;
    const StoredLog* log(const sdk::Uuid& topic_id, std::int32_t index) const;
    sdk::Offset end(const sdk::Uuid& topic_id, std::int32_t index) const;  // 0 if there is no log.

    // Chances in a thousand of each call.
    struct Faults {
        int no_space = 0;
        int append_io = 0;
        int flush_io = 0;
        int open_io = 0;
    };
    Faults faults;

private:
    friend class SimEngine;
    friend class SimLog;
    std::vector<Loss> ended(bool machine);

    World& world_;
    std::map<std::string, std::shared_ptr<StoredLog>> logs_;  // By id, name and index.
};

class SimEngine final : public sdk::StorageEngine {
public:
    SimEngine(SimDisk& disk, const SimShards& process) : disk_{disk}, process_{process} {}

    sdk::Result<std::unique_ptr<sdk::Log>> open(const sdk::PartitionId& id,
                                                const sdk::LogOptions& options) override;
    sdk::Status remove(const sdk::PartitionId& id) override;
    sdk::Result<std::vector<sdk::PartitionId>> partitions() override;
    sdk::Status closed_cleanly() override { return {}; }

private:
    SimDisk& disk_;
    const SimShards& process_;
};

}  // namespace leat::simulation
