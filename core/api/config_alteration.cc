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

// A broker's name is its id, and none that of all brokers. Only this one can be meant.
std::string fault_of_broker(const std::string& name, sdk::NodeId self) {
    if (name.empty()) return {};
    std::int32_t id = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (failure != std::errc{} || end != name.data() + name.size()) {
        return "Node id must be an integer, but it is: " + name;
    }
    if (id == self.value) return {};
    return "Unexpected broker id, expected " + std::to_string(self.value) + ", but received " +
           name;
}

std::vector<cluster::ConfigChange> to_cluster(std::vector<AlteredConfig> configs) {
    std::vector<cluster::ConfigChange> changes;
    for (auto& config : configs) {
        changes.push_back({.name = std::move(config.name),
                           .operation = static_cast<ConfigOperation>(config.operation),
                           .value = std::move(config.value).value_or("")});
    }
    return changes;
}

}  // namespace

void alter_resources(Services& services, std::size_t shard, std::vector<AlteredResource> resources,
                     bool validate_only, sdk::Function<void(std::vector<AlteredAnswer>)> done) {
    std::map<std::pair<std::int8_t, std::string>, int> times;
    for (const auto& resource : resources) ++times[{resource.type, resource.name}];
    std::vector<AlteredAnswer> answers;
    std::vector<std::size_t> places, broker_places;  // In `answers`, of topics and of brokers.
    cluster::AlterConfigs request{.validate_only = validate_only};
    for (auto& resource : resources) {
        auto& answer = answers.emplace_back();
        answer = {.type = resource.type, .name = resource.name};
        if (times[{resource.type, resource.name}] > 1) {
            answer.message = "Each resource must appear at most once.";
        } else if (answer.message = fault_of(resource); answer.message.empty()) {
            if (resource.type == topic_resource) {
                places.push_back(answers.size() - 1);
                request.topics.push_back({.topic = std::move(resource.name),
                                          .replace = resource.replace,
                                          .changes = to_cluster(std::move(resource.configs))});
            } else if (resource.type == broker_resource) {
                const auto self = services.metadata.self();
                answer.message = fault_of_broker(resource.name, self);
                if (answer.message.empty()) {
                    broker_places.push_back(answers.size() - 1);
                    request.brokers.push_back(
                        {.broker = resource.name.empty() ? std::nullopt : std::optional{self},
                         .replace = resource.replace,
                         .changes = to_cluster(std::move(resource.configs))});
                }
            } else {
                answer.message = "Resource type " + std::to_string(resource.type) +
                                 " has no configuration on this broker.";
            }
        }
        if (!answer.message.empty()) answer.error = ErrorCode::invalid_request;
    }
    places.insert(places.end(), broker_places.begin(), broker_places.end());
    if (places.empty()) return done(std::move(answers));
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
