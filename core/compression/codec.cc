#include "core/compression/codec.h"

#include "core/compression/bounded_output.h"
#include "core/compression/codecs.h"

namespace leat::compression {

std::optional<Codec> codec_of(int id) {
    if (id < 0 || id > 4) return std::nullopt;
    return static_cast<Codec>(id);
}

std::string_view name_of(Codec codec) {
    switch (codec) {
        case Codec::none: return "none";
        case Codec::gzip: return "gzip";
        case Codec::snappy: return "snappy";
        case Codec::lz4: return "lz4";
        case Codec::zstd: return "zstd";
    }
    return "unknown";
}

std::optional<Codec> codec_named(std::string_view name) {
    for (int id = 0; id <= 4; ++id) {
        if (name_of(static_cast<Codec>(id)) == name) return static_cast<Codec>(id);
    }
    return std::nullopt;
}

namespace {

sdk::Status decompress_into(Codec codec, Input input, const Bounds& bounds, BoundedOutput& output) {
    switch (codec) {
        case Codec::none: break;
        case Codec::gzip: return decompress_gzip(input, output);
        case Codec::snappy: return decompress_snappy(input, output);
        case Codec::lz4: return decompress_lz4(input, output);
        case Codec::zstd: return decompress_zstd(input, bounds.zstd_window_log, output);
    }
    return sdk::Error{sdk::Errc::invalid_argument, "there is no such codec"};
}

}  // namespace

sdk::Result<std::vector<std::byte>> decompress(Codec codec, std::span<const std::byte> input,
                                               const Bounds& bounds) {
    if (codec == Codec::none) {
        if (input.size() > bounds.max_output) return too_much("uncompressed");
        return Output(input.begin(), input.end());
    }
    BoundedOutput output{bounds, input.size()};
    if (auto done = decompress_into(codec, input, bounds, output); !done) return done.error();
    return output.take();
}

}  // namespace leat::compression
