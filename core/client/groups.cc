#include "core/client/groups.h"

#include <algorithm>

#include "core/client/coordinator.h"
#include "core/client/refusal.h"
#include "core/config/nearest.h"
#include "core/wire/consumer_protocol.h"
#include "core/wire/messages/consumer_group_describe.h"
#include "core/wire/messages/delete_groups.h"
#include "core/wire/messages/describe_groups.h"
#include "core/wire/messages/list_groups.h"
#include "core/wire/messages/offset_commit.h"
#include "core/wire/messages/offset_delete.h"
#include "core/wire/messages/offset_fetch.h"

namespace leat::client {
namespace {

using sdk::Errc;
using sdk::Error;
using wire::ErrorCode;

Error no_answer(const std::string& group) {
    return {Errc::corrupt, "the broker's answer does not name group " + group};
}

Error no_such_group(Cluster& cluster, const std::string& id) {
    Error error{Errc::not_found, "there is no group " + id};
    const auto all = list_groups(cluster, {});
    if (!all) return error;
    std::vector<std::string> names;
    for (const auto& each : *all) names.push_back(each.id);
    error.what += config::did_you_mean(id, names);
    return error;
}

template <class Partitions>
void add(TopicPartitions& to, const std::string& topic, const Partitions& partitions) {
    auto& all = to[topic];
    all.insert(all.end(), partitions.begin(), partitions.end());
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
}

GroupMemberState member_of(wire::DescribeGroupsResponse::Member& from, bool of_consumers) {
    GroupMemberState member{.id = std::move(from.member_id),
                            .instance = std::move(from.group_instance_id),
                            .client_id = std::move(from.client_id),
                            .client_host = std::move(from.client_host)};
    if (!of_consumers) return member;
    if (auto said = wire::decode_subscription(from.member_metadata)) {
        member.topics = std::move(said->message.topics);
        std::ranges::sort(member.topics);
        member.rack = said->message.rack_id.value_or("");
        for (const auto& each : said->message.owned_partitions) {
            add(member.owned, each.topic, each.partitions);
        }
    }
    if (const auto given = wire::decode_assignment(from.member_assignment)) {
        for (const auto& each : given->message.assigned_partitions) {
            add(member.assigned, each.topic, each.partitions);
        }
    }
    return member;
}

GroupMemberState member_of(wire::ConsumerGroupDescribeResponse::Member& from) {
    GroupMemberState member{.id = std::move(from.member_id),
                            .instance = std::move(from.instance_id),
                            .client_id = std::move(from.client_id),
                            .client_host = std::move(from.client_host),
                            .rack = from.rack_id.value_or(""),
                            .topics = std::move(from.subscribed_topic_names),
                            .pattern = std::move(from.subscribed_topic_regex),
                            .epoch = from.member_epoch};
    std::ranges::sort(member.topics);
    for (const auto& each : from.target_assignment.topic_partitions) {
        add(member.assigned, each.topic_name, each.partitions);
    }
    for (const auto& each : from.assignment.topic_partitions) {
        add(member.owned, each.topic_name, each.partitions);
    }
    return member;
}

// Nothing: the broker does not serve this, or the group is of another kind.
sdk::Result<std::optional<GroupState>> describe_consumer_group(Cluster& cluster,
                                                               const std::string& id) {
    using Response = wire::ConsumerGroupDescribeResponse;
    auto answer = ask_coordinator<Response>(
        cluster, id, wire::ConsumerGroupDescribeRequest{.group_ids = {id}},
        [](const Response& said) {
            return said.groups.empty() ? ErrorCode::none : said.groups[0].error_code;
        });
    if (!answer && answer.error().code == Errc::unsupported) return std::optional<GroupState>{};
    if (!answer) return answer.error();
    if (answer->groups.empty()) return no_answer(id);
    auto& from = answer->groups[0];
    if (from.error_code == ErrorCode::group_id_not_found) return std::optional<GroupState>{};
    if (from.error_code != ErrorCode::none) {
        return group_refused(id, from.error_code, from.error_message);
    }
    GroupState group{.id = id,
                     .type = "consumer",
                     .state = std::move(from.group_state),
                     .protocol_type = "consumer",
                     .assignor = std::move(from.assignor_name)};
    for (auto& each : from.members) group.members.push_back(member_of(each));
    return std::optional{std::move(group)};
}

sdk::Result<GroupState> describe_classic_group(Cluster& cluster, const std::string& id) {
    using Response = wire::DescribeGroupsResponse;
    auto answer = ask_coordinator<Response>(
        cluster, id, wire::DescribeGroupsRequest{.groups = {id}}, [](const Response& said) {
            return said.groups.empty() ? ErrorCode::none : said.groups[0].error_code;
        });
    if (!answer) return answer.error();
    if (answer->groups.empty()) return no_answer(id);
    auto& from = answer->groups[0];
    // Before version 6 a group that is not there is "Dead".
    if (from.error_code == ErrorCode::group_id_not_found ||
        (from.error_code == ErrorCode::none && from.group_state == "Dead")) {
        return no_such_group(cluster, id);
    }
    if (from.error_code != ErrorCode::none) {
        return group_refused(id, from.error_code, from.error_message);
    }
    GroupState group{.id = id,
                     .type = "classic",
                     .state = std::move(from.group_state),
                     .protocol_type = std::move(from.protocol_type),
                     .assignor = std::move(from.protocol_data)};
    const bool of_consumers = group.protocol_type == "consumer";
    for (auto& each : from.members) group.members.push_back(member_of(each, of_consumers));
    return group;
}

}  // namespace

sdk::Result<std::vector<GroupListing>> list_groups(Cluster& cluster, const GroupFilter& filter) {
    const wire::ListGroupsRequest request{.states_filter = filter.states,
                                          .types_filter = filter.types};
    constexpr wire::Version with_states = 4, with_types = 5;
    std::vector<GroupListing> listed;
    const auto status = cluster.persist([&]() -> sdk::Status {
        listed.clear();
        const auto known = cluster.refresh(std::vector<std::string>{});
        if (!known) return known.error();
        for (const auto& broker : known->brokers) {
            const auto connection = cluster.node(broker.node_id);
            if (!connection) return connection.error();
            const auto version = (*connection)->version_for(wire::ListGroupsRequest::traits);
            if (!version) return version.error();
            if ((!filter.states.empty() && *version < with_states) ||
                (!filter.types.empty() && *version < with_types)) {
                return Error{Errc::unsupported,
                             client::text_of((*connection)->address()) +
                                 " cannot list groups by state or type: it is too old for that"};
            }
            const auto answer = cluster.call<wire::ListGroupsResponse>(**connection, request);
            if (!answer) return answer.error();
            if (answer->error_code != ErrorCode::none) {
                return refused("list of groups", answer->error_code);
            }
            for (const auto& each : answer->groups) {
                listed.push_back({each.group_id, each.group_type, each.group_state,
                                  each.protocol_type, broker.node_id});
            }
        }
        return {};
    });
    if (!status) return status.error();
    std::ranges::sort(listed, {}, &GroupListing::id);
    return listed;
}

sdk::Result<GroupState> describe_group(Cluster& cluster, const std::string& id) {
    auto consumer = describe_consumer_group(cluster, id);
    if (!consumer) return consumer.error();
    auto group = *consumer ? sdk::Result<GroupState>{std::move(**consumer)}
                           : describe_classic_group(cluster, id);
    if (!group) return group;
    const auto coordinator = cluster.persist([&] { return coordinator_of(cluster, id); });
    if (!coordinator) return coordinator.error();
    group->coordinator = coordinator->node;
    group->coordinator_at = coordinator->connection->address();
    std::ranges::sort(group->members, {}, &GroupMemberState::id);
    return group;
}

sdk::Result<GroupOffsets> committed_offsets(Cluster& cluster, const std::string& id) {
    using Response = wire::OffsetFetchResponse;
    constexpr wire::Version of_several = 8, by_name = 9;
    GroupOffsets offsets;
    const auto keep = [&offsets](const auto& topics) {
        for (const auto& topic : topics) {
            for (const auto& each : topic.partitions) {
                if (each.error_code == ErrorCode::none && each.committed_offset >= 0) {
                    offsets[topic.name][each.partition_index] = each.committed_offset;
                }
            }
        }
    };
    const auto status = cluster.persist([&]() -> sdk::Status {
        const auto coordinator = coordinator_of(cluster, id);
        if (!coordinator) return coordinator.error();
        const auto version =
            coordinator->connection->version_for(wire::OffsetFetchRequest::traits, by_name);
        if (!version) return version.error();
        wire::OffsetFetchRequest request;
        if (*version >= of_several) {
            request.groups.push_back({.group_id = id});
        } else {
            request.group_id = id;
        }
        const auto answer = cluster.call<Response>(*coordinator->connection, request, by_name);
        if (!answer) return answer.error();
        auto code = answer->error_code;
        if (*version >= of_several) {
            if (answer->groups.empty()) return no_answer(id);
            code = answer->groups[0].error_code;
        }
        if (code == ErrorCode::group_id_not_found) return {};
        if (code != ErrorCode::none) return group_refused(id, code);
        *version >= of_several ? keep(answer->groups[0].topics) : keep(answer->topics);
        return {};
    });
    if (!status) return status.error();
    return offsets;
}

sdk::Status commit_offsets(Cluster& cluster, const std::string& id, const GroupOffsets& offsets) {
    using Response = wire::OffsetCommitResponse;
    constexpr wire::Version by_name = 9;
    wire::OffsetCommitRequest request{.group_id = id};
    for (const auto& [topic, partitions] : offsets) {
        auto& asked = request.topics.emplace_back();
        asked.name = topic;
        for (const auto& [number, offset] : partitions) {
            asked.partitions.push_back(
                {.partition_index = number, .committed_offset = offset, .committed_metadata = ""});
        }
    }
    const auto code_of = [](const Response& said) {
        return said.topics.empty() || said.topics[0].partitions.empty()
                   ? ErrorCode::none
                   : said.topics[0].partitions[0].error_code;
    };
    const auto answer = ask_coordinator<Response>(cluster, id, request, code_of, by_name);
    if (!answer) return answer.error();
    for (const auto& topic : answer->topics) {
        for (const auto& each : topic.partitions) {
            if (each.error_code == ErrorCode::none) continue;
            return refused(
                "group " + id + ", " + topic.name + "/" + std::to_string(each.partition_index),
                each.error_code);
        }
    }
    return {};
}

sdk::Status delete_group(Cluster& cluster, const std::string& id, bool& missing) {
    using Response = wire::DeleteGroupsResponse;
    const auto answer = ask_coordinator<Response>(
        cluster, id, wire::DeleteGroupsRequest{.groups_names = {id}}, [](const Response& said) {
            return said.results.empty() ? ErrorCode::none : said.results[0].error_code;
        });
    if (!answer) return answer.error();
    if (answer->results.empty()) return no_answer(id);
    const auto& done = answer->results[0];
    missing = done.error_code == ErrorCode::group_id_not_found;
    if (missing) return no_such_group(cluster, id);
    if (done.error_code != ErrorCode::none) {
        return group_refused(id, done.error_code, done.error_message);
    }
    return {};
}

sdk::Status delete_offsets(Cluster& cluster, const std::string& id,
                           const TopicPartitions& partitions) {
    using Response = wire::OffsetDeleteResponse;
    wire::OffsetDeleteRequest request{.group_id = id};
    for (const auto& [topic, numbers] : partitions) {
        auto& asked = request.topics.emplace_back();
        asked.name = topic;
        for (const auto number : numbers) asked.partitions.push_back({.partition_index = number});
    }
    const auto answer = ask_coordinator<Response>(
        cluster, id, request, [](const Response& said) { return said.error_code; });
    if (!answer) return answer.error();
    if (answer->error_code == ErrorCode::group_id_not_found) return no_such_group(cluster, id);
    if (answer->error_code != ErrorCode::none) return group_refused(id, answer->error_code);
    for (const auto& topic : answer->topics) {
        for (const auto& each : topic.partitions) {
            if (each.error_code == ErrorCode::none) continue;
            return refused(
                "group " + id + ", " + topic.name + "/" + std::to_string(each.partition_index),
                each.error_code);
        }
    }
    return {};
}

}  // namespace leat::client
