// What is thrown at the parsers of foreign bytes: each target takes any input, does with it what
// the broker would, and ends the process if something is not as promised. libFuzzer calls one of
// them per program (libfuzzer_entry.cc); the kept corpora also run as a test of every build
// (corpus_test.cc).
//
// An input begins with a few bytes that choose settings, as each target's file says; the rest is
// what came from the network or the disk.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace leat::fuzz {

using Bytes = std::vector<std::byte>;
using Input = std::span<const std::byte>;

void request(Input input);        // A frame from a client.
void response(Input input);       // A frame from a broker, and a whole conversation with one.
void batches(Input input);        // Records of a Produce request.
void decompress(Input input);     // Compressed records.
void segments(Input input);       // A partition's `.log` files, after a crash.
void side_files(Input input);     // Indexes, checkpoints, producer snapshots beside good segments.
void journal(Input input);        // Journal and snapshot of the local coordination backend.
void config(Input input);         // A configuration file.
void group_records(Input input);  // Records of `__consumer_offsets`.
void consumer_protocol(Input input);  // What members of a group say to each other.

struct Target {
    std::string_view name;  // Of the folder of its corpus.
    void (*run)(Input input);
};
inline constexpr Target targets[] = {
    {"request", request},
    {"response", response},
    {"batches", batches},
    {"decompress", decompress},
    {"segments", segments},
    {"side_files", side_files},
    {"journal", journal},
    {"config", config},
    {"group_records", group_records},
    {"consumer_protocol", consumer_protocol},
};

}  // namespace leat::fuzz
