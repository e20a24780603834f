#include "core/client/producer.h"

#include <algorithm>

#include "core/client/partitioner.h"
#include "core/client/refusal.h"
#include "core/wire/batch_builder.h"
#include "core/wire/messages/produce.h"

namespace leat::client {
namespace {

using sdk::Errc;
using sdk::Error;
using wire::ErrorCode;

constexpr wire::Version first_with_batches = 3;  // Of Produce: those before carry older records.
constexpr wire::Version last_with_names = 12;    // From 13 on topics are named by id.

std::size_t payload_of(const OutgoingRecord& record) {
    return (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
}

std::size_t size_of(const OutgoingRecord& record) {
    constexpr std::size_t most_framing = 32;  // Lengths and deltas of one record.
    std::size_t size = most_framing + payload_of(record);
    for (const auto& [name, value] : record.headers) {
        size += 2 * sizeof(std::int64_t) + name.size() + (value ? value->size() : 0);
    }
    return size;
}

void add_to(wire::BatchBuilder& batch, const OutgoingRecord& record) {
    std::vector<std::pair<std::string_view, std::optional<std::string_view>>> headers;
    for (const auto& [name, value] : record.headers) headers.emplace_back(name, value);
    batch.add({.key = record.key,
               .value = record.value,
               .timestamp = {record.timestamp},
               .headers = headers});
}

}  // namespace

sdk::Status Producer::open() {
    return cluster_.persist([&] { return cluster_.refresh_topic(topic_, true); });
}

std::int32_t Producer::partitions() const {
    return static_cast<std::int32_t>(cluster_.partitions(topic_).size());
}

sdk::Status Producer::add(OutgoingRecord record, std::optional<std::int32_t> partition) {
    const auto count = partitions();
    if (partition && (*partition < 0 || *partition >= count)) {
        return Error{Errc::invalid_argument, "topic " + topic_ + " has no partition " +
                                                 std::to_string(*partition) + ", only 0 to " +
                                                 std::to_string(count - 1)};
    }
    const auto to = partition    ? *partition
                    : record.key ? partition_of_key(*record.key, count)
                                 : keyless_ % count;
    auto& pending = pending_[to];
    const auto size = size_of(record);
    const bool full = !pending.records.empty() && (pending.bytes + size > options_.batch_bytes ||
                                                   held_bytes_ + size > options_.held_bytes);
    if (full) {
        if (const auto status = flush(); !status) return status;
    }
    pending.bytes += size;
    held_bytes_ += size;
    pending.records.push_back(std::move(record));
    ++unacknowledged_;
    return {};
}

sdk::Status Producer::flush() {
    bool fresh = true;
    while (unacknowledged_ > 0) {
        const auto status = cluster_.persist([&]() -> sdk::Status {
            if (!fresh) {
                if (const auto looked = cluster_.refresh_topic(topic_); !looked) return looked;
            }
            fresh = false;
            return send_round();
        });
        if (!status) return status;
        fresh = true;
    }
    for (auto& [partition, pending] : pending_) pending.most_records = SIZE_MAX;
    keyless_ = (keyless_ + 1) % partitions();
    return {};
}

// One batch of each partition that has something left.
sdk::Status Producer::send_round() {
    std::map<Connection*, std::vector<std::int32_t>> by_leader;
    for (const auto& [partition, pending] : pending_) {
        if (pending.records.empty()) continue;
        const auto leader = cluster_.leader(topic_, partition);
        if (!leader) return leader.error();
        by_leader[*leader].push_back(partition);
    }
    for (const auto& [leader, partitions] : by_leader) {
        if (const auto status = send_to(*leader, partitions); !status) return status;
    }
    return {};
}

sdk::Result<Producer::Batch> Producer::next_batch(std::int32_t partition) {
    const auto& pending = pending_[partition];
    const auto count = std::min(pending.records.size(), pending.most_records);
    wire::BatchBuilder batch;
    for (const auto& record : std::span{pending.records}.first(count)) add_to(batch, record);
    Batch made{.partition = partition, .count = count, .bytes = {}};
    if (options_.codec == compression::Codec::none) {
        made.bytes = batch.build();
        return made;
    }
    sdk::Status compressed;
    made.bytes = batch.build(static_cast<int>(options_.codec),
                             [&](std::span<const std::byte> records) -> std::vector<std::byte> {
                                 auto bytes = compression::compress(options_.codec, records);
                                 if (bytes) return std::move(*bytes);
                                 compressed = bytes.error();
                                 return {};
                             });
    if (!compressed) return compressed.error();
    return made;
}

void Producer::acknowledge(const Batch& batch) {
    auto& pending = pending_[batch.partition];
    const auto records = std::span{pending.records}.first(batch.count);
    for (const auto& record : records) {
        bytes_ += payload_of(record);
        pending.bytes -= size_of(record);
        held_bytes_ -= size_of(record);
    }
    pending.records.erase(pending.records.begin(),
                          pending.records.begin() + static_cast<std::ptrdiff_t>(batch.count));
    acknowledged_ += batch.count;
    unacknowledged_ -= batch.count;
}

// Ok also for what is to be sent again in halves.
sdk::Status Producer::take_answer(const Batch& batch,
                                  const wire::ProduceResponse::Partition& answer) {
    const ErrorCode code = answer.error_code;
    if (code == ErrorCode::none) return acknowledge(batch), sdk::Status{};
    const bool too_large =
        code == ErrorCode::message_too_large || code == ErrorCode::record_list_too_large;
    if (too_large && batch.count > 1) {
        pending_[batch.partition].most_records = batch.count / 2;
        return {};
    }
    return refused(topic_ + "/" + std::to_string(batch.partition), code, answer.error_message);
}

// With acks=0 nobody answers: what was sent counts.
sdk::Status Producer::send_unanswered(Connection& leader, const wire::ProduceRequest& request,
                                      std::span<const Batch> batches) {
    if (const auto sent = leader.send(request, last_with_names); !sent) {
        cluster_.drop(&leader);
        return sent.error();
    }
    for (const auto& batch : batches) acknowledge(batch);
    return {};
}

sdk::Status Producer::send_to(Connection& leader, std::span<const std::int32_t> partitions) {
    const auto version = leader.version_for(wire::ProduceRequest::traits, last_with_names);
    if (!version) return version.error();
    if (*version < first_with_batches) {
        return Error{Errc::unsupported, text_of(leader.address()) +
                                            " takes records of formats before Kafka 0.11 only"};
    }
    wire::ProduceRequest request{
        .acks = options_.acks, .timeout_ms = static_cast<std::int32_t>(cluster_.timeout().count())};
    request.topic_data.push_back({.name = topic_});
    std::vector<Batch> batches;
    for (const auto partition : partitions) {
        auto batch = next_batch(partition);
        if (!batch) return batch.error();
        batches.push_back(std::move(*batch));
    }
    for (auto& batch : batches) {
        request.topic_data[0].partition_data.push_back(
            {.index = batch.partition, .records = wire::WritableRecords{batch.bytes}});
    }
    if (options_.acks == 0) return send_unanswered(leader, request, batches);
    const auto response = cluster_.call<wire::ProduceResponse>(leader, request, last_with_names);
    if (!response) return response.error();
    sdk::Status worst;
    std::size_t answered = 0;
    for (const auto& topic : response->responses) {
        for (const auto& each : topic.partition_responses) {
            const auto batch = std::ranges::find(batches, each.index, &Batch::partition);
            if (batch == batches.end()) continue;
            ++answered;
            if (const auto status = take_answer(*batch, each); !status) worst = status;
        }
    }
    if (answered < batches.size()) {
        return Error{Errc::corrupt, text_of(leader.address()) +
                                        " answers for fewer partitions of " + topic_ +
                                        " than were written to"};
    }
    return worst;
}

}  // namespace leat::client
