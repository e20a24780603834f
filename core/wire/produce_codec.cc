// Produce as fast as it goes. tests/wire/fast_codec_test.cc holds it against the interpreter.

#include <string>

#include "core/wire/fast_reader.h"
#include "core/wire/fast_writer.h"
#include "core/wire/messages/produce.h"

namespace leat::wire {
namespace {

// Version 13 names topics by id.
constexpr Version first_with_topic_ids = 13;
// The longest fields of a partition beside its strings and record errors: index, error, three
// offsets and times, two lengths, the tagged leader.
constexpr std::size_t partition_bytes = 4 + 2 + 3 * 8 + 2 * FastWriter::length_bytes + 1 + 2 + 9;

sdk::Error malformed(const MessageTraits& traits, Version version) {
    return {sdk::Errc::corrupt,
            std::string{traits.name} + " v" + std::to_string(version) + " is malformed"};
}

std::optional<WritableRecords> records(FastReader& in, bool flexible) {
    const std::int64_t size = in.length(flexible);
    if (size < 0) return std::nullopt;
    const auto bytes = in.take(static_cast<std::size_t>(size));
    // decode() hands a writable frame to this kind of message.
    return WritableRecords{const_cast<std::byte*>(bytes.data()), bytes.size()};
}

void write(FastWriter& out, const ProduceResponse::RecordError& error) {
    const auto& text = error.batch_index_error_message;
    out.claim(4 + FastWriter::length_bytes + (text ? text->size() : 0) + 1);
    out.number(error.batch_index);
    out.string(text);
    out.no_tagged();
}

void write_leader(FastWriter& out, const ProduceResponse::LeaderIdAndEpoch& leader) {
    if (leader == ProduceResponse::LeaderIdAndEpoch{}) return out.uvarint(0);
    constexpr std::uint32_t size = 4 + 4 + 1;
    out.uvarint(1);
    out.uvarint(0);
    out.uvarint(size);
    out.number(leader.leader_id);
    out.number(leader.leader_epoch);
    out.no_tagged();
}

void write(FastWriter& out, const ProduceResponse::Partition& partition, Version version) {
    out.claim(partition_bytes);
    out.number(partition.index);
    out.number(static_cast<std::int16_t>(partition.error_code));
    out.number(partition.base_offset);
    if (version >= 2) out.number(partition.log_append_time_ms);
    if (version >= 5) out.number(partition.log_start_offset);
    if (version >= 8) {
        out.length(static_cast<std::int64_t>(partition.record_errors.size()));
        for (const auto& error : partition.record_errors) write(out, error);
        const auto& text = partition.error_message;
        out.claim(partition_bytes + (text ? text->size() : 0));
        out.string(text);
    }
    version >= 10 ? write_leader(out, partition.current_leader) : out.no_tagged();
}

}  // namespace

Status ProduceRequest::decode_fast(std::span<std::byte> frame, Version version,
                                   ProduceRequest& to) {
    const bool flexible = traits.flexible.contains(version);
    FastReader in{frame, flexible};
    if (version >= 3) to.transactional_id = in.nullable_string();
    to.acks = in.number<std::int16_t>();
    to.timeout_ms = in.number<std::int32_t>();
    to.topic_data.resize(in.count(sizeof(Topic)));
    for (Topic& topic : to.topic_data) {
        if (version < first_with_topic_ids) topic.name = in.string();
        if (version >= first_with_topic_ids) topic.topic_id = in.uuid();
        topic.partition_data.resize(in.count(sizeof(Partition)));
        for (Partition& partition : topic.partition_data) {
            partition.index = in.number<std::int32_t>();
            partition.records = records(in, flexible);
            in.skip_tagged();
        }
        in.skip_tagged();
        if (in.failed()) break;
    }
    in.skip_tagged();
    if (in.failed()) return malformed(traits, version);
    return {};
}

Status ProduceResponse::encode_fast(const ProduceResponse& from, Version version, Buffer& out) {
    // Where the leaders are is rare: it comes with an error.
    if (version >= 10 && !from.node_endpoints.empty()) {
        std::size_t size = 0;
        return encode_message(traits, &from, version, &out, size);
    }
    const std::size_t before = out.size();
    FastWriter writer{out, traits.flexible.contains(version)};
    writer.claim(FastWriter::length_bytes);
    writer.length(static_cast<std::int64_t>(from.responses.size()));
    for (const Topic& topic : from.responses) {
        writer.claim(sizeof(topic.topic_id) + topic.name.size() + 2 * FastWriter::length_bytes);
        if (version < first_with_topic_ids) writer.string(topic.name);
        if (version >= first_with_topic_ids) writer.uuid(topic.topic_id);
        writer.length(static_cast<std::int64_t>(topic.partition_responses.size()));
        for (const Partition& partition : topic.partition_responses)
            write(writer, partition, version);
        writer.claim(1);
        writer.no_tagged();
    }
    writer.claim(4 + 1);
    if (version >= 1) writer.number(from.throttle_time_ms);
    writer.no_tagged();
    writer.finish();
    if (!writer.too_long()) return {};
    out.resize(before);
    return sdk::Error{sdk::Errc::invalid_argument, "ProduceResponse: a length does not fit"};
}

}  // namespace leat::wire
