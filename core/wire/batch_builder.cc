#include "core/wire/batch_builder.h"

#include <algorithm>

#include "leat/sdk/ensure.h"

namespace leat::wire {

namespace {

using Bytes = std::vector<std::byte>;

template <class Number>
void put_fixed(Bytes& to, Number number) {
    for (std::size_t i = sizeof(Number); i-- > 0;) {
        const auto bits = static_cast<std::uint64_t>(number) >> (8 * i);
        to.push_back(static_cast<std::byte>(bits & 0xff));
    }
}

void put_text(Bytes& to, std::optional<std::string_view> text) {
    put_varint(to, text ? static_cast<std::int64_t>(text->size()) : -1);
    if (!text) return;
    const auto bytes = std::as_bytes(std::span{text->data(), text->size()});
    to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

void put_varint(std::vector<std::byte>& to, std::int64_t value) {
    auto rest = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    for (; rest >= 0x80; rest >>= 7) to.push_back(static_cast<std::byte>((rest & 0x7f) | 0x80));
    to.push_back(static_cast<std::byte>(rest));
}

BatchBuilder& BatchBuilder::add(const NewRecord& record) {
    if (count_ == 0) base_timestamp_ = record.timestamp;
    max_timestamp_ = std::max(max_timestamp_, record.timestamp);
    last_offset_delta_ = record.offset_delta.value_or(last_offset_delta_ + 1);
    ++count_;

    Bytes body{std::byte{0}};
    put_varint(body, record.timestamp.value - base_timestamp_.value);
    put_varint(body, last_offset_delta_);
    put_text(body, record.key);
    put_text(body, record.value);
    put_varint(body, static_cast<std::int64_t>(record.headers.size()));
    for (const auto& [key, value] : record.headers) {
        put_text(body, key);
        put_text(body, value);
    }
    put_varint(records_, static_cast<std::int64_t>(body.size()));
    records_.insert(records_.end(), body.begin(), body.end());
    return *this;
}

std::vector<std::byte> BatchBuilder::build() const { return finish(records_, 0); }

std::vector<std::byte> BatchBuilder::build(int codec_id, Compress compress) const {
    const Bytes compressed = compress(records_);
    return finish(compressed, codec_id);
}

std::vector<std::byte> BatchBuilder::finish(std::span<const std::byte> records,
                                            int codec_id) const {
    Bytes bytes;
    bytes.reserve(batch_header_bytes + records.size());
    const int flags = (fields_.transactional ? 16 : 0) | (fields_.control ? 32 : 0);
    put_fixed(bytes, fields_.base_offset.value);
    put_fixed(bytes, static_cast<std::int32_t>(batch_header_bytes - batch_frame_bytes +
                                               records.size()));
    put_fixed(bytes, fields_.leader_epoch.value);
    put_fixed(bytes, batch_magic);
    put_fixed(bytes, std::uint32_t{0});
    put_fixed(bytes, static_cast<std::int16_t>(codec_id | flags));
    put_fixed(bytes, last_offset_delta_);
    put_fixed(bytes, base_timestamp_.value);
    put_fixed(bytes, max_timestamp_.value);
    put_fixed(bytes, fields_.producer_id);
    put_fixed(bytes, fields_.producer_epoch);
    put_fixed(bytes, fields_.base_sequence);
    put_fixed(bytes, count_);
    sdk::ensure(bytes.size() == batch_header_bytes, "the fields fill the header");
    bytes.insert(bytes.end(), records.begin(), records.end());
    MutableBatchView{bytes}.seal();
    return bytes;
}

}  // namespace leat::wire
