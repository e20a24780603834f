#include <zstd.h>
#include <zstd_errors.h>

#include "core/compression/codecs.h"

namespace leat::compression {

namespace {

// Whether a frame of today's format, or one that is to be skipped, begins here; or less than its
// magic number is there, of which the library makes what it is. The formats before 1.0 (2016) are
// older than zstd in Kafka, and the library decodes them without a bound on their window.
bool is_frame(Input input) {
    std::uint32_t magic = 0;
    if (input.size() < sizeof magic) return true;
    for (std::size_t i = 0; i < sizeof magic; ++i)
        magic |= std::to_integer<std::uint32_t>(input[i]) << (8 * i);
    return magic == ZSTD_MAGICNUMBER ||
           (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

struct Decompressor {
    ZSTD_DCtx* context = ZSTD_createDCtx();
    Decompressor() = default;
    Decompressor(const Decompressor&) = delete;
    Decompressor& operator=(const Decompressor&) = delete;
    ~Decompressor() { ZSTD_freeDCtx(context); }
};

}  // namespace

sdk::Result<Output> compress_zstd(Input input) {
    Output output(ZSTD_compressBound(input.size()));
    const std::size_t size = ZSTD_compress(output.data(), output.size(), input.data(), input.size(),
                                           ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(size)) return sdk::Error{sdk::Errc::internal, "zstd did not finish"};
    output.resize(size);
    return output;
}

sdk::Status decompress_zstd(Input input, int window_log, BoundedOutput& output) {
    Decompressor decompressor;
    if (decompressor.context == nullptr) return no_memory("zstd");
    if (ZSTD_isError(ZSTD_DCtx_setParameter(decompressor.context, ZSTD_d_windowLogMax, window_log)))
        return sdk::Error{sdk::Errc::invalid_argument, "zstd has no such window"};
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    bool begins = true;  // A frame does; there may be several.
    for (;;) {
        if (begins && !is_frame(input.subspan(in.pos))) return corrupt("zstd data is damaged");
        if (output.full()) return too_much("zstd");
        const auto room = output.room();
        ZSTD_outBuffer out{room.data(), room.size(), 0};
        const std::size_t before = in.pos;
        const std::size_t hint = ZSTD_decompressStream(decompressor.context, &out, &in);
        if (ZSTD_isError(hint)) {
            const bool window = ZSTD_getErrorCode(hint) == ZSTD_error_frameParameter_windowTooLarge;
            if (window) return sdk::Error{sdk::Errc::limit, "zstd data wants too large a window"};
            return corrupt("zstd data is damaged");
        }
        output.wrote(out.pos);
        begins = hint == 0;
        if (hint == 0 && in.pos == in.size) return {};
        if (out.pos == 0 && in.pos == before) return corrupt("zstd data is cut off");
    }
}

}  // namespace leat::compression
