#include "core/broker/fetch.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/wire/fetch_frame.h"
#include "core/wire/messages/fetch.h"

namespace leat::api {
namespace {

using wire::ErrorCode;
using wire::FetchRequest;
using wire::FetchResponse;

constexpr wire::Version first_with_leaders = 12;  // KIP-595
constexpr wire::Version first_with_topic_ids = 13;
constexpr std::int8_t committed = 1;

std::size_t not_negative(std::int32_t value) {
    return static_cast<std::size_t>(std::max(value, 0));
}

broker::FetchRequest to_broker(Services& services, const Request& request,
                               const FetchRequest& asked) {
    const cluster::Image& image = services.metadata.image(request.shard);
    const bool by_id = request.header.version >= first_with_topic_ids;
    broker::FetchRequest fetch{
        .max_bytes = std::min(not_negative(asked.max_bytes), services.limits.most_fetch_bytes),
        .max_wait = std::min(std::chrono::milliseconds{std::max(asked.max_wait_ms, 0)},
                             services.limits.most_wait)};
    const bool legal = is_isolation_level(asked.isolation_level);
    fetch.min_bytes = std::min(not_negative(asked.min_bytes), fetch.max_bytes);
    for (const auto& topic : asked.topics) {
        for (const auto& partition : topic.partitions) {
            auto& item = fetch.items.emplace_back();
            item.read = {.from = {partition.fetch_offset},
                         .max_bytes = not_negative(partition.partition_max_bytes),
                         .current_epoch = {std::max(partition.current_leader_epoch, -1)},
                         .last_fetched_epoch = {partition.last_fetched_epoch}};
            const auto found = find_partition(image, {.by_id = by_id,
                                                      .topic = topic.topic,
                                                      .topic_id = topic.topic_id,
                                                      .index = partition.partition});
            if (!legal) {
                item.error = ErrorCode::invalid_request;
            } else if (const auto* error = std::get_if<ErrorCode>(&found)) {
                item.error = *error;
            } else {
                item.partition = std::get<broker::PartitionRef>(found);
            }
        }
    }
    return fetch;
}

// Where Kafka answers an empty list of aborted transactions; else it is null.
bool lists_aborted(ErrorCode error, std::int8_t isolation_level) {
    const bool nobody_was_asked = error == ErrorCode::unknown_topic_or_partition ||
                                  error == ErrorCode::unknown_topic_id ||
                                  error == ErrorCode::invalid_request;
    return nobody_was_asked || (error == ErrorCode::none && isolation_level == committed);
}

FetchResponse::Partition to_wire(std::int32_t index, const broker::ReadOutcome& outcome,
                                 std::int8_t isolation_level,
                                 const cluster::PartitionImage* image) {
    FetchResponse::Partition partition{.partition_index = index,
                                       .error_code = outcome.error,
                                       .high_watermark = outcome.high_watermark.value,
                                       .last_stable_offset = outcome.last_stable.value,
                                       .log_start_offset = outcome.log_start.value};
    partition.external_bytes = outcome.bytes;
    if (lists_aborted(outcome.error, isolation_level)) partition.aborted_transactions.emplace();
    if (outcome.diverging) {
        partition.diverging_epoch = {outcome.diverging->epoch.value, outcome.diverging->end.value};
    }
    const bool stale = outcome.error == ErrorCode::not_leader_or_follower ||
                       outcome.error == ErrorCode::fenced_leader_epoch;
    if (stale && image != nullptr) {
        partition.current_leader = {image->leader.value, image->leader_epoch.value};
    }
    return partition;
}

// The frame's bytes up to each gap, then that partition's slices: nothing is copied.
Answer weave(wire::FetchFrame frame, const std::vector<std::vector<sdk::Slice>*>& records) {
    Answer slices;
    auto owner = std::make_shared<const wire::Buffer>(std::move(frame.bytes));
    const std::span<const std::byte> all{*owner};
    std::size_t done = 0;
    for (std::size_t gap = 0; gap < frame.gaps.size(); ++gap) {
        const std::size_t position = frame.gaps[gap].position;
        slices.push_back(sdk::MemorySlice{owner, all.subspan(done, position - done)});
        done = position;
        for (sdk::Slice& slice : *records[gap]) {
            if (auto* memory = std::get_if<sdk::MemorySlice>(&slice)) memory->lent = true;
            slices.push_back(std::move(slice));
        }
    }
    if (done < all.size()) slices.push_back(sdk::MemorySlice{owner, all.subspan(done)});
    return slices;
}

void answer(const Services& services, std::size_t shard, const FetchRequest& asked,
            std::vector<broker::ReadOutcome> outcomes, Reply reply) {
    const cluster::Image& image = services.metadata.image(shard);
    FetchResponse response;
    std::vector<std::vector<sdk::Slice>*> records;
    std::size_t next = 0;
    for (const auto& topic : asked.topics) {
        auto& answered = response.responses.emplace_back();
        answered.topic = topic.topic;
        answered.topic_id = topic.topic_id;
        const cluster::TopicImage* known = reply.version() >= first_with_topic_ids
                                               ? image.topic(topic.topic_id)
                                               : image.topic(topic.topic);
        for (const auto& partition : topic.partitions) {
            broker::ReadOutcome& outcome = outcomes[next++];
            const bool tells_leader = known != nullptr && reply.version() >= first_with_leaders;
            answered.partitions.push_back(
                to_wire(partition.partition, outcome, asked.isolation_level,
                        tells_leader ? known->partition(partition.partition) : nullptr));
            if (outcome.bytes > 0) records.push_back(&outcome.slices);
        }
    }
    auto frame = wire::layout_fetch_response(response, reply.version(), reply.correlation_id());
    if (!frame) return reply.close("cannot encode a Fetch answer: " + frame.error().what);
    reply.answer_slices(weave(std::move(*frame), records));
}

}  // namespace

void fetch(Services& services, Request request, Reply reply) {
    auto decoded = wire::decode<FetchRequest>(request.header.body, request.header.version);
    if (!decoded) return reply.close("Fetch: " + decoded.error().what);
    // Replication is a later capability: nobody may claim to be a replica (CVE-2018-1288).
    if (decoded->replica_id >= 0 || decoded->replica_state.replica_id >= 0) {
        return reply.close("Fetch: this broker has no followers");
    }
    // Without sessions every Fetch is a full one; one that continues a session is told that there
    // is none, and asks in full (KIP-227). Its first epoch begins a session, -1 is for none.
    const bool full = decoded->session_epoch == 0 || decoded->session_epoch == -1;
    if (!full) {
        FetchResponse none{.error_code = ErrorCode::fetch_session_id_not_found};
        return reply.answer(none);
    }
    auto asked = to_broker(services, request, *decoded);
    const std::size_t shard = request.shard;
    auto operation = std::make_shared<broker::FetchOperation>(
        services.tables, shard, std::move(asked),
        [&services, shard, decoded = std::move(*decoded),
         reply = std::move(reply)](std::vector<broker::ReadOutcome> outcomes) mutable {
            answer(services, shard, decoded, std::move(outcomes), std::move(reply));
        });
    request.on_hurry([operation] { operation->hurry(); });
    operation->start();
}

}  // namespace leat::api
