// plan_deletions() of topic_plan.h.
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/cluster/topic_plan.h"

namespace leat::cluster {

using wire::ErrorCode;

namespace {

// How often a request names topics, each in one of the two ways.
struct Named {
    std::map<std::string_view, int> names;
    std::map<sdk::Uuid, int> ids;

    explicit Named(const std::vector<TopicToDelete>& asked) {
        for (const auto& one : asked) {
            if (one.name && one.id.is_zero()) ++names[*one.name];
            if (!one.name && !one.id.is_zero()) ++ids[one.id];
        }
    }
    bool once(std::string_view name) const {
        const auto found = names.find(name);
        return found != names.end() && found->second == 1;
    }
};

DeletedTopic refuse(const TopicToDelete& asked, ErrorCode error, std::string message) {
    return {.name = asked.name, .id = asked.id, .error = error, .message = std::move(message)};
}

DeletedTopic by_name(const TopicToDelete& asked, const Named& named, const Image& image) {
    if (!named.once(*asked.name)) {
        return refuse(asked, ErrorCode::invalid_request,
                      "The request names this topic more than once.");
    }
    const TopicImage* topic = image.topic(*asked.name);
    if (topic == nullptr) {
        return refuse(asked, ErrorCode::unknown_topic_or_partition, "There is no such topic.");
    }
    const TopicToDelete found{.name = topic->name, .id = topic->id};
    if (named.ids.contains(topic->id)) {
        return refuse(found, ErrorCode::invalid_request,
                      "The request names this topic by name and by id.");
    }
    return {.name = found.name, .id = found.id};
}

// Nothing where the answer to the topic's name says it already.
std::optional<DeletedTopic> by_id(const TopicToDelete& asked, const Named& named,
                                  const Image& image) {
    if (named.ids.at(asked.id) > 1) {
        return refuse(asked, ErrorCode::invalid_request,
                      "The request has this topic id more than once.");
    }
    const TopicImage* topic = image.topic(asked.id);
    if (topic == nullptr) {
        return refuse(asked, ErrorCode::unknown_topic_id, "There is no topic of this id.");
    }
    if (named.once(topic->name)) return std::nullopt;
    return DeletedTopic{.name = topic->name, .id = topic->id};
}

}  // namespace

std::vector<DeletedTopic> plan_deletions(const std::vector<TopicToDelete>& asked,
                                         const Image& image) {
    const Named named{asked};
    std::set<std::pair<std::string_view, sdk::Uuid>> seen;
    std::vector<DeletedTopic> answers;
    for (const auto& one : asked) {
        if (one.name.has_value() != one.id.is_zero()) {
            answers.push_back(
                refuse(one, ErrorCode::invalid_request, "Name the topic either by name or by id."));
            continue;
        }
        if (!seen.emplace(one.name ? std::string_view{*one.name} : "", one.id).second) continue;
        if (one.name) {
            answers.push_back(by_name(one, named, image));
        } else if (auto answer = by_id(one, named, image)) {
            answers.push_back(std::move(*answer));
        }
    }
    return answers;
}

}  // namespace leat::cluster
