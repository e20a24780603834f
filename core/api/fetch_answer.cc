#include "core/api/fetch_answer.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <utility>

#include "core/wire/fetch_frame.h"

namespace leat::api {

using wire::ErrorCode;
using wire::FetchResponse;

namespace {

constexpr wire::Version first_with_leaders = 12;  // KIP-595
constexpr std::int8_t committed = 1;

std::size_t not_negative(std::int32_t value) {
    return static_cast<std::size_t>(std::max(value, 0));
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
Answer weave(wire::FetchFrame frame, std::vector<std::vector<sdk::Slice>>& records) {
    Answer slices;
    auto owner = std::make_shared<const wire::Buffer>(std::move(frame.bytes));
    const std::span<const std::byte> all{*owner};
    std::size_t done = 0;
    for (std::size_t gap = 0; gap < frame.gaps.size(); ++gap) {
        const std::size_t position = frame.gaps[gap].position;
        slices.push_back(sdk::MemorySlice{owner, all.subspan(done, position - done)});
        done = position;
        for (sdk::Slice& slice : records[gap]) {
            if (auto* memory = std::get_if<sdk::MemorySlice>(&slice)) memory->lent = true;
            slices.push_back(std::move(slice));
        }
    }
    if (done < all.size()) slices.push_back(sdk::MemorySlice{owner, all.subspan(done)});
    return slices;
}

}  // namespace

broker::SessionPartitions::Asked asked_of(const wire::FetchRequest::Partition& partition) {
    return {.from = {partition.fetch_offset},
            .max_bytes = partition.partition_max_bytes,
            .current_epoch = {std::max(partition.current_leader_epoch, -1)},
            .last_fetched_epoch = {partition.last_fetched_epoch}};
}

broker::FetchRequest fetch_limits(const Services& services, const wire::FetchRequest& asked) {
    broker::FetchRequest fetch{
        .items = {},
        .max_bytes = std::min(not_negative(asked.max_bytes), services.limits.most_fetch_bytes),
        .max_wait = std::min(std::chrono::milliseconds{std::max(asked.max_wait_ms, 0)},
                             services.limits.most_wait)};
    fetch.min_bytes = std::min(not_negative(asked.min_bytes), fetch.max_bytes);
    return fetch;
}

broker::FetchItem look_at(std::variant<broker::PartitionRef, ErrorCode> found,
                          const broker::SessionPartitions::Asked& asked, bool legal) {
    broker::FetchItem item;
    item.read = {.from = asked.from,
                 .max_bytes = not_negative(asked.max_bytes),
                 .current_epoch = asked.current_epoch,
                 .last_fetched_epoch = asked.last_fetched_epoch};
    if (!legal) {
        item.error = ErrorCode::invalid_request;
    } else if (const auto* error = std::get_if<ErrorCode>(&found)) {
        item.error = *error;
    } else {
        item.partition = std::get<broker::PartitionRef>(found);
    }
    return item;
}

void FetchAnswer::topic(std::string_view name, const sdk::Uuid& id) {
    const bool by_id = version_ >= first_fetch_with_topic_ids;
    if (!response_.responses.empty()) {
        const FetchResponse::Topic& last = response_.responses.back();
        if (by_id ? last.topic_id == id : last.topic == name) return;
    }
    auto& topic = response_.responses.emplace_back();
    topic.topic = name;
    topic.topic_id = id;
    if (version_ >= first_with_leaders) known_ = by_id ? image_.topic(id) : image_.topic(name);
}

void FetchAnswer::partition(std::int32_t index, broker::ReadOutcome outcome) {
    response_.responses.back().partitions.push_back(to_wire(
        index, outcome, isolation_level_, known_ != nullptr ? known_->partition(index) : nullptr));
    if (outcome.bytes > 0) records_.push_back(std::move(outcome.slices));
}

void FetchAnswer::send(ErrorCode error, std::int32_t session_id, Reply reply) {
    response_.error_code = error;
    response_.session_id = session_id;
    for (const ErrorCode each : wire::errors_in(response_)) reply.count(each);
    auto frame = wire::layout_fetch_response(response_, version_, reply.correlation_id());
    if (!frame) return reply.close("cannot encode a Fetch answer: " + frame.error().what);
    reply.answer_slices(weave(std::move(*frame), records_));
}

}  // namespace leat::api
