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

std::optional<Bytes> file_in(const Files& files, const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
}

std::uint64_t number_at(const Bytes& bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = at; i < at + size; ++i)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    return value;
}

// Whether every entry is above the one before it in both of its numbers, and below the limits.
bool ascends(const Bytes& bytes, std::array<std::size_t, 2> sizes,
             std::array<std::uint64_t, 2> limits) {
    const std::size_t entry = sizes[0] + sizes[1];
    if (bytes.size() % entry != 0) return false;
    std::array<std::uint64_t, 2> before{};
    for (std::size_t at = 0; at < bytes.size(); at += entry) {
        const std::array numbers{number_at(bytes, at, sizes[0]),
                                 number_at(bytes, at + sizes[0], sizes[1])};
        for (std::size_t i = 0; i < 2; ++i) {
            if (numbers[i] > limits[i] || (at != 0 && numbers[i] <= before[i])) return false;
        }
        before = numbers;
    }
    return true;
}

// An index has no checksum, here and in Kafka. Whether there is one that could be its segment's and
// is not what was written: after a clean stop it is believed.
bool index_lies(const Files& files) {
    for (const auto& [path, log] : whole()) {
        if (!is_segment(path)) continue;
        const std::string stem = path.substr(0, path.size() - 4);
        const auto places = file_in(files, stem + ".index");
        const auto times = file_in(files, stem + ".timeindex");
        if (!places || !times) continue;
        const bool as_written = places == file_in(whole(), stem + ".index") &&
                                times == file_in(whole(), stem + ".timeindex");
        if (as_written || (times->empty() && !places->empty())) continue;
        if (ascends(*places, {4, 4}, {INT32_MAX, log.size() - 1}) &&
            ascends(*times, {8, 4}, {INT64_MAX, INT32_MAX}))
            return true;
    }
    return false;
}

// The newest timestamp of a segment is then what its index says, until all is read; and so is where
// a read begins.
Seen comparable(Seen seen, bool believed) {
    if (believed) {
        for (auto& extent : seen.extents) extent.max_timestamp = {};
        seen.first_read.clear();
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
    const bool lies = index_lies(files);
    Partition partition{disk_with(files), false};
    const Seen first = partition.look(Leave::crashed);
    if (!promised) {
        ensure(!first.refused && first.batches == untouched.batches,
               "whole segments are read whole whatever lies beside them");
        ensure((cleanly && lies) || (first.first_read == untouched.first_read && first.seeks_fit),
               "what cannot be a segment's index leads nobody astray");
    }
    const bool believed = promised || (cleanly && lies);
    ensure(comparable(partition.look(Leave::crashed), believed) == comparable(first, believed),
           "recovery finds the same the second time");
}

}  // namespace leat::fuzz
