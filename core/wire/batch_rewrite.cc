#include "core/wire/batch_rewrite.h"

#include <limits>

#include "core/wire/batch_layout.h"
#include "leat/sdk/ensure.h"

namespace leat::wire {
namespace {

constexpr std::int16_t codec_bits = 7, horizon_bit = 64;

std::vector<std::byte> with_records(const BatchView& original, std::span<const std::byte> records) {
    const std::size_t length = batch_header_bytes - batch_frame_bytes + records.size();
    sdk::ensure(length <= std::numeric_limits<std::int32_t>::max(), "a batch has a 32 bit length");
    const auto header = original.bytes().first(batch_header_bytes);
    std::vector<std::byte> bytes;
    bytes.reserve(header.size() + records.size());
    bytes.assign(header.begin(), header.end());
    bytes.insert(bytes.end(), records.begin(), records.end());
    store(bytes, at::length, static_cast<std::int32_t>(length));
    return bytes;
}

}  // namespace

std::vector<std::byte> rewritten_batch(const BatchView& original, const RewrittenFields& fields,
                                       std::span<const std::byte> records) {
    auto bytes = with_records(original, records);
    int attributes = original.attributes();
    if (fields.codec_id) attributes = (attributes & ~codec_bits) | *fields.codec_id;
    if (fields.delete_horizon) {
        attributes |= horizon_bit;
        store(bytes, at::base_timestamp, fields.delete_horizon->value);
    }
    store(bytes, at::attributes, static_cast<std::int16_t>(attributes));
    store(bytes, at::max_timestamp, fields.max_timestamp.value);
    store(bytes, at::record_count, fields.count);
    MutableBatchView{bytes}.seal();
    return bytes;
}

std::vector<std::byte> emptied_batch(const BatchView& original) {
    auto bytes = with_records(original, {});
    const int attributes = original.attributes() & ~(codec_bits | horizon_bit);
    store(bytes, at::attributes, static_cast<std::int16_t>(attributes));
    store(bytes, at::base_timestamp, std::int64_t{-1});
    store(bytes, at::record_count, std::int32_t{0});
    MutableBatchView{bytes}.seal();
    return bytes;
}

}  // namespace leat::wire
