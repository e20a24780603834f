// The hand-written decoder of Fetch requests. tests/wire/fast_codec_test.cc holds it against the
// interpreter.

#include <string>

#include "core/wire/fast_reader.h"
#include "core/wire/messages/fetch.h"

namespace leat::wire {
namespace {

constexpr Version first_with_topic_ids = 13;

void read(FastReader& in, Version version, FetchRequest::Partition& to) {
    to.partition = in.number<std::int32_t>();
    if (version >= 9) to.current_leader_epoch = in.number<std::int32_t>();
    to.fetch_offset = in.number<std::int64_t>();
    if (version >= 12) to.last_fetched_epoch = in.number<std::int32_t>();
    if (version >= 5) to.log_start_offset = in.number<std::int64_t>();
    to.partition_max_bytes = in.number<std::int32_t>();
    in.tagged([&](std::uint32_t tag) {
        if (tag == 0 && version >= 17) return to.replica_directory_id = in.uuid(), true;
        if (tag == 1 && version >= 18) return to.high_watermark = in.number<std::int64_t>(), true;
        return false;
    });
}

void read(FastReader& in, Version version, FetchRequest::Topic& to) {
    if (version < first_with_topic_ids) to.topic = in.string();
    if (version >= first_with_topic_ids) to.topic_id = in.uuid();
    to.partitions.resize(in.count(sizeof(FetchRequest::Partition)));
    for (auto& partition : to.partitions) read(in, version, partition);
    in.skip_tagged();
}

void read(FastReader& in, Version version, FetchRequest::ForgottenTopic& to) {
    if (version < first_with_topic_ids) to.topic = in.string();
    if (version >= first_with_topic_ids) to.topic_id = in.uuid();
    to.partitions.resize(in.count(sizeof(std::int32_t)));
    for (auto& partition : to.partitions) partition = in.number<std::int32_t>();
    in.skip_tagged();
}

void read(FastReader& in, FetchRequest::ReplicaState& to) {
    to.replica_id = in.number<std::int32_t>();
    to.replica_epoch = in.number<std::int64_t>();
    in.skip_tagged();
}

}  // namespace

Status FetchRequest::decode_fast(std::span<const std::byte> frame, Version version,
                                 FetchRequest& to) {
    FastReader in{frame, traits.flexible.contains(version)};
    if (version < 15) to.replica_id = in.number<std::int32_t>();
    to.max_wait_ms = in.number<std::int32_t>();
    to.min_bytes = in.number<std::int32_t>();
    to.max_bytes = in.number<std::int32_t>();
    to.isolation_level = in.number<std::int8_t>();
    if (version >= 7) {
        to.session_id = in.number<std::int32_t>();
        to.session_epoch = in.number<std::int32_t>();
    }
    to.topics.resize(in.count(sizeof(Topic)));
    for (std::size_t i = 0; i < to.topics.size() && !in.failed(); ++i)
        read(in, version, to.topics[i]);
    if (version >= 7) {
        to.forgotten_topics_data.resize(in.count(sizeof(ForgottenTopic)));
        for (std::size_t i = 0; i < to.forgotten_topics_data.size() && !in.failed(); ++i)
            read(in, version, to.forgotten_topics_data[i]);
    }
    if (version >= 11) to.rack_id = in.string();
    in.tagged([&](std::uint32_t tag) {
        if (tag == 0) {
            const auto cluster = in.nullable_string();
            if (cluster) to.cluster_id.emplace(*cluster);
            return true;
        }
        if (tag == 1 && version >= 15) return read(in, to.replica_state), true;
        return false;
    });
    if (!in.failed()) return {};
    return sdk::Error{sdk::Errc::corrupt,
                      "FetchRequest v" + std::to_string(version) + " is malformed"};
}

}  // namespace leat::wire
