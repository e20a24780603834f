// Produce as fast as it goes. tests/wire/fast_codec_test.cc holds it against the interpreter.

#include <string>

#include "core/wire/fast_reader.h"
#include "core/wire/messages/produce.h"
#include "core/wire/produce_response_writer.h"

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

ProduceResponseWriter::ProduceResponseWriter(Buffer& out, Version version, std::size_t topics)
    : out_{out},
      before_{out.size()},
      version_{version},
      writer_{out, ProduceResponse::traits.flexible.contains(version)} {
    writer_.claim(FastWriter::length_bytes);
    writer_.length(static_cast<std::int64_t>(topics));
}

void ProduceResponseWriter::end_topic() {
    if (!in_topic_) return;
    writer_.claim(1);
    writer_.no_tagged();
}

void ProduceResponseWriter::topic(std::string_view name, const sdk::Uuid& id,
                                  std::size_t partitions) {
    end_topic();
    in_topic_ = true;
    writer_.claim(sizeof id + name.size() + 2 * FastWriter::length_bytes);
    if (version_ < first_with_topic_ids) writer_.string(name);
    if (version_ >= first_with_topic_ids) writer_.uuid(id);
    writer_.length(static_cast<std::int64_t>(partitions));
}

void ProduceResponseWriter::partition(const ProduceResponse::Partition& partition) {
    write(writer_, partition, version_);
}

Status ProduceResponseWriter::finish(std::int32_t throttle_time_ms) {
    end_topic();
    writer_.claim(4 + 1);
    if (version_ >= 1) writer_.number(throttle_time_ms);
    writer_.no_tagged();
    writer_.finish();
    if (!writer_.too_long()) return {};
    out_.resize(before_);
    return sdk::Error{sdk::Errc::invalid_argument, "ProduceResponse: a length does not fit"};
}

Status ProduceResponse::encode_fast(const ProduceResponse& from, Version version, Buffer& out) {
    // Where the leaders are is rare: it comes with an error.
    if (version >= 10 && !from.node_endpoints.empty()) {
        std::size_t size = 0;
        return encode_message(traits, &from, version, &out, size);
    }
    ProduceResponseWriter writer{out, version, from.responses.size()};
    for (const Topic& topic : from.responses) {
        writer.topic(topic.name, topic.topic_id, topic.partition_responses.size());
        for (const Partition& partition : topic.partition_responses) writer.partition(partition);
    }
    return writer.finish(from.throttle_time_ms);
}

}  // namespace leat::wire
