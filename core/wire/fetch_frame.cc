#include "core/wire/fetch_frame.h"

#include <string>

#include "core/wire/fast_writer.h"
#include "core/wire/frame.h"

namespace leat::wire {
namespace {

using Partition = FetchResponse::Partition;

constexpr Version first_with_topic_ids = 13;
constexpr Version first_flexible = 12;
constexpr Version first_with_endpoints = 16;
// A tagged struct of an int32 and an int64 or int32: tag, size, values, its own tagged section.
constexpr std::size_t tagged_struct_bytes = 1 + 1 + 12 + 1;
// The longest that a partition can be beside its aborted transactions and records.
constexpr std::size_t partition_bytes =
    4 + 2 + 3 * 8 + 4 + 2 * FastWriter::length_bytes + 1 + 3 * tagged_struct_bytes;
constexpr std::size_t aborted_bytes = 8 + 8 + 1;

void write_aborted(FastWriter& out, const Partition& from) {
    const auto& aborted = from.aborted_transactions;
    out.length(aborted ? static_cast<std::int64_t>(aborted->size()) : -1);
    if (!aborted) return;
    for (const auto& transaction : *aborted) {
        out.number(transaction.producer_id);
        out.number(transaction.first_offset);
        out.no_tagged();
    }
}

template <class First, class Second>
void write_tagged(FastWriter& out, std::uint8_t tag, First first, Second second) {
    out.number(tag);
    out.number(static_cast<std::uint8_t>(sizeof first + sizeof second + 1));
    out.number(first);
    out.number(second);
    out.no_tagged();
}

void write_partition_tags(FastWriter& out, const Partition& from) {
    const bool diverging = from.diverging_epoch != FetchResponse::EpochEndOffset{};
    const bool leader = from.current_leader != FetchResponse::LeaderIdAndEpoch{};
    const bool snapshot = from.snapshot_id != FetchResponse::SnapshotId{};
    out.number(static_cast<std::uint8_t>(diverging + leader + snapshot));
    if (diverging)
        write_tagged(out, 0, from.diverging_epoch.epoch, from.diverging_epoch.end_offset);
    if (leader)
        write_tagged(out, 1, from.current_leader.leader_id, from.current_leader.leader_epoch);
    if (snapshot) write_tagged(out, 2, from.snapshot_id.end_offset, from.snapshot_id.epoch);
}

// Returns the bytes of records that are sent beside the frame.
std::size_t write(FastWriter& out, const Partition& from, Version version, RecordsGap gap,
                  std::vector<RecordsGap>& gaps) {
    const RecordsView inline_records = from.records.value_or(RecordsView{});
    const std::size_t aborted = from.aborted_transactions ? from.aborted_transactions->size() : 0;
    out.claim(partition_bytes + aborted * aborted_bytes +
              (from.external_bytes == 0 ? inline_records.size() : 0));
    out.number(from.partition_index);
    out.number(static_cast<std::int16_t>(from.error_code));
    out.number(from.high_watermark);
    out.number(from.last_stable_offset);
    if (version >= 5) out.number(from.log_start_offset);
    write_aborted(out, from);
    if (version >= 11) out.number(from.preferred_read_replica);
    if (from.external_bytes != 0) {
        out.length(static_cast<std::int64_t>(from.external_bytes));
        gap.position = out.position();
        gap.bytes = from.external_bytes;
        gaps.push_back(gap);
    } else {
        out.length(static_cast<std::int64_t>(inline_records.size()));
        out.bytes(inline_records.data(), inline_records.size());
    }
    if (version >= first_flexible) write_partition_tags(out, from);
    return from.external_bytes;
}

std::size_t endpoint_bytes(const FetchResponse::NodeEndpoint& endpoint) {
    const std::size_t rack = endpoint.rack ? endpoint.rack->size() : 0;
    return 4 + 4 + 2 * FastWriter::length_bytes + endpoint.host.size() + rack + 1;
}

void write(FastWriter& out, const FetchResponse::NodeEndpoint& endpoint) {
    out.number(endpoint.node_id);
    out.string(endpoint.host);
    out.number(endpoint.port);
    out.string(endpoint.rack);
    out.no_tagged();
}

void write_tags(FastWriter& out, const FetchResponse& from, Version version) {
    if (version < first_with_endpoints || from.node_endpoints.empty()) {
        out.claim(1);
        return out.no_tagged();
    }
    // Rare enough to be written twice: the size of a tagged field stands in front of it.
    Buffer field;
    FastWriter nested{field, true};
    nested.claim(FastWriter::length_bytes);
    nested.length(static_cast<std::int64_t>(from.node_endpoints.size()));
    for (const auto& endpoint : from.node_endpoints) {
        nested.claim(endpoint_bytes(endpoint));
        write(nested, endpoint);
    }
    nested.finish();
    out.claim(1 + 1 + FastWriter::length_bytes + field.size());
    out.uvarint(1);
    out.uvarint(0);
    out.uvarint(static_cast<std::uint32_t>(field.size()));
    out.bytes(field.data(), field.size());
}

std::size_t write_body(FastWriter& out, const FetchResponse& from, Version version,
                       std::vector<RecordsGap>& gaps) {
    std::size_t beside = 0;
    out.claim(4 + 2 + 4 + FastWriter::length_bytes);
    out.number(from.throttle_time_ms);
    if (version >= 7) {
        out.number(static_cast<std::int16_t>(from.error_code));
        out.number(from.session_id);
    }
    out.length(static_cast<std::int64_t>(from.responses.size()));
    for (std::size_t t = 0; t < from.responses.size(); ++t) {
        const FetchResponse::Topic& topic = from.responses[t];
        out.claim(sizeof(topic.topic_id) + topic.topic.size() + 2 * FastWriter::length_bytes);
        if (version < first_with_topic_ids) out.string(topic.topic);
        if (version >= first_with_topic_ids) out.uuid(topic.topic_id);
        out.length(static_cast<std::int64_t>(topic.partitions.size()));
        for (std::size_t p = 0; p < topic.partitions.size(); ++p)
            beside += write(out, topic.partitions[p], version, {.topic = t, .partition = p}, gaps);
        out.claim(1);
        out.no_tagged();
    }
    write_tags(out, from, version);
    return beside;
}

}  // namespace

Result<FetchFrame> layout_fetch_response(const FetchResponse& response, Version version,
                                         std::int32_t correlation_id) {
    if (!FetchResponse::traits.versions.contains(version))
        return sdk::Error{sdk::Errc::unsupported,
                          "FetchResponse v" + std::to_string(version) + " is not known here"};
    FetchFrame frame;
    const std::size_t begin = begin_response(frame.bytes, ApiKey::fetch, version, correlation_id);
    FastWriter out{frame.bytes, version >= first_flexible};
    const std::size_t beside = write_body(out, response, version, frame.gaps);
    out.finish();
    if (out.too_long())
        return sdk::Error{sdk::Errc::invalid_argument, "FetchResponse: a length does not fit"};
    const Status finished = finish_frame(frame.bytes, begin, beside);
    if (!finished) return finished.error();
    return frame;
}

}  // namespace leat::wire
