#include "core/app/client_commands/group_snapshot.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/cluster/records.h"

namespace leat::app {
namespace {

using json = nlohmann::ordered_json;
using sdk::AssignmentInput;
using sdk::GroupPartition;

constexpr const char* format = "leat group snapshot";
constexpr std::size_t most_partitions = 10'000'000;  // Of all topics.

json text_or_null(const std::string& text) {
    return text.empty() ? json() : json(text);
}

template <class T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json();
}

json to_json(const std::vector<GroupPartition>& partitions, const AssignmentInput& input) {
    json by_topic = json::object();
    for (const auto& each : partitions) {
        by_topic[input.topics[each.topic].name].push_back(each.partition);
    }
    return by_topic;
}

json to_json(const sdk::GroupMember& member, const AssignmentInput& input) {
    json topics = json::array();
    for (const auto topic : member.topics) topics.push_back(input.topics[topic].name);
    return {{"id", member.id},
            {"instance", or_null(member.instance)},
            {"client_id", member.client_id},
            {"host", member.client_host},
            {"rack", text_or_null(member.rack)},
            {"topics", topics},
            {"assigned", to_json(member.previous, input)},
            {"owned", to_json(member.owned, input)}};
}

json to_json(const sdk::GroupTopic& topic) {
    json partitions = json::array();
    for (const auto& each : topic.partitions) {
        json facts{{"lag", or_null(each.lag)}, {"racks", each.racks}};
        if (each.bytes) facts["bytes"] = *each.bytes;
        partitions.push_back(std::move(facts));
    }
    return {{"name", topic.name},
            {"id", topic.id.is_zero() ? json() : json(cluster::uuid_text(topic.id))},
            {"partitions", partitions}};
}

// Reads members of objects; what is wrong first is kept, and what follows is not believed.
class Reading {
public:
    std::optional<std::string> fault;

    void wrong(std::string what) {
        if (!fault) fault = std::move(what);
    }

    const json& at(const json& object, const std::string& place, const char* name) {
        static const json missing;
        const auto found = object.find(name);
        if (found != object.end()) return *found;
        wrong(place + " has no `" + name + "`");
        return missing;
    }
    std::string text(const json& object, const std::string& place, const char* name) {
        const json& value = at(object, place, name);
        if (value.is_string()) return value.get<std::string>();
        wrong("`" + std::string{name} + "` of " + place + " is no string");
        return {};
    }
    std::optional<std::string> text_or_null(const json& object, const std::string& place,
                                            const char* name) {
        const auto found = object.find(name);
        if (found == object.end() || found->is_null()) return std::nullopt;
        return text(object, place, name);
    }
    // Whole and from 0 on.
    template <class Number>
    std::optional<Number> number_or_null(const json& object, const std::string& place,
                                         const char* name) {
        const auto found = object.find(name);
        if (found == object.end() || found->is_null()) return std::nullopt;
        if (found->is_number_unsigned() &&
            found->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX)) {
            return found->get<Number>();
        }
        wrong("`" + std::string{name} + "` of " + place + " is no whole number from 0 on");
        return std::nullopt;
    }
    const json& list(const json& object, const std::string& place, const char* name) {
        static const json none = json::array();
        const json& value = at(object, place, name);
        if (value.is_array()) return value;
        wrong("`" + std::string{name} + "` of " + place + " is no list");
        return none;
    }
};

using Positions = std::map<std::string, std::uint32_t, std::less<>>;

class SnapshotReading : Reading {
public:
    sdk::Result<GroupSnapshot> read(const json& all) {
        const std::string place = "the snapshot";
        snapshot_.input.group = text(all, place, "group");
        snapshot_.type = text(all, place, "type");
        snapshot_.state = text(all, place, "state");
        snapshot_.assignor = text(all, place, "assignor");
        for (const json& each : list(all, place, "topics")) read_topic(each);
        auto& topics = snapshot_.input.topics;
        std::ranges::sort(topics, {}, &sdk::GroupTopic::name);
        for (const auto& topic : topics) {
            const auto position = static_cast<std::uint32_t>(positions_.size());
            if (!positions_.emplace(topic.name, position).second) {
                wrong("it tells of topic " + topic.name + " twice");
            }
        }
        for (const json& each : list(all, place, "members")) {
            if (fault) break;
            read_member(each);
        }
        auto& members = snapshot_.input.members;
        std::ranges::sort(members, {}, &sdk::GroupMember::id);
        const auto twice = std::ranges::adjacent_find(members, {}, &sdk::GroupMember::id);
        if (twice != members.end()) wrong("it tells of member " + twice->id + " twice");
        if (fault) return sdk::Error{sdk::Errc::corrupt, std::move(*fault)};
        return std::move(snapshot_);
    }

private:
    void read_topic(const json& from) {
        const std::string name = text(from, "a topic", "name");
        const std::string place = "topic " + name;
        sdk::GroupTopic topic{.id = {}, .name = name, .partitions = {}};
        if (const auto id = text_or_null(from, place, "id")) {
            const auto parsed = cluster::parse_uuid(*id);
            parsed ? void(topic.id = *parsed) : wrong("`id` of " + place + " is none");
        }
        const json& partitions = list(from, place, "partitions");
        partitions_ += partitions.size();
        if (partitions.empty()) wrong(place + " has no partitions");
        if (partitions_ > most_partitions) {
            wrong("it has more partitions than " + std::to_string(most_partitions));
        }
        for (const json& each : partitions) {
            if (fault) return;
            auto& facts = topic.partitions.emplace_back();
            const std::string of = "a partition of " + place;
            facts.lag = number_or_null<std::int64_t>(each, of, "lag");
            facts.bytes = number_or_null<std::uint64_t>(each, of, "bytes");
            if (!each.is_object() || each.find("racks") == each.end()) continue;
            for (const json& rack : list(each, of, "racks")) {
                rack.is_string() ? facts.racks.push_back(rack.get<std::string>())
                                 : wrong("a rack of " + of + " is no string");
            }
            std::ranges::sort(facts.racks);
            facts.racks.erase(std::ranges::unique(facts.racks).begin(), facts.racks.end());
        }
        snapshot_.input.topics.push_back(std::move(topic));
    }

