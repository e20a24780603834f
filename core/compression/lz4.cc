#include <lz4frame.h>

#include "core/compression/codecs.h"

namespace leat::compression {

namespace {

struct Decompressor {
    LZ4F_dctx* context = nullptr;
    bool ready = !LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION));
    Decompressor() = default;
    Decompressor(const Decompressor&) = delete;
    Decompressor& operator=(const Decompressor&) = delete;
    ~Decompressor() { LZ4F_freeDecompressionContext(context); }
};

}  // namespace

sdk::Result<Output> compress_lz4(Input input) {
    LZ4F_preferences_t preferences{};
    preferences.frameInfo.blockMode = LZ4F_blockIndependent;
    preferences.frameInfo.blockSizeID = LZ4F_max64KB;
    Output output(LZ4F_compressFrameBound(input.size(), &preferences));
    const std::size_t size = LZ4F_compressFrame(output.data(), output.size(), input.data(),
                                                input.size(), &preferences);
    if (LZ4F_isError(size)) return sdk::Error{sdk::Errc::internal, "lz4 did not finish"};
    output.resize(size);
    return output;
}

sdk::Status decompress_lz4(Input input, BoundedOutput& output) {
    Decompressor decompressor;
    if (!decompressor.ready) return no_memory("lz4");
    for (;;) {
        if (output.full()) return too_much("lz4");
        const auto room = output.room();
        std::size_t written = room.size();
        std::size_t taken = input.size();
        const std::size_t hint = LZ4F_decompress(decompressor.context, room.data(), &written,
                                                 input.data(), &taken, nullptr);
        if (LZ4F_isError(hint)) return corrupt("lz4 data is damaged");
        output.wrote(written);
        input = input.subspan(taken);
        if (hint == 0) {  // One frame, as Kafka writes it.
            if (input.empty()) return {};
            return corrupt("lz4 data goes on after its frame");
        }
        if (written == 0 && taken == 0) return corrupt("lz4 data is cut off");
    }
}

}  // namespace leat::compression
