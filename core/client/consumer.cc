#include "core/client/consumer.h"

#include <algorithm>

#include "core/client/offsets.h"
#include "core/client/refusal.h"
#include "core/compression/codec.h"

namespace leat::client {
namespace {

using sdk::Errc;
using sdk::Error;
using wire::ErrorCode;

constexpr wire::Version last_with_names = 12;  // From 13 on topics are named by id.

}  // namespace

void Consumer::assign(std::int32_t partition, std::int64_t offset,
                      std::optional<std::int64_t> end) {
    if (end && offset >= *end) return;
    positions_[partition] = {.offset = offset, .end = end};
}

std::string Consumer::name_of(std::int32_t partition) const {
    return topic_ + "/" + std::to_string(partition);
}

sdk::Result<bool> Consumer::poll(Take& take) {
    bool fresh = true;  // Metadata is as good as the last answers were.
    return cluster_.persist([&]() -> sdk::Result<bool> {
        if (!fresh) {
            if (const auto looked = cluster_.refresh_topic(topic_); !looked) return looked.error();
        }
        fresh = false;
        return round(take);
    });
}

sdk::Result<bool> Consumer::round(Take& take) {
    std::vector<std::int32_t> order;
    for (const auto& [partition, position] : positions_) order.push_back(partition);
    const auto begin = std::ranges::lower_bound(order, first_);
    std::rotate(order.begin(), begin, order.end());
    first_ = order.size() > 1 ? order[1] : 0;
    std::map<Connection*, std::vector<std::int32_t>> by_leader;
    for (const auto partition : order) {
        const auto leader = cluster_.leader(topic_, partition);
        if (!leader) return leader.error();
        by_leader[*leader].push_back(partition);
    }
    for (const auto& [leader, partitions] : by_leader) {
        auto going_on = fetch_from(*leader, partitions, take);
        if (!going_on || !*going_on) return going_on;
    }
    return true;
}

sdk::Result<bool> Consumer::fetch_from(Connection& leader, std::span<const std::int32_t> partitions,
                                       Take& take) {
    // Half of what a call may take, so that an idle broker is not taken for a dead one.
    const auto wait = std::min(options_.wait, cluster_.timeout() / 2);
    wire::FetchRequest request{.max_wait_ms = static_cast<std::int32_t>(wait.count()),
                               .min_bytes = 1,
                               .max_bytes = options_.answer_bytes};
    request.topics.push_back({.topic = topic_});
    for (const auto partition : partitions) {
        request.topics[0].partitions.push_back({.partition = partition,
                                                .fetch_offset = positions_[partition].offset,
                                                .partition_max_bytes = options_.partition_bytes});
    }
    const auto response = cluster_.call<wire::FetchResponse>(leader, request, last_with_names);
    if (!response) return response.error();
    if (response->error_code != ErrorCode::none) return refused(topic_, response->error_code);
    for (const auto& topic : response->responses) {
        for (const auto& each : topic.partitions) {
            auto going_on = take_partition(each, take);
            if (!going_on || !*going_on) return going_on;
        }
    }
    return true;
}

sdk::Result<bool> Consumer::take_partition(const wire::FetchResponse::Partition& answer,
                                           Take& take) {
    const auto found = positions_.find(answer.partition_index);
    if (found == positions_.end()) return true;
    Position& position = found->second;
    if (answer.error_code == ErrorCode::offset_out_of_range) {
        if (const auto status = out_of_range(found->first, position); !status)
            return status.error();
        return true;
    }
    if (answer.error_code != ErrorCode::none) {
        return refused(name_of(found->first), answer.error_code);
    }
    position.started = true;
    std::span<const std::byte> rest;
    if (answer.records) rest = *answer.records;
    const bool nothing = rest.empty();
    // The last batch of an answer may be cut off: it comes whole another time.
    while (rest.size() >= wire::batch_header_bytes) {
        const wire::BatchView batch{rest};
        if (batch.magic() != wire::batch_magic) {
            return Error{Errc::unsupported,
                         name_of(found->first) + " holds records of a format before Kafka 0.11"};
        }
        if (!batch.is_whole()) break;
        auto going_on = take_batch(batch, found->first, position, take);
        if (!going_on || !*going_on) return going_on;
        rest = rest.subspan(batch.size());
    }
    const bool ends_here = nothing && position.offset >= answer.high_watermark;
    if (position.end && (position.offset >= *position.end || ends_here)) positions_.erase(found);
    return true;
}

sdk::Result<bool> Consumer::take_batch(const wire::BatchView& batch, std::int32_t partition,
                                       Position& position, Take& take) {
    const auto damaged = [&](const std::string& why) {
        return Error{Errc::corrupt, name_of(partition) + ": the batch at offset " +
                                        std::to_string(batch.base_offset().value) +
                                        " is damaged: " + why};
    };
    if (!batch.crc_matches()) return damaged("its checksum does not match");
    if (batch.control()) {
        position.offset = std::max(position.offset, batch.next_offset().value);
        return true;
    }
    const auto codec = compression::codec_of(batch.codec_id());
    if (!codec) return damaged("it names no codec");
    std::vector<std::byte> opened;
    std::span<const std::byte> records = batch.records();
    if (*codec != compression::Codec::none) {
        auto bytes = compression::decompress(*codec, records);
        if (!bytes) return damaged(bytes.error().what);
        opened = std::move(*bytes);
        records = opened;
    }
    wire::RecordReader reader{records};
    while (!reader.at_end()) {
        const auto record = reader.next();
        if (!record) return damaged(record.error().what);
        const auto offset = batch.base_offset().value + record->offset_delta;
        if (offset < position.offset) continue;
        if (position.end && offset >= *position.end) break;
        position.offset = offset + 1;
        const auto timestamp = batch.log_append_time()
                                   ? batch.max_timestamp().value
                                   : batch.base_timestamp().value + record->timestamp_delta;
        if (!take({.partition = partition,
                   .offset = offset,
                   .timestamp = timestamp,
                   .record = *record})) {
            return false;
        }
    }
    // Beyond its last record: compaction may have taken those at its end.
    position.offset = std::max(position.offset, batch.next_offset().value);
    return true;
}

// What was there and is gone is passed over; what never was is an error.
sdk::Status Consumer::out_of_range(std::int32_t partition, Position& position) {
    const std::vector one{partition};
    const auto begin = offsets_at(cluster_, topic_, one, earliest);
    if (!begin) return begin.error();
    const auto end = offsets_at(cluster_, topic_, one, latest);
    if (!end) return end.error();
    const auto first = begin->at(partition);
    if (position.started && position.offset < first) {
        skipped_.push_back({.partition = partition, .from = position.offset, .to = first});
        position.offset = first;
        return {};
    }
    return Error{Errc::out_of_range, name_of(partition) + " has the offsets " +
                                         std::to_string(first) + " to " +
                                         std::to_string(end->at(partition)) + ", not " +
                                         std::to_string(position.offset)};
}

}  // namespace leat::client
