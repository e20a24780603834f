// One partition of the `segment` engine on a simulated disk, opened as a broker opens it: the
// engine's recovery, a read of all batches, the core's recovery over them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/log/leader_epochs.h"
#include "core/log/producer_state.h"
#include "leat/sdk/testing/log_reader.h"
#include "segment_engine.h"
#include "tests/fuzz/targets.h"
#include "tests/storage/simulated_disk.h"

namespace leat::fuzz {

inline const std::string data_folder = "/d";
inline const std::string partition_folder = "/d/t-3";
inline constexpr sdk::Timestamp noon{1'700'000'000'000};

using Disk = std::shared_ptr<storage_test::SimulatedDisk>;
using Files = std::map<std::string, Bytes>;  // By path.

Disk disk_with(const Files& files);
Files files_on(storage_test::SimulatedDisk& disk, const std::string& folder);

struct Seen {
    std::optional<sdk::Errc> refused;  // By the engine; then there is nothing else.
    std::string why;
    sdk::LogBounds bounds{};
    std::vector<sdk::Extent> extents;
    std::vector<sdk::testing::SeenBatch> batches;
    // The first batch that a small read at the beginning of each of `batches` gets, the last one
    // first, which its segment's index leads to; -1 if it fails.
    std::vector<std::int64_t> first_read;
    bool seeks_fit = true;   // No batch is behind where a search for its own time begins.
    bool recovered = false;  // By the core.
    std::vector<log::EpochStart> epochs;
    std::vector<log::ProducerEntry> producers;

    bool operator==(const Seen& other) const {
        return refused == other.refused && bounds == other.bounds && extents == other.extents &&
               batches == other.batches && first_read == other.first_read &&
               recovered == other.recovered && epochs == other.epochs &&
               producers == other.producers;
    }
};

enum class Leave { crashed, cleanly };

class Partition {
public:
    Partition(Disk disk, bool preallocates);

    // Opens it, looks at everything, and ends as `leave` says.
    Seen look(Leave leave);
    // Three batches of one record, one with a producer, with a roll and the core's side files
    // between them, then a clean stop.
    void fill();
    // One more batch at the end.
    bool append(sdk::Offset end);

private:
    struct Open;
    std::unique_ptr<Open> open(Seen& seen);
    void recover(sdk::Log& log, Seen& seen);

    Disk disk_;
    segment::EngineOptions options_;
};

}  // namespace leat::fuzz
