#include "core/api/config_alteration.h"

#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace leat::api {
namespace {

using cluster::ConfigOperation;
using wire::ErrorCode;

constexpr auto remove_operation = static_cast<std::int8_t>(ConfigOperation::remove);

std::string listed(const std::vector<std::string_view>& words) {
    std::string text;
    for (const auto word : words) text.append(text.empty() ? "" : ", ").append(word);
    return text;
}

// What is wrong with it whatever its type.
std::string fault_of(const AlteredResource& resource) {
    std::set<std::string_view> names;
    std::vector<std::string_view> nulls;
    for (const auto& config : resource.configs) {
        if (!names.insert(config.name).second) return "Error due to duplicate config keys";
        if (!config.value && config.operation != remove_operation) nulls.push_back(config.name);
    }
    if (!nulls.empty()) return "Null value not supported for : " + listed(nulls);
    for (const auto& config : resource.configs) {
        const auto most = static_cast<std::int8_t>(ConfigOperation::subtract);
        if (config.operation < 0 || config.operation > most) {
            return "Unknown operations type " + std::to_string(config.operation);
        }
    }
    return {};
}

std::string fault_of_broker(const AlteredResource& resource, sdk::NodeId self) {
    const std::string& name = resource.name;
    if (!name.empty()) {  // Empty: all brokers.
        std::int32_t id = 0;
        const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), id);
        if (failure != std::errc{} || end != name.data() + name.size()) {
            return "Node id must be an integer, but it is: " + name;
        }
        if (id != self.value) {
            return "Unexpected broker id, expected " + std::to_string(self.value) +
                   ", but received " + name;
        }
    }
    std::vector<std::string_view> set;
    for (const auto& config : resource.configs) {
        if (config.operation != remove_operation) set.push_back(config.name);
    }
    if (set.empty()) return {};
    return "Cannot update these configs dynamically: [" + listed(set) + "]";
}

cluster::TopicConfigChange to_cluster(AlteredResource resource) {
    cluster::TopicConfigChange change{.topic = std::move(resource.name),
                                      .replace = resource.replace};
    for (auto& config : resource.configs) {
        change.changes.push_back({.name = std::move(config.name),
                                  .operation = static_cast<ConfigOperation>(config.operation),
                                  .value = std::move(config.value).value_or("")});
    }
    return change;
}

}  // namespace

void alter_resources(Services& services, std::size_t shard, std::vector<AlteredResource> resources,
                     bool validate_only, sdk::Function<void(std::vector<AlteredAnswer>)> done) {
    std::map<std::pair<std::int8_t, std::string>, int> times;
    for (const auto& resource : resources) ++times[{resource.type, resource.name}];
    std::vector<AlteredAnswer> answers;
    std::vector<std::size_t> places;  // In `answers`, of the topics.
    cluster::AlterTopicConfigs request{.validate_only = validate_only};
    for (auto& resource : resources) {
        auto& answer = answers.emplace_back();
        answer = {.type = resource.type, .name = resource.name};
        if (times[{resource.type, resource.name}] > 1) {
            answer.message = "Each resource must appear at most once.";
        } else if (answer.message = fault_of(resource); answer.message.empty()) {
            if (resource.type == topic_resource) {
                places.push_back(answers.size() - 1);
                request.topics.push_back(to_cluster(std::move(resource)));
            } else if (resource.type == broker_resource) {
                answer.message = fault_of_broker(resource, services.metadata.self());
            } else {
                answer.message = "Resource type " + std::to_string(resource.type) +
                                 " has no configuration on this broker.";
            }
        }
        if (!answer.message.empty()) answer.error = ErrorCode::invalid_request;
    }
    if (request.topics.empty()) return done(std::move(answers));
    services.metadata.alter_configs(
        std::move(request), services.shards.at(shard),
        [answers = std::move(answers), places = std::move(places),
         done = std::move(done)](std::vector<cluster::ChangedTopic> all) mutable {
            for (std::size_t i = 0; i < all.size(); ++i) {
                answers[places[i]].error = all[i].error;
                answers[places[i]].message = std::move(all[i].message);
            }
            done(std::move(answers));
        });
}

}  // namespace leat::api
