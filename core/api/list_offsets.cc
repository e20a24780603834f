#include "core/wire/messages/list_offsets.h"

#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/api/scatter.h"

namespace leat::api {
namespace {

using wire::ErrorCode;
using wire::ListOffsetsRequest;
using wire::ListOffsetsResponse;
using Partition = ListOffsetsResponse::Partition;

constexpr std::int64_t latest = -1;
constexpr std::int64_t earliest = -2;
constexpr std::int64_t newest = -3;            // KIP-734
constexpr std::int64_t earliest_local = -4;    // KIP-405; all of the log is local here
constexpr std::int64_t latest_tiered = -5;     // KIP-1005; nothing is tiered here
constexpr std::int64_t earliest_pending = -6;  // KIP-1023

Partition at(std::int32_t index, sdk::Offset offset, sdk::LeaderEpoch epoch) {
    return {.partition_index = index, .offset = offset.value, .leader_epoch = epoch.value};
}

template <class Give>
void look_up(broker::Partition& partition, std::int32_t index, std::int64_t timestamp, Give give) {
    auto found = [index, give](broker::TimeLookup lookup) mutable {
        Partition answer{.partition_index = index, .error_code = lookup.error};
        if (lookup.found) {
            answer.timestamp = lookup.found->timestamp.value;
            answer.offset = lookup.found->offset.value;
            answer.leader_epoch = lookup.epoch.value;
        }
        give(std::move(answer));
    };
    switch (timestamp) {
        case latest:
            return give(at(index, partition.high_watermark(), partition.leader_epoch()));
        case earliest:
        case earliest_local:
            return give(
                at(index, partition.log_start(), partition.epoch_at(partition.log_start())));
        case newest:
            return partition.find_newest(std::move(found));
        case latest_tiered:
        case earliest_pending:
            return give(Partition{.partition_index = index});
        default:
            return partition.find_by_time({timestamp}, std::move(found));
    }
}

constexpr wire::Version first_with_epochs = 4;

ListOffsetsResponse to_wire(const ListOffsetsRequest& asked, std::vector<Partition> answers,
                            wire::Version version) {
    ListOffsetsResponse response;
    std::size_t next = 0;
    if (version < first_with_epochs) {
        for (Partition& answer : answers) answer.leader_epoch = Partition{}.leader_epoch;
    }
    for (const auto& topic : asked.topics) {
        auto& answered = response.topics.emplace_back();
        answered.name = topic.name;
        for (std::size_t i = 0; i < topic.partitions.size(); ++i) {
            answered.partitions.push_back(std::move(answers[next++]));
        }
    }
    return response;
}

}  // namespace

void list_offsets(Services& services, Request request, Reply reply) {
    auto decoded = wire::decode<ListOffsetsRequest>(request.header.body, request.header.version);
    if (!decoded) return reply.close("ListOffsets: " + decoded.error().what);
    if (decoded->replica_id >= 0) return reply.close("ListOffsets: this broker has no followers");
    const cluster::Image& image = services.metadata.image(request.shard);
    std::vector<Partition> answers;
    std::vector<std::pair<std::size_t, broker::PartitionKey>> items;
    std::vector<ListOffsetsRequest::Partition> asked;
    for (const auto& topic : decoded->topics) {
        for (const auto& partition : topic.partitions) {
            const auto found =
                find_partition(image, {.topic = topic.name, .index = partition.partition_index});
            auto& answer = answers.emplace_back();
            answer.partition_index = partition.partition_index;
            if (const auto* error = std::get_if<ErrorCode>(&found)) {
                answer.error_code = *error;
            } else {
                items.emplace_back(asked.size(), std::get<broker::PartitionRef>(found).key);
            }
            asked.push_back(partition);
        }
    }
    auto ask = [asked = std::make_shared<const decltype(asked)>(std::move(asked))](
                   std::size_t item, broker::Partition* partition, ErrorCode error, auto give) {
        const auto& wanted = (*asked)[item];
        if (partition != nullptr) error = partition->check_epoch({wanted.current_leader_epoch});
        if (error != ErrorCode::none) {
            return give(Partition{.partition_index = wanted.partition_index, .error_code = error});
        }
        look_up(*partition, wanted.partition_index, wanted.timestamp, std::move(give));
    };
    ask_each<Partition>(services.tables, request.shard, items, std::move(answers), std::move(ask),
                        [decoded = std::move(*decoded),
                         reply = std::move(reply)](std::vector<Partition> all) mutable {
                            reply.answer(to_wire(decoded, std::move(all), reply.version()));
                        });
}

}  // namespace leat::api
