#include "core/wire/record_batch.h"

#include <limits>

#include "core/wire/batch_layout.h"
#include "leat/sdk/crc32c.h"
#include "leat/sdk/ensure.h"

namespace leat::wire {

std::size_t first_batch_size(std::span<const std::byte> bytes) {
    if (bytes.size() < batch_frame_bytes) return 0;
    const auto length = load<std::int32_t>(bytes, at::length);
    return length < 0 ? 0 : static_cast<std::size_t>(length) + batch_frame_bytes;
}

BatchView::BatchView(std::span<const std::byte> bytes) : given_{bytes} {
    sdk::ensure(bytes.size() >= batch_header_bytes, "a batch view has a whole header under it");
}

Offset BatchView::base_offset() const { return {load<std::int64_t>(given_, at::base_offset)}; }
std::int32_t BatchView::length() const { return load<std::int32_t>(given_, at::length); }
std::size_t BatchView::size() const { return first_batch_size(given_); }
LeaderEpoch BatchView::leader_epoch() const {
    return {load<std::int32_t>(given_, at::leader_epoch)};
}
std::int8_t BatchView::magic() const { return load<std::int8_t>(given_, at::magic); }
std::uint32_t BatchView::crc() const { return load<std::uint32_t>(given_, at::crc); }
std::int16_t BatchView::attributes() const { return load<std::int16_t>(given_, at::attributes); }
std::int32_t BatchView::last_offset_delta() const {
    return load<std::int32_t>(given_, at::last_offset_delta);
}
Timestamp BatchView::base_timestamp() const {
    return {load<std::int64_t>(given_, at::base_timestamp)};
}
Timestamp BatchView::max_timestamp() const {
    return {load<std::int64_t>(given_, at::max_timestamp)};
}
std::int64_t BatchView::producer_id() const { return load<std::int64_t>(given_, at::producer_id); }
std::int16_t BatchView::producer_epoch() const {
    return load<std::int16_t>(given_, at::producer_epoch);
}
std::int32_t BatchView::base_sequence() const {
    return load<std::int32_t>(given_, at::base_sequence);
}
std::int32_t BatchView::record_count() const {
    return load<std::int32_t>(given_, at::record_count);
}

std::int32_t BatchView::last_sequence() const {
    const std::int32_t base = base_sequence();
    return base == no_sequence ? no_sequence : sequence_after(base, last_offset_delta());
}

std::span<const std::byte> BatchView::bytes() const {
    sdk::ensure(is_whole(), "only a whole batch is asked for its bytes");
    return given_.first(size());
}

std::span<const std::byte> BatchView::records() const {
    return bytes().subspan(batch_header_bytes);
}

bool BatchView::is_whole() const {
    const std::size_t size_now = size();
    return size_now >= batch_header_bytes && size_now <= given_.size();
}

std::uint32_t BatchView::computed_crc() const {
    return sdk::crc32c(bytes().subspan(at::attributes));
}

MutableBatchView::MutableBatchView(std::span<std::byte> bytes)
    : BatchView{bytes}, writable_{bytes} {}

void MutableBatchView::stamp(Offset base, LeaderEpoch epoch) {
    store(writable_, at::base_offset, base.value);
    store(writable_, at::leader_epoch, epoch.value);
}

void MutableBatchView::set_log_append_time(Timestamp now) {
    set_timestamps(static_cast<std::int16_t>(attributes() | 8), now);
}

void MutableBatchView::set_create_time(Timestamp max) {
    set_timestamps(static_cast<std::int16_t>(attributes() & ~8), max);
}

void MutableBatchView::set_timestamps(std::int16_t flags, Timestamp max) {
    store(writable_, at::attributes, flags);
    store(writable_, at::max_timestamp, max.value);
    seal();
}

void MutableBatchView::seal() { store(writable_, at::crc, computed_crc()); }

std::int32_t sequence_after(std::int32_t sequence, std::int32_t n) {
    constexpr std::int64_t sequences = std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1;
    return static_cast<std::int32_t>((std::int64_t{sequence} + n + sequences) % sequences);
}

}  // namespace leat::wire
