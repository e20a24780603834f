#include "core/wire/messages/offset_fetch.h"

#include <utility>

#include "core/api/group_call.h"
#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {
namespace {

using wire::ErrorCode;
using wire::OffsetFetchRequest;
using wire::OffsetFetchResponse;
using AskedGroup = OffsetFetchRequest::Group;
using Group = OffsetFetchResponse::Group;

constexpr wire::Version first_top_level_error = 2;
constexpr wire::Version first_batched = 8;  // KIP-709
constexpr wire::Version first_by_id = 10;   // KIP-848

OffsetFetchResponse::Partition without_offset(std::int32_t index, ErrorCode error) {
    return {.partition_index = index,
            .committed_offset = -1,
            .metadata = std::string{},
            .error_code = error};
}

// The one group of an older request, as if it were of a newer one.
AskedGroup only_group(OffsetFetchRequest& asked) {
    AskedGroup group{.group_id = std::move(asked.group_id)};
    if (!asked.topics) return group;
    group.topics.emplace();
    for (auto& topic : *asked.topics) {
        group.topics->push_back({.name = std::move(topic.name),
                                 .partition_indexes = std::move(topic.partition_indexes)});
    }
    return group;
}

// Topics that nobody knows by that id are answered here and not asked for.
std::vector<OffsetFetchResponse::GroupTopic> name_topics(AskedGroup& group,
                                                         const cluster::Image& image) {
    std::vector<OffsetFetchResponse::GroupTopic> unknown;
    if (!group.topics) return unknown;
    std::erase_if(*group.topics, [&](auto& topic) {
        if (const auto* found = image.topic(topic.topic_id)) {
            topic.name = found->name;
            return false;
        }
        auto& answer = unknown.emplace_back();
        answer.topic_id = topic.topic_id;
        for (const std::int32_t index : topic.partition_indexes) {
            answer.partitions.push_back(without_offset(index, ErrorCode::unknown_topic_id));
        }
        return true;
    });
    return unknown;
}

void add_ids(Group& group, const cluster::Image& image) {
    std::erase_if(group.topics, [&image](auto& topic) {
        if (!topic.topic_id.is_zero()) return false;
        const auto* found = image.topic(topic.name);
        if (found != nullptr) topic.topic_id = found->id;
        return found == nullptr;
    });
}

void answer_old(Reply reply, Group group, const AskedGroup& asked, wire::Version version) {
    OffsetFetchResponse response{.error_code = group.error_code};
    if (group.error_code != ErrorCode::none && version < first_top_level_error && asked.topics) {
        for (const auto& topic : *asked.topics) {
            auto& answer = response.topics.emplace_back();
            answer.name = topic.name;
            for (const std::int32_t index : topic.partition_indexes) {
                answer.partitions.push_back(without_offset(index, group.error_code));
            }
        }
    }
    for (auto& topic : group.topics) {
        auto& answer = response.topics.emplace_back();
        answer.name = std::move(topic.name);
        answer.partitions = std::move(topic.partitions);
    }
    reply.answer(response);
}

void fetch_group(Services& services, std::size_t home, AskedGroup asked, wire::Version version,
                 sdk::Function<void(Group)> done) {
    std::vector<OffsetFetchResponse::GroupTopic> unknown;
    if (version >= first_by_id) unknown = name_topics(asked, services.metadata.image(home));
    const std::string group = asked.group_id;
    decide_at_coordinator<Group>(
        services, home, group,
        [asked = std::move(asked)](const groups::Coordinator& machine, groups::Now,
                                   groups::Effects&) { return machine.fetch_offsets(asked); },
        [&services, home, version, group, unknown = std::move(unknown), done = std::move(done)](
            ErrorCode error, Group answer) mutable {
            if (error != ErrorCode::none) answer = {.group_id = group, .error_code = error};
            if (error == ErrorCode::none && version >= first_by_id) {
                add_ids(answer, services.metadata.image(home));
                for (auto& topic : unknown) answer.topics.push_back(std::move(topic));
            }
            done(std::move(answer));
        });
}

}  // namespace

void offset_fetch(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto asked = wire::decode<OffsetFetchRequest>(request.header.body, version);
    if (!asked) return reply.malformed(asked.error());
    if (version < first_batched) {
        AskedGroup group = only_group(*asked);
        return fetch_group(services, request.shard, group, version,
                           [group, version, reply = std::move(reply)](Group answer) mutable {
                               answer_old(std::move(reply), std::move(answer), group, version);
                           });
    }
    if (asked->groups.empty()) return reply.answer(OffsetFetchResponse{});
    auto all = std::make_shared<GroupAnswers<Group>>(
        asked->groups.size(), [reply = std::move(reply)](std::vector<Group> groups) mutable {
            OffsetFetchResponse response;
            response.groups = std::move(groups);
            reply.answer(response);
        });
    for (std::size_t i = 0; i < asked->groups.size(); ++i) {
        fetch_group(services, request.shard, std::move(asked->groups[i]), version,
                    [all, i](Group answer) { all->put(i, std::move(answer)); });
    }
}

}  // namespace leat::api
