#include "core/wire/batch_rewrite.h"

#include <limits>

#include "leat/sdk/ensure.h"

namespace leat::wire {
namespace {

constexpr std::size_t length_at = 8, attributes_at = 21, base_timestamp_at = 27,
                      max_timestamp_at = 35, count_at = 57;
constexpr std::int16_t codec_bits = 7, horizon_bit = 64;

template <class Number>
void put(std::vector<std::byte>& bytes, std::size_t at, Number number) {
    const auto bits = static_cast<std::uint64_t>(number);
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        bytes[at + i] = static_cast<std::byte>(bits >> (8 * (sizeof(Number) - 1 - i)) & 0xff);
    }
}

std::vector<std::byte> with_records(const BatchView& original, std::span<const std::byte> records) {
    const std::size_t length = batch_header_bytes - batch_frame_bytes + records.size();
    sdk::ensure(length <= std::numeric_limits<std::int32_t>::max(), "a batch has a 32 bit length");
    const auto header = original.bytes().first(batch_header_bytes);
    std::vector<std::byte> bytes;
    bytes.reserve(header.size() + records.size());
    bytes.assign(header.begin(), header.end());
    bytes.insert(bytes.end(), records.begin(), records.end());
    put(bytes, length_at, static_cast<std::int32_t>(length));
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
        put(bytes, base_timestamp_at, fields.delete_horizon->value);
    }
    put(bytes, attributes_at, static_cast<std::int16_t>(attributes));
    put(bytes, max_timestamp_at, fields.max_timestamp.value);
    put(bytes, count_at, fields.count);
    MutableBatchView{bytes}.seal();
    return bytes;
}

std::vector<std::byte> emptied_batch(const BatchView& original) {
    auto bytes = with_records(original, {});
    const int attributes = original.attributes() & ~(codec_bits | horizon_bit);
    put(bytes, attributes_at, static_cast<std::int16_t>(attributes));
    put(bytes, base_timestamp_at, std::int64_t{-1});
    put(bytes, count_at, std::int32_t{0});
    MutableBatchView{bytes}.seal();
    return bytes;
}

}  // namespace leat::wire
