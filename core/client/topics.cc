#include "core/client/topics.h"

#include <algorithm>

#include "core/client/offsets.h"
#include "core/client/refusal.h"
#include "core/config/nearest.h"
#include "core/wire/messages/create_partitions.h"
#include "core/wire/messages/create_topics.h"
#include "core/wire/messages/delete_topics.h"
#include "core/wire/messages/incremental_alter_configs.h"

namespace leat::client {
namespace {

using sdk::Errc;
using sdk::Error;
using wire::ErrorCode;

constexpr std::int8_t topic_resource = 2;

std::int32_t timeout_ms(const Cluster& cluster) {
    return static_cast<std::int32_t>(cluster.timeout().count());
}

// One call to the controller. It goes on looking for the controller, but calls it once: `is_moved`
// says of an answer that it was not the controller after all, and did nothing.
template <class Response, class Request, class IsMoved>
sdk::Result<Response> change(Cluster& cluster, const Request& request, IsMoved is_moved,
                             wire::Version ceiling = INT16_MAX) {
    return cluster.persist([&]() -> sdk::Result<Response> {
        const auto controller = cluster.controller();
        if (!controller) return controller.error();
        auto response = cluster.call<Response>(**controller, request, ceiling);
        if (!response && response.error().code == Errc::unavailable) {
            return Error{Errc::timed_out, response.error().what +
                                              "; whether the broker did it is not known: look "
                                              "with `leat topic describe`"};
        }
        if (response && is_moved(*response)) {
            return refused("the controller has moved", ErrorCode::not_controller);
        }
        return response;
    });
}

Error no_answer(const std::string& topic) {
    return {Errc::corrupt, "the broker's answer does not name topic " + topic};
}

Error no_such_topic(Cluster& cluster, const std::string& name) {
    Error error = refused("topic " + name, ErrorCode::unknown_topic_or_partition);
    error.code = Errc::not_found;
    const auto all = list_topics(cluster);
    if (!all) return error;
    std::vector<std::string> names;
    for (const auto& each : *all) names.push_back(*each.name);
    error.what += config::did_you_mean(name, names);
    return error;
}

}  // namespace

sdk::Result<std::vector<wire::MetadataResponse::Topic>> list_topics(Cluster& cluster) {
    auto response = cluster.persist([&] { return cluster.refresh(std::nullopt); });
    if (!response) return response.error();
    std::erase_if(response->topics, [](const auto& each) { return !each.name; });
    std::ranges::sort(response->topics, {}, [](const auto& each) { return *each.name; });
    return std::move(response->topics);
}

sdk::Result<wire::MetadataResponse::Topic> find_topic(Cluster& cluster, const std::string& name) {
    using Found = sdk::Result<wire::MetadataResponse::Topic>;
    auto found = cluster.persist([&]() -> Found {
        auto response = cluster.refresh(std::vector{name});
        if (!response) return response.error();
        const auto topic =
            std::ranges::find(response->topics, name, &wire::MetadataResponse::Topic::name);
        if (topic == response->topics.end()) return no_answer(name);
        if (topic->error_code == ErrorCode::unknown_topic_or_partition) {
            return Error{Errc::not_found, ""};
        }
        if (topic->error_code != ErrorCode::none) {
            return refused("topic " + name, topic->error_code);
        }
        return std::move(*topic);
    });
    if (!found && found.error().code == Errc::not_found) return no_such_topic(cluster, name);
    return found;
}

sdk::Result<CreatedTopic> create_topic(Cluster& cluster, const NewTopic& topic, bool validate_only,
                                       bool& existed) {
    wire::CreateTopicsRequest request{.timeout_ms = timeout_ms(cluster),
                                      .validate_only = validate_only};
    request.topics.push_back({.name = topic.name,
                              .num_partitions = topic.partitions,
                              .replication_factor = topic.replicas});
    for (const auto& [name, value] : topic.configs) {
        request.topics[0].configs.push_back({.name = name, .value = value});
    }
    const auto response =
        change<wire::CreateTopicsResponse>(cluster, request, [](const auto& answer) {
            return !answer.topics.empty() &&
                   answer.topics[0].error_code == ErrorCode::not_controller;
        });
    if (!response) return response.error();
    if (response->topics.empty()) return no_answer(topic.name);
    const auto& made = response->topics[0];
    existed = made.error_code == ErrorCode::topic_already_exists;
    if (made.error_code != ErrorCode::none) {
        return refused("topic " + topic.name, made.error_code, made.error_message);
    }
    return CreatedTopic{made.num_partitions, made.replication_factor};
}

sdk::Status delete_topic(Cluster& cluster, const std::string& name, bool& missing) {
    wire::DeleteTopicsRequest request{.timeout_ms = timeout_ms(cluster)};
    request.topic_names.push_back(name);
    const auto moved = [](const wire::DeleteTopicsResponse& answer) {
        return !answer.responses.empty() &&
               answer.responses[0].error_code == ErrorCode::not_controller;
    };
    constexpr wire::Version by_name = 5;  // From 6 on there are ids too, which brings nothing here.
    const auto response = change<wire::DeleteTopicsResponse>(cluster, request, moved, by_name);
    if (!response) return response.error();
    if (response->responses.empty()) return no_answer(name);
    const auto& done = response->responses[0];
    missing = done.error_code == ErrorCode::unknown_topic_or_partition;
    if (missing) return no_such_topic(cluster, name);
    if (done.error_code != ErrorCode::none) {
        return refused("topic " + name, done.error_code, done.error_message);
    }
    return {};
}

namespace {

sdk::Status add_partitions(Cluster& cluster, const std::string& name, std::int32_t total,
                           bool validate_only) {
    wire::CreatePartitionsRequest request{.timeout_ms = timeout_ms(cluster),
                                          .validate_only = validate_only};
    request.topics.push_back({.name = name, .count = total});
    const auto moved = [](const wire::CreatePartitionsResponse& answer) {
        return !answer.results.empty() && answer.results[0].error_code == ErrorCode::not_controller;
    };
    const auto response = change<wire::CreatePartitionsResponse>(cluster, request, moved);
    if (!response) return response.error();
    if (response->results.empty()) return no_answer(name);
    const auto& done = response->results[0];
    if (done.error_code == ErrorCode::unknown_topic_or_partition) {
        return no_such_topic(cluster, name);
    }
    if (done.error_code != ErrorCode::none) {
        return refused("topic " + name, done.error_code, done.error_message);
    }
    return {};
}

sdk::Status alter_configs(Cluster& cluster, const std::string& name, const TopicChange& change_to,
                          bool validate_only) {
    constexpr std::int8_t set = 0, unset = 1;
    wire::IncrementalAlterConfigsRequest request{.validate_only = validate_only};
    request.resources.push_back({.resource_type = topic_resource, .resource_name = name});
    auto& configs = request.resources[0].configs;
    for (const auto& [key, value] : change_to.set) {
        configs.push_back({.name = key, .config_operation = set, .value = value});
    }
    for (const auto& key : change_to.unset) {
        configs.push_back({.name = key, .config_operation = unset});
    }
    const auto moved = [](const wire::IncrementalAlterConfigsResponse& answer) {
        return !answer.responses.empty() &&
               answer.responses[0].error_code == ErrorCode::not_controller;
    };
    const auto response = change<wire::IncrementalAlterConfigsResponse>(cluster, request, moved);
    if (!response) return response.error();
    if (response->responses.empty()) return no_answer(name);
    const auto& done = response->responses[0];
    if (done.error_code == ErrorCode::unknown_topic_or_partition) {
        return no_such_topic(cluster, name);
    }
    if (done.error_code != ErrorCode::none) {
        return refused("topic " + name, done.error_code, done.error_message);
    }
    return {};
}

}  // namespace

sdk::Status alter_topic(Cluster& cluster, const std::string& name, const TopicChange& change_to,
                        bool validate_only) {
    if (change_to.partitions) {
        const auto status = add_partitions(cluster, name, *change_to.partitions, validate_only);
        if (!status) return status;
    }
    if (change_to.set.empty() && change_to.unset.empty()) return {};
    return alter_configs(cluster, name, change_to, validate_only);
}

namespace {

sdk::Status add_offsets(Cluster& cluster, TopicState& topic) {
    std::vector<std::int32_t> led;
    for (const auto& each : topic.partitions) {
        if (each.partition.leader_id >= 0) led.push_back(each.partition.partition_index);
    }
    if (led.empty()) return {};
    const auto begins = offsets_at(cluster, topic.name, led, earliest);
    if (!begins) return begins.error();
    const auto ends = offsets_at(cluster, topic.name, led, latest);
    if (!ends) return ends.error();
    for (auto& each : topic.partitions) {
        const auto begin = begins->find(each.partition.partition_index);
        if (begin == begins->end()) continue;
        each.begin = begin->second;
        each.end = ends->at(each.partition.partition_index);
    }
    return {};
}

sdk::Status add_configs(Cluster& cluster, TopicState& topic) {
    wire::DescribeConfigsRequest request;
    request.resources.push_back({.resource_type = topic_resource, .resource_name = topic.name});
    auto response = cluster.persist([&]() -> sdk::Result<wire::DescribeConfigsResponse> {
        const auto broker = cluster.any();
        if (!broker) return broker.error();
        return cluster.call<wire::DescribeConfigsResponse>(**broker, request);
    });
    if (!response) return response.error();
    if (response->results.empty()) return no_answer(topic.name);
    auto& result = response->results[0];
    if (result.error_code != ErrorCode::none) {
        return refused("configs of " + topic.name, result.error_code, result.error_message);
    }
    topic.configs = std::move(result.configs);
    std::ranges::sort(topic.configs, {}, &wire::DescribeConfigsResponse::Config::name);
    return {};
}

}  // namespace

sdk::Result<TopicState> describe_topic(Cluster& cluster, const std::string& name) {
    auto found = find_topic(cluster, name);
    if (!found) return found.error();
    TopicState topic{.name = name, .id = found->topic_id, .internal = found->is_internal};
    for (auto& each : found->partitions) topic.partitions.push_back({.partition = std::move(each)});
    std::ranges::sort(topic.partitions, {},
                      [](const auto& each) { return each.partition.partition_index; });
    if (auto status = add_offsets(cluster, topic); !status) return status.error();
    if (auto status = add_configs(cluster, topic); !status) return status.error();
    return topic;
}

}  // namespace leat::client
