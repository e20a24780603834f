// Input: a byte of settings, then files: a byte that chooses which, one whose lowest bit removes
// it, two of length, and the bytes that it has instead of its own. The segments are always whole.
#include <array>

#include "leat/sdk/ensure.h"
#include "plugins/storage/segment/checkpoints.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/simulated_partition.h"

namespace leat::fuzz {
namespace {

using sdk::ensure;

const Files& whole() {
    static const Files files = [] {
        const Disk disk = disk_with({});
        Partition{disk, false}.fill();
        return files_on(*disk, data_folder);
    }();
    return files;
}

bool is_segment(const std::string& path) {
    return path.ends_with(".log");
}
// Recovery points, log starts and the clean marker promise something about the segments.
bool promises(const std::string& path) {
    return !path.starts_with(partition_folder + "/");
}

std::vector<std::string> replaceable() {
    std::vector<std::string> paths;
    for (const auto& [path, bytes] : whole()) {
        if (!is_segment(path)) paths.push_back(path);
    }
    return paths;
}

// An index has no checksum, here and in Kafka. One that is well-formed and lies is believed below a
// recovery point and after a clean stop: the newest timestamp of its segment is then what it says,
// until all is read.
Seen comparable(Seen seen, bool believed) {
    if (believed) {
        for (auto& extent : seen.extents) extent.max_timestamp = {};
    }
    return seen;
}

void decode_alone(Input bytes) {
    const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    if (const auto epochs = log::LeaderEpochs::decode(text)) {
        const auto again = log::LeaderEpochs::decode(epochs->encode());
        ensure(again && again->encode() == epochs->encode(), "leader epochs survive their text");
    }
    if (const auto points = segment::parse_checkpoint(text)) {
        ensure(segment::parse_checkpoint(segment::checkpoint_text(*points)) == points,
               "a checkpoint survives its text");
    }
    log::ProducerState state;
    if (state.load_windows(bytes)) {
        ensure(log::ProducerState{}.load_windows(state.encode_windows()).has_value(),
               "producers survive their file");
    }
    if (state.load_snapshot(bytes, noon)) {
        ensure(log::ProducerState{}.load_snapshot(state.encode_snapshot(), noon).has_value(),
               "producers survive Kafka's file");
    }
}

}  // namespace

void side_files(Input input) {
    static const Seen untouched = Partition{disk_with(whole()), false}.look(Leave::crashed);
    static const auto paths = replaceable();
    Pieces pieces{input};
    const bool cleanly = pieces.flag();
    Files files = whole();
    if (!cleanly) files.erase(data_folder + "/.kafka_cleanshutdown");
    bool promised = false;
    for (std::size_t i = 0; i < paths.size() && !pieces.empty(); ++i) {
        const std::string& path = paths[pieces.byte() % paths.size()];
        promised = promised || promises(path);
        const bool removed = pieces.flag();
        Bytes bytes = pieces.piece();
        decode_alone(bytes);
        if (removed) {
            files.erase(path);
        } else {
            files[path] = std::move(bytes);
        }
    }
    Partition partition{disk_with(files), false};
    const Seen first = partition.look(Leave::crashed);
    if (!promised) {
        ensure(!first.refused && first.batches == untouched.batches,
               "whole segments are read whole whatever lies beside them");
    }
    const bool believed = promised || cleanly;
    ensure(comparable(partition.look(Leave::crashed), believed) == comparable(first, believed),
           "recovery finds the same the second time");
}

}  // namespace leat::fuzz
