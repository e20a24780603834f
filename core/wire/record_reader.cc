#include "core/wire/record_reader.h"

#include <limits>

namespace leat::wire {

namespace {

using Bytes = std::span<const std::byte>;

// Zigzag varints; nothing if the bytes end within one or it has more bits than fit.
std::optional<std::int64_t> take_varint(Bytes& from, unsigned bits) {
    std::uint64_t raw = 0;
    for (unsigned shift = 0, used = 0; shift < bits; shift += 7, ++used) {
        if (used >= from.size()) return std::nullopt;
        const auto byte = std::to_integer<std::uint8_t>(from[used]);
        raw |= std::uint64_t{byte & 0x7fu} << shift;
        if ((byte & 0x80) != 0) continue;
        if (bits == 32 && raw > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
        from = from.subspan(used + 1);
        return static_cast<std::int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
    }
    return std::nullopt;
}

std::optional<std::int32_t> take_int(Bytes& from) {
    const auto value = take_varint(from, 32);
    if (!value) return std::nullopt;
    return static_cast<std::int32_t>(*value);
}

// A length (-1 is null) and that many bytes. False if they are not there.
bool take_bytes(Bytes& from, std::optional<Bytes>& bytes) {
    const auto length = take_int(from);
    if (!length || *length < -1) return false;
    if (*length == -1) return bytes.reset(), true;
    const auto size = static_cast<std::size_t>(*length);
    if (size > from.size()) return false;
    bytes = from.first(size);
    from = from.subspan(size);
    return true;
}

bool take_header(Bytes& from, std::optional<Bytes>& key, std::optional<Bytes>& value) {
    return take_bytes(from, key) && key.has_value() && take_bytes(from, value);
}

sdk::Error corrupt(const char* what) { return {sdk::Errc::corrupt, what}; }

}  // namespace

sdk::Result<Record> RecordReader::next() {
    Bytes rest = rest_;
    const auto length = take_int(rest);
    if (!length || *length < 0) return corrupt("a record has no length");
    if (static_cast<std::size_t>(*length) > rest.size())
        return corrupt("a record is longer than its batch");
    Bytes body = rest.first(static_cast<std::size_t>(*length));
    rest = rest.subspan(body.size());

    Record record;
    if (body.empty()) return corrupt("a record is cut off");
    body = body.subspan(1);  // Attributes: none are defined.
    const auto timestamp_delta = take_varint(body, 64);
    const auto offset_delta = timestamp_delta ? take_int(body) : std::nullopt;
    if (!offset_delta) return corrupt("a record is cut off");
    record.timestamp_delta = *timestamp_delta;
    record.offset_delta = *offset_delta;
    if (!take_bytes(body, record.key)) return corrupt("a record's key does not fit it");
    if (!take_bytes(body, record.value)) return corrupt("a record's value does not fit it");
    const auto headers = take_int(body);
    if (!headers || *headers < 0) return corrupt("a record has no count of headers");
    record.header_count = *headers;
    record.headers = body;
    std::optional<Bytes> key;
    std::optional<Bytes> value;
    // Each header takes two bytes or more, so that the count is believed no further than the bytes.
    for (std::int32_t i = 0; i < *headers; ++i) {
        if (!take_header(body, key, value)) return corrupt("a record's headers do not fit it");
    }
    if (!body.empty()) return corrupt("a record has bytes after its headers");
    record.bytes = rest_.size() - rest.size();
    rest_ = rest;
    return record;
}

std::optional<RecordHeader> HeaderReader::next() {
    if (left_ <= 0) return std::nullopt;
    --left_;
    std::optional<Bytes> key;
    std::optional<Bytes> value;
    if (!take_header(rest_, key, value)) return std::nullopt;
    return RecordHeader{{reinterpret_cast<const char*>(key->data()), key->size()}, value};
}

}  // namespace leat::wire
