// One pair of functions per codec, each in the only file that knows its library. Private to this
// folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/compression/bounded_output.h"
#include "core/compression/codec.h"
#include "leat/sdk/result.h"

namespace leat::compression {

using Input = std::span<const std::byte>;
using Output = std::vector<std::byte>;

sdk::Result<Output> compress_gzip(Input input);
sdk::Result<Output> compress_snappy(Input input);
sdk::Result<Output> compress_lz4(Input input);
sdk::Result<Output> compress_zstd(Input input);

sdk::Status decompress_gzip(Input input, BoundedOutput& output);
sdk::Status decompress_snappy(Input input, BoundedOutput& output);
sdk::Status decompress_lz4(Input input, BoundedOutput& output);
sdk::Status decompress_zstd(Input input, int window_log, BoundedOutput& output);

inline sdk::Error corrupt(std::string what) { return {sdk::Errc::corrupt, std::move(what)}; }
inline sdk::Error too_much(std::string codec) {
    return {sdk::Errc::limit, codec + " data grows beyond what a batch may decompress to"};
}
inline sdk::Error no_memory(std::string codec) {
    return {sdk::Errc::limit, "no memory for the " + codec + " codec"};
}

}  // namespace leat::compression
