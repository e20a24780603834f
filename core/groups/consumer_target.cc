// What the members of a group subscribe to, and who is to have what of it.
#include <algorithm>

#include "core/groups/consumer_group.h"
#include "core/groups/topic_pattern.h"

namespace leat::groups {
namespace {

void count_in(std::map<std::string, std::size_t>& counts, const std::string& what, int by) {
    const auto at = counts.try_emplace(what, 0).first;
    at->second += static_cast<std::size_t>(by);
    if (at->second == 0) counts.erase(at);
}

// FNV-1a: stable over builds and processes, which std::hash need not be.
class Hash {
public:
    void add(std::uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001b3u; }
    void add(std::string_view text) {
        for (const char each : text) add(static_cast<std::uint8_t>(each));
        add(std::uint8_t{0});
    }
    void add(std::uint64_t number) {
        for (int shift = 0; shift < 64; shift += 8) add(static_cast<std::uint8_t>(number >> shift));
    }
    std::int64_t value() const { return static_cast<std::int64_t>(state_); }

private:
    std::uint64_t state_ = 0xcbf29ce484222325u;
};

std::vector<std::string> resolve(const std::string& pattern, const cluster::Image& image) {
    std::vector<std::string> topics;
    const auto compiled = TopicPattern::compile(pattern);
    if (!compiled) return topics;  // A log of Kafka's can hold one that is not for RE2.
    for (const auto& [name, topic] : image.topics()) {
        if (!topic->internal && compiled->matches(name)) topics.emplace_back(name);
    }
    return topics;
}

// Names get positions; ids are found by the image, and those that are gone are left out.
class Positions {
public:
    Positions(sdk::AssignmentInput& input, const cluster::Image& image)
        : input_{input}, image_{image} {}

    std::uint32_t of(const std::string& name) {
        const auto next = static_cast<std::uint32_t>(input_.topics.size());
        const auto [at, is_new] = positions_.try_emplace(name, next);
        if (is_new) input_.topics.push_back({.name = name});
        return at->second;
    }
    std::vector<sdk::GroupPartition> of(const PartitionSet& partitions) {
        std::vector<sdk::GroupPartition> found;
        for (const auto& [id, of_topic] : partitions) {
            const cluster::TopicImage* topic = image_.topic(id);
            if (topic == nullptr) continue;
            const std::uint32_t position = of(topic->name);
            for (const std::int32_t partition : of_topic) found.push_back({position, partition});
        }
        std::ranges::sort(found);
        return found;
    }

private:
    sdk::AssignmentInput& input_;
    const cluster::Image& image_;
    std::map<std::string, std::uint32_t> positions_;
};

}  // namespace

void ConsumerGroup::count(const Subscription& subscription, int by) {
    for (const std::string& name : subscription.subscribed_topic_names) count_in(names_, name, by);
    const std::string pattern = subscription.subscribed_topic_regex.value_or("");
    if (!pattern.empty()) count_in(patterns_, pattern, by);
    if (subscription.classic_member_metadata) classic_members_ += static_cast<std::size_t>(by);
}

std::set<std::string> ConsumerGroup::topics_of(const Subscription& subscription) const {
    std::set<std::string> topics{subscription.subscribed_topic_names.begin(),
                                 subscription.subscribed_topic_names.end()};
    const auto found = stored_.patterns.find(subscription.subscribed_topic_regex.value_or(""));
    if (found != stored_.patterns.end())
        topics.insert(found->second.topics.begin(), found->second.topics.end());
    return topics;
}

std::set<std::string> ConsumerGroup::subscribed_topics() const {
    std::set<std::string> topics;
    for (const auto& [name, members] : names_) topics.insert(name);
    for (const auto& [pattern, resolved] : stored_.patterns) {
        if (patterns_.contains(pattern))
            topics.insert(resolved.topics.begin(), resolved.topics.end());
    }
    return topics;
}

// True: what the members subscribe to is not what it was when the group's epoch began.
bool ConsumerGroup::refresh_topics(Effects& effects, Now now) {
    const bool all = seen_image_ != around_->image_changes;
    seen_image_ = around_->image_changes;
    for (const auto& [pattern, members] : patterns_) {
        const auto known = stored_.patterns.find(pattern);
        if (known != stored_.patterns.end() && !all) continue;
        auto topics = resolve(pattern, around_->image());
        if (known != stored_.patterns.end() && known->second.topics == topics) continue;
        // Images have no version here. Kafka takes 0 for an old one, and resolves the pattern anew.
        write(
            wire::ConsumerGroupRegularExpressionRecord{
                {id_, pattern},
                wire::ConsumerGroupRegularExpressionValue{
                    .topics = std::move(topics), .version = 0, .timestamp = now.wall.value}},
            effects);
    }
    return !stored_.metadata || stored_.metadata->metadata_hash != hash_of_topics();
}

void ConsumerGroup::drop_unused_patterns(Effects& effects) {
    std::vector<std::string> unused;
    for (const auto& [pattern, resolved] : stored_.patterns) {
        if (!patterns_.contains(pattern)) unused.push_back(pattern);
    }
    for (const std::string& pattern : unused) {
        write(wire::ConsumerGroupRegularExpressionRecord{{id_, pattern}, std::nullopt}, effects);
    }
}

std::int64_t ConsumerGroup::hash_of_topics() const {
    Hash hash;
    bool any = false;
    const cluster::Image& image = around_->image();
    for (const std::string& name : subscribed_topics()) {
        const cluster::TopicImage* topic = image.topic(name);
        if (topic == nullptr) continue;
        any = true;
        hash.add(std::string_view{name});
        for (const std::uint8_t byte : topic->id.bytes) hash.add(byte);
        hash.add(std::uint64_t{topic->partitions.size()});
    }
    return any ? hash.value() : 0;
}

void ConsumerGroup::bump(Effects& effects) {
    write(wire::ConsumerGroupMetadataRecord{{id_},
                                            wire::ConsumerGroupMetadataValue{
                                                .epoch = stored_.epoch() + 1,
                                                .metadata_hash = hash_of_topics()}},
          effects);
}

// The operator's, or what most of those members that choose one choose, or the first there is.
std::string ConsumerGroup::preferred_assignor() const {
    const GroupLimits& limits = around_->limits;
    std::string wanted = limits.assignor_for ? limits.assignor_for(id_) : std::string{};
    if (!wanted.empty()) return wanted;
    std::map<std::string, std::size_t> votes;
    for (const auto& [member_id, subscription] : stored_.members) {
        const std::string& choice = subscription.server_assignor.value_or("");
        if (std::ranges::count(limits.consumer_assignors, choice) > 0) ++votes[choice];
    }
    if (votes.empty())
        return limits.consumer_assignors.empty() ? std::string{}
                                                 : limits.consumer_assignors.front();
    return std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; })->first;
}

