#include "batch_writes.h"

#include <algorithm>
#include <array>
#include <climits>

namespace leat::segment {
namespace {

// One call writes so much: enough to be cheap per byte, little enough to stay in the cache.
constexpr std::uint64_t most_bytes_per_write = 256 * 1024;
constexpr std::size_t most_parts_per_write = 256;
static_assert(most_parts_per_write <= IOV_MAX);

// The parts of one write: batches from number `batch` on, beginning `skip` bytes into it.
struct Cursor {
    std::size_t batch = 0;
    std::size_t skip = 0;

    std::size_t gather(std::span<const sdk::StampedBatch> batches,
                       std::array<iovec, most_parts_per_write>& parts) const {
        std::size_t count = 0;
        std::uint64_t bytes = 0;
        std::size_t from = skip;
        for (std::size_t i = batch; i < batches.size() && count < parts.size(); ++i) {
            const auto rest = batches[i].bytes.subspan(from);
            const std::uint64_t room = most_bytes_per_write - bytes;
            const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), room));
            if (size == 0) break;
            parts[count++] = {const_cast<std::byte*>(rest.data()), size};
            bytes += size;
            from = 0;
        }
        return count;
    }
    void advance(std::span<const sdk::StampedBatch> batches, std::uint64_t bytes) {
        while (bytes != 0) {
            const std::uint64_t rest = batches[batch].bytes.size() - skip;
            if (bytes < rest) {
                skip += static_cast<std::size_t>(bytes);
                return;
            }
            bytes -= rest;
            ++batch;
            skip = 0;
        }
    }
};

}  // namespace

std::int64_t write_batches(const OpenFile& file, std::uint64_t at,
                           std::span<const sdk::StampedBatch> batches) {
    Cursor cursor;
    std::array<iovec, most_parts_per_write> parts;
    while (cursor.batch < batches.size()) {
        const std::size_t count = cursor.gather(batches, parts);
        const std::int64_t wrote =
            file.system().write(file.descriptor(), std::span{parts}.first(count), at);
        if (wrote <= 0) return wrote;
        at += static_cast<std::uint64_t>(wrote);
        cursor.advance(batches, static_cast<std::uint64_t>(wrote));
    }
    return 1;
}

}  // namespace leat::segment
