// Input: a byte of settings; where they say so, two bytes of recovery point and two of log start;
// then segments: a byte that chooses the base offset, two of length, and the bytes of the `.log`.
// With the highest bit the checksums are made right first.
#include <array>
#include <cstdint>

#include "core/wire/record_batch.h"
#include "leat/sdk/ensure.h"
#include "plugins/storage/segment/checkpoints.h"
#include "plugins/storage/segment/segment.h"
#include "plugins/storage/segment/small_files.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/sealed_batches.h"
#include "tests/fuzz/simulated_partition.h"

namespace leat::fuzz {
namespace {

using sdk::ensure;

constexpr std::array<std::int64_t, 8> bases{0, 1, 3, 10, 100, 1000, 1ll << 31, 1ll << 62};
constexpr int most_segments = 6;
const std::string marker = data_folder + "/.kafka_cleanshutdown";

void add_checkpoint(Files& files, const char* name, std::int64_t offset) {
    const auto text = segment::checkpoint_text({{"t-3", offset}});
    const auto bytes = std::as_bytes(std::span{text});
    files[data_folder + "/" + name].assign(bytes.begin(), bytes.end());
}

Files files_in(Input input, bool& preallocates) {
    Pieces pieces{input};
    const std::uint8_t settings = pieces.byte();
    preallocates = (settings & 8) != 0;
    Files files;
    // A folder without it is given one, whatever else is found.
    const auto text = segment::metadata_text({{1}});
    const auto metadata = std::as_bytes(std::span{text});
    files[partition_folder + "/partition.metadata"].assign(metadata.begin(), metadata.end());
    if ((settings & 1) != 0)
        add_checkpoint(files, "recovery-point-offset-checkpoint", pieces.number());
    if ((settings & 2) != 0) add_checkpoint(files, "log-start-offset-checkpoint", pieces.number());
    if ((settings & 4) != 0) files[marker] = {};
    for (int i = 0; i < most_segments && !pieces.empty(); ++i) {
        const std::int64_t base = bases[pieces.byte() % bases.size()];
        Bytes bytes = pieces.piece();
        if ((settings & 128) != 0) make_checksums_right(bytes);
        files[partition_folder + "/" + segment::segment_file(base, ".log")] = std::move(bytes);
    }
    return files;
}

}  // namespace

void segments(Input input) {
    bool preallocates = false;
    const Files files = files_in(input, preallocates);
    const Disk disk = disk_with(files);
    Partition partition{disk, preallocates};
    const Files before = files_on(*disk, partition_folder);
    // After a clean stop checksums are not looked at; whoever believed one stops cleanly too.
    const bool was_clean = files.contains(marker);
    const Seen first = partition.look(was_clean ? Leave::cleanly : Leave::crashed);
    ensure(first.seeks_fit, "a search by time begins no later than what it is for");
    if (first.refused == sdk::Errc::corrupt) {
        ensure(files_on(*disk, partition_folder) == before, "what is refused is left as it was");
    }
    ensure(partition.look(Leave::cleanly) == first, "recovery finds the same the second time");
    if (first.refused || was_clean) return;
    ensure(partition.look(Leave::cleanly) == first, "a clean stop changes nothing");
    const sdk::Offset end = first.bounds.end;
    if (end.value > INT64_MAX - 10 || !partition.append(end)) return;
    const Seen longer = partition.look(Leave::crashed);
    ensure(!longer.refused && longer.bounds.end == end + 2 &&
               longer.bounds.begin == first.bounds.begin &&
               longer.batches.size() == first.batches.size() + 1,
           "what is appended after a recovery is there after the next one");
}

}  // namespace leat::fuzz
