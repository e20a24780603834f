#include "core/wire/messages/offset_commit.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {
namespace {

using wire::ErrorCode;
using wire::OffsetCommitRequest;
using wire::OffsetCommitResponse;

constexpr wire::Version first_by_id = 10;  // KIP-848

const cluster::TopicImage* find(const cluster::Image& image,
                                const OffsetCommitRequest::Topic& topic, wire::Version version) {
    return version >= first_by_id ? image.topic(topic.topic_id) : image.topic(topic.name);
}

// Takes out of the request what names no partition that there is, and says so in the response,
// which has a place for each partition that was asked for.
OffsetCommitResponse sort_out(OffsetCommitRequest& asked, const cluster::Image& image,
                              wire::Version version) {
    OffsetCommitResponse response;
    std::vector<OffsetCommitRequest::Topic> known;
    for (auto& topic : asked.topics) {
        const cluster::TopicImage* found = find(image, topic, version);
        const ErrorCode unknown = found == nullptr && version >= first_by_id
                                      ? ErrorCode::unknown_topic_id
                                      : ErrorCode::unknown_topic_or_partition;
        auto& answer = response.topics.emplace_back();
        answer.name = topic.name;
        answer.topic_id = topic.topic_id;
        OffsetCommitRequest::Topic kept{.name = found ? found->name : topic.name,
                                        .topic_id = found ? found->id : topic.topic_id};
        for (auto& partition : topic.partitions) {
            const bool there =
                found != nullptr && found->partition(partition.partition_index) != nullptr;
            answer.partitions.push_back(
                {partition.partition_index, there ? ErrorCode::none : unknown});
            if (there) kept.partitions.push_back(std::move(partition));
        }
        if (!kept.partitions.empty()) known.push_back(std::move(kept));
    }
    asked.topics = std::move(known);
    return response;
}

// Those without an error yet get the coordinator's, which are in the same order.
void fill_in(OffsetCommitResponse& response, ErrorCode error, const OffsetCommitResponse& decided) {
    std::vector<ErrorCode> errors;
    for (const auto& topic : decided.topics) {
        for (const auto& partition : topic.partitions) errors.push_back(partition.error_code);
    }
    std::size_t next = 0;
    for (auto& topic : response.topics) {
        for (auto& partition : topic.partitions) {
            if (partition.error_code != ErrorCode::none) continue;
            partition.error_code = error != ErrorCode::none ? error : errors[next++];
        }
    }
}

}  // namespace

void offset_commit(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto asked = wire::decode<OffsetCommitRequest>(request.header.body, version);
    if (!asked) return reply.malformed(asked.error());
    auto response = sort_out(*asked, services.metadata.image(request.shard), version);
    if (asked->topics.empty()) return reply.answer(response);
    const std::string group = asked->group_id;
    decide_at_coordinator<OffsetCommitResponse>(
        services, request.shard, group,
        [asked = std::move(*asked), version](groups::Coordinator& machine, groups::Now now,
                                             groups::Effects& effects) {
            return machine.commit_offsets(asked, version, now, effects);
        },
        [response = std::move(response), reply = std::move(reply)](
            ErrorCode error, const OffsetCommitResponse& decided) mutable {
            fill_in(response, error, decided);
            reply.answer(response);
        });
}

}  // namespace leat::api
