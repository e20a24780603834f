// What one shard's partitions count since the start, in plain numbers: whoever wants them asks on
// that shard (core/admin/scrape.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/metrics/histogram.h"
#include "core/metrics/plugin_calls.h"

namespace leat::broker {

// What went through a partition, or through several.
struct Traffic {
    std::uint64_t bytes_in = 0;  // Batches appended.
    std::uint64_t records_in = 0;
    std::uint64_t bytes_out = 0;  // Batches read for answers.

    void add(const Traffic& other) {
        bytes_in += other.bytes_in;
        records_in += other.records_in;
        bytes_out += other.bytes_out;
    }
};

// What compaction did, also in passes that ended early.
struct CompactionCount {
    std::uint64_t read = 0;     // Bytes.
    std::uint64_t written = 0;  // Bytes.
    std::uint64_t dropped = 0;  // Records.
};
struct CompactionFigures : CompactionCount {
    std::uint64_t passes = 0;    // That came to their end.
    std::uint64_t given_up = 0;  // Partitions that cannot be compacted.

    void add(const CompactionCount& pass) {
        read += pass.read;
        written += pass.written;
        dropped += pass.dropped;
    }
    void merge(const CompactionFigures& other) {
        add(other);
        passes += other.passes;
        given_up += other.given_up;
    }
};

struct StorageFigures {
    metrics::PluginCalls calls;
    CompactionFigures compaction;
    metrics::Histogram syncs;  // How long flush() took.
};

// [shard] Entries stay where they are: partitions keep references.
struct ShardFigures {
    std::map<std::string, StorageFigures, std::less<>> storage;  // By instance, as those below.
    std::map<std::string, metrics::PluginCalls, std::less<>> replication;
    std::map<std::string, metrics::PluginCalls, std::less<>> assignment;  // Shard 0's: all.
    Traffic gone;  // Of partitions that are no more.
};

}  // namespace leat::broker
