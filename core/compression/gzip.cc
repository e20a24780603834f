#include <zlib.h>

#include "core/compression/codecs.h"

namespace leat::compression {

namespace {

constexpr int gzip_window = 15 + 16;  // zlib: 16 more means gzip's header and trailer.
constexpr int default_memory_level = 8;

Bytef* zlib_input(Input input) {  // zlib 1 wants it mutable and does not write.
    return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data()));
}

struct Inflater {
    z_stream stream{};
    bool ready = inflateInit2(&stream, gzip_window) == Z_OK;
    Inflater() = default;
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() {
        if (ready) inflateEnd(&stream);
    }
};

}  // namespace

sdk::Result<Output> compress_gzip(Input input) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, default_memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return no_memory("gzip");
    Output output(deflateBound(&stream, static_cast<uLong>(input.size())));
    stream.next_in = zlib_input(input);
    stream.avail_in = static_cast<uInt>(input.size());
    stream.next_out = reinterpret_cast<Bytef*>(output.data());
    stream.avail_out = static_cast<uInt>(output.size());
    const int done = deflate(&stream, Z_FINISH);
    output.resize(stream.total_out);
    deflateEnd(&stream);
    if (done != Z_STREAM_END) return sdk::Error{sdk::Errc::internal, "gzip did not finish"};
    return output;
}

sdk::Status decompress_gzip(Input input, BoundedOutput& output) {
    Inflater inflater;
    if (!inflater.ready) return no_memory("gzip");
    z_stream& stream = inflater.stream;
    stream.next_in = zlib_input(input);
    stream.avail_in = static_cast<uInt>(input.size());
    for (;;) {
        // One byte beyond the limit is not asked for: a full output and an unfinished stream is a
        // bomb.
        if (output.full()) return too_much("gzip");
        const auto room = output.room();
        stream.next_out = reinterpret_cast<Bytef*>(room.data());
        stream.avail_out = static_cast<uInt>(room.size());
        const int done = inflate(&stream, Z_NO_FLUSH);
        output.wrote(room.size() - stream.avail_out);
        if (done == Z_STREAM_END) {
            if (stream.avail_in == 0) return {};
            if (inflateReset(&stream) != Z_OK) return corrupt("gzip data cannot be read");
            continue;  // Members may follow each other (RFC 1952, 2.2).
        }
        if (done == Z_MEM_ERROR) return no_memory("gzip");
        if (done != Z_OK && done != Z_BUF_ERROR) return corrupt("gzip data is damaged");
        if (stream.avail_in == 0 && stream.avail_out != 0) return corrupt("gzip data is cut off");
    }
}

}  // namespace leat::compression
