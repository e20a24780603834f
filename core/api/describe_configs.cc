#include "core/wire/messages/describe_configs.h"

#include <algorithm>
#include <utility>

#include "core/api/config_alteration.h"
#include "core/api/handlers.h"
#include "core/api/services.h"
#include "core/api/session.h"
#include "core/cluster/topic_rules.h"

namespace leat::api {
namespace {

using wire::DescribeConfigsRequest;
using wire::DescribeConfigsResponse;
using wire::ErrorCode;

DescribeConfigsResponse::Config to_wire(const cluster::ConfigEntry& entry,
                                        const DescribeConfigsRequest& asked) {
    DescribeConfigsResponse::Config config{.name = entry.name,
                                           .read_only = entry.read_only,
                                           .config_source = static_cast<std::int8_t>(entry.source),
                                           .is_sensitive = entry.sensitive,
                                           .config_type = static_cast<std::int8_t>(entry.type)};
    const auto shown = [&](const std::string& value) {
        return cluster::as_understood(entry.type, value);
    };
    if (!entry.sensitive) config.value = shown(entry.value);
    if (asked.include_synonyms) {
        for (const auto& synonym : entry.synonyms) {
            config.synonyms.push_back(
                {synonym.name, shown(synonym.value), static_cast<std::int8_t>(synonym.source)});
        }
    }
    if (asked.include_documentation) config.documentation = std::string{entry.documentation};
    return config;
}

// The entries of a resource, or why there are none.
std::vector<cluster::ConfigEntry> entries_of(const Services& services, const cluster::Image& image,
                                             DescribeConfigsResponse::Result& result) {
    if (result.resource_type == topic_resource) {
        if (const auto* topic = image.topic(result.resource_name)) {
            return cluster::describe_topic_config(topic->overrides, services.topic_defaults,
                                                  image.broker_configs(),
                                                  {topic->storage, topic->replication});
        }
        const auto legal = cluster::check_topic_name(result.resource_name);
        result.error_code =
            legal ? ErrorCode::unknown_topic_or_partition : ErrorCode::invalid_topic_exception;
        result.error_message = legal ? "This topic does not exist." : legal.error().what;
        return {};
    }
    if (result.resource_type == broker_resource) {
        const bool all_brokers = result.resource_name.empty();
        if (all_brokers) return cluster::describe_all_brokers(image.broker_configs());
        if (result.resource_name == std::to_string(services.metadata.self().value)) {
            auto entries =
                cluster::describe_broker_config(services.topic_defaults, image.broker_configs());
            entries.insert(entries.end(), services.broker_configs.begin(),
                           services.broker_configs.end());
            std::ranges::sort(entries, {}, &cluster::ConfigEntry::name);
            return entries;
        }
        result.error_code = ErrorCode::invalid_request;
        result.error_message = "Ask broker " + result.resource_name + " itself; this one is " +
                               std::to_string(services.metadata.self().value) + ".";
        return {};
    }
    result.error_code = ErrorCode::invalid_request;
    result.error_message = "Resource type " + std::to_string(result.resource_type) +
                           " has no configuration on this broker.";
    return {};
}

}  // namespace

void describe_configs(Services& services, Request request, Reply reply) {
    auto asked = wire::decode<DescribeConfigsRequest>(request.header.body, request.header.version);
    if (!asked) return reply.malformed(asked.error());
    const cluster::Image& image = services.metadata.image(request.shard);
    DescribeConfigsResponse response;
    for (const auto& resource : asked->resources) {
        auto& result = response.results.emplace_back();
        result.resource_type = resource.resource_type;
        result.resource_name = resource.resource_name;
        const auto& keys = resource.configuration_keys;
        for (const auto& entry : entries_of(services, image, result)) {
            const bool wanted =
                !keys || keys->empty() || std::ranges::find(*keys, entry.name) != keys->end();
            if (wanted) result.configs.push_back(to_wire(entry, *asked));
        }
    }
    reply.answer(response);
}

}  // namespace leat::api