    void read_member(const json& from) {
        sdk::GroupMember member{.id = text(from, "a member", "id")};
        const std::string place = "member " + member.id;
        member.instance = text_or_null(from, place, "instance");
        member.client_id = text(from, place, "client_id");
        member.client_host = text(from, place, "host");
        member.rack = text_or_null(from, place, "rack").value_or("");
        std::set<std::uint32_t> topics;
        for (const json& each : list(from, place, "topics")) {
            const auto known =
                each.is_string() ? positions_.find(each.get<std::string>()) : positions_.end();
            known != positions_.end()
                ? void(topics.insert(known->second))
                : wrong(place + " subscribes to a topic that is not among `topics`");
        }
        member.topics.assign(topics.begin(), topics.end());
        member.previous = partitions_of(from, place, "assigned");
        member.owned = partitions_of(from, place, "owned");
        for (const auto& each : member.previous) {
            if (taken_.insert(each).second) continue;
            wrong("partition " + std::to_string(each.partition) + " of topic " +
                  snapshot_.input.topics[each.topic].name + " is assigned to two members");
        }
        snapshot_.input.members.push_back(std::move(member));
    }

    std::vector<GroupPartition> partitions_of(const json& member, const std::string& place,
                                              const char* name) {
        const std::string field = "`" + std::string{name} + "` of " + place;
        std::set<GroupPartition> partitions;
        const json& by_topic = at(member, place, name);
        if (!by_topic.is_object())
            return wrong(field + " is no object"), std::vector<GroupPartition>{};
        for (const auto& [topic, numbers] : by_topic.items()) {
            const auto known = positions_.find(topic);
            if (known == positions_.end()) {
                wrong(field + " names topic " + topic + ", which is not among `topics`");
                break;
            }
            const auto count = snapshot_.input.topics[known->second].partitions.size();
            if (!numbers.is_array()) wrong(field + " has no list for topic " + topic);
            for (const json& each : numbers) {
                if (!each.is_number_unsigned() || each.get<std::uint64_t>() >= count) {
                    wrong(field + " names partition " + each.dump() + " of topic " + topic +
                          ", which has " + std::to_string(count));
                    break;
                }
                partitions.insert({known->second, each.get<std::int32_t>()});
            }
        }
        return {partitions.begin(), partitions.end()};
    }

    GroupSnapshot snapshot_;
    Positions positions_;
    std::size_t partitions_ = 0;
    std::set<GroupPartition> taken_;
};

}  // namespace

std::string to_json(const GroupSnapshot& snapshot) {
    const AssignmentInput& input = snapshot.input;
    json members = json::array(), topics = json::array();
    for (const auto& each : input.members) members.push_back(to_json(each, input));
    for (const auto& each : input.topics) topics.push_back(to_json(each));
    const json all{{"format", format},        {"version", snapshot_version},
                   {"group", input.group},    {"type", snapshot.type},
                   {"state", snapshot.state}, {"assignor", snapshot.assignor},
                   {"members", members},      {"topics", topics}};
    return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

sdk::Result<GroupSnapshot> parse_snapshot(std::string_view text) {
    const auto corrupt = [](std::string what) {
        return sdk::Error{sdk::Errc::corrupt, std::move(what)};
    };
    const json all = json::parse(text, nullptr, false);
    if (all.is_discarded()) return corrupt("is no JSON, so it is no snapshot of a group");
    const auto kind = all.is_object() ? all.find("format") : all.end();
    if (kind == all.end() || *kind != format) {
        return corrupt("is no snapshot of a group: `leat group export` writes them");
    }
    const auto version = all.find("version");
    if (version == all.end() || !version->is_number_unsigned() || *version == 0u) {
        return corrupt("does not say which version of a snapshot it is");
    }
    if (*version > snapshot_version) {
        return corrupt("is a snapshot of version " + version->dump() + ", and this leat reads " +
                       std::to_string(snapshot_version) + ": read it with the leat that wrote it");
    }
    auto snapshot = SnapshotReading{}.read(all);
    if (!snapshot) return corrupt("is a damaged snapshot: " + snapshot.error().what);
    return snapshot;
}

}  // namespace leat::app