void ConsumerGroup::ask_for_target(Effects& effects, std::optional<std::string> assignor) {
    if (asked_ || is_empty() || stored_.assignment_epoch() >= stored_.epoch()) return;
    if (too_large_ == stored_.epoch()) return;  // It would be as large again.
    asked_ = Asked{.number = ++around_->last_request,
                   .epoch = stored_.epoch(),
                   .assignor = assignor ? *std::move(assignor) : preferred_assignor()};
    effects.assignments.push_back({.group = id_,
                                   .number = asked_->number,
                                   .assignor = asked_->assignor,
                                   .input = assignor_input()});
}

sdk::AssignmentInput ConsumerGroup::assignor_input() const {
    sdk::AssignmentInput input{.group = id_};
    Positions positions{input, around_->image()};
    for (const auto& [member_id, subscription] : stored_.members) {
        sdk::GroupMember member{.id = member_id,
                                .instance = subscription.instance_id,
                                .rack = subscription.rack_id.value_or(""),
                                .client_id = subscription.client_id,
                                .client_host = subscription.client_host};
        for (const std::string& name : topics_of(subscription))
            member.topics.push_back(positions.of(name));
        std::ranges::sort(member.topics);
        if (const auto target = stored_.targets.find(member_id); target != stored_.targets.end())
            member.previous = positions.of(partition_set(target->second.topic_partitions));
        const CurrentAssignment assignment = current(member_id);
        PartitionSet owned = undated(assignment.assigned);
        for (const auto& [topic, partitions] : undated(assignment.revoking))
            owned[topic].insert(partitions.begin(), partitions.end());
        member.owned = positions.of(owned);
        input.members.push_back(std::move(member));
    }
    return input;
}

void ConsumerGroup::assigned(const AssignmentOutcome& outcome, Now now, Effects& effects) {
    take_outcome(outcome, now, effects);
    if (!asked_) complete_joins(now, effects);
}

void ConsumerGroup::take_outcome(const AssignmentOutcome& outcome, Now now, Effects& effects) {
    if (!asked_ || asked_->number != outcome.number) return;
    const Asked asked = *std::exchange(asked_, std::nullopt);
    if (asked.outdated || asked.epoch != stored_.epoch()) return ask_for_target(effects);
    if (outcome.assignment) return settle(outcome, now, effects);
    effects.notes.push_back("group " + id_ + " has no assignment for epoch " +
                            std::to_string(asked.epoch) + ": " + outcome.assignment.error().what);
    const auto& known = around_->limits.consumer_assignors;
    if (!known.empty() && asked.assignor != known.front()) ask_for_target(effects, known.front());
}

void ConsumerGroup::settle(const AssignmentOutcome& outcome, Now now, Effects& effects) {
    using Value = wire::ConsumerGroupTargetAssignmentMemberValue;
    std::map<std::string, PartitionSet> targets;
    for (std::size_t i = 0; i < outcome.input.members.size(); ++i) {
        const auto& given = (*outcome.assignment)[i];
        // A partition and its epoch take eight bytes in the record of what the member has.
        if (given.size() * 8 > around_->limits.most_record_bytes / 2) {
            effects.notes.push_back("group " + id_ + ": what member " +
                                    outcome.input.members[i].id +
                                    " is to have does not fit a record");
            too_large_ = stored_.epoch();
            return;
        }
        PartitionSet& target = targets[outcome.input.members[i].id];
        for (const auto& [topic, partition] : given)
            target[outcome.input.topics[topic].id].insert(partition);
    }
    for (const auto& [member_id, target] : targets) {
        if (!stored_.members.contains(member_id)) continue;
        const auto known = stored_.targets.find(member_id);
        if (known != stored_.targets.end() &&
            partition_set(known->second.topic_partitions) == target)
            continue;
        write(
            wire::ConsumerGroupTargetAssignmentMemberRecord{
                {id_, member_id},
                Value{.topic_partitions = topic_list<std::vector<Value::TopicPartition>>(target)}},
            effects);
    }
    write(
        wire::ConsumerGroupTargetAssignmentMetadataRecord{
            {id_},
            wire::ConsumerGroupTargetAssignmentMetadataValue{
                .assignment_epoch = stored_.epoch(), .assignment_timestamp = now.wall.value}},
        effects);
}

}  // namespace leat::groups
