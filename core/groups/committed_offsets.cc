// The part of the coordinator that keeps committed offsets.
#include <algorithm>

#include "core/groups/coordinator.h"
#include "core/groups/subscriptions.h"

namespace leat::groups {

namespace {

wire::OffsetCommitResponse refused(const wire::OffsetCommitRequest& request,
                                   wire::ErrorCode error) {
    wire::OffsetCommitResponse response;
    for (const auto& topic : request.topics) {
        auto& answer = response.topics.emplace_back();
        answer.name = topic.name;
        answer.topic_id = topic.topic_id;
        for (const auto& partition : topic.partitions) {
            answer.partitions.push_back({partition.partition_index, error});
        }
    }
    return response;
}

wire::OffsetFetchResponse::Partition found_or_none(std::int32_t index,
                                                   const wire::OffsetCommitValue* offset) {
    if (offset == nullptr) {
        return {.partition_index = index, .committed_offset = -1, .metadata = std::string{}};
    }
    return {.partition_index = index,
            .committed_offset = offset->offset,
            .committed_leader_epoch = offset->leader_epoch,
            .metadata = offset->metadata};
}

}  // namespace

wire::OffsetCommitResponse Coordinator::commit_offsets(const wire::OffsetCommitRequest& request,
                                                       wire::Version version, Now now,
                                                       Effects& effects) {
    // Kafka keeps offsets of the group "" as well, for clients from before KIP-289.
    if (request.group_id.size() > most_string_bytes) {
        return refused(request, Error::invalid_group_id);
    }
    if (const ConsumerGroup* consumer = find_consumer(request.group_id))
        return commit_as_consumer(*consumer, request, version, now, effects);
    ClassicGroup* group = find(request.group_id);
    if (group == nullptr) {
        // Offsets without a group: who commits them assigns its partitions itself.
        if (request.generation_id_or_member_epoch >= 0) {
            return refused(request,
                           version < 9 ? Error::illegal_generation : Error::group_id_not_found);
        }
        group = &make(request.group_id);
    }
    const Error error = group->begin_commit({.member_id = request.member_id,
                                             .instance_id = request.group_instance_id,
                                             .generation = request.generation_id_or_member_epoch},
                                            now);
    if (error != Error::none) return refused(request, error);
    schedule(*group);
    wire::OffsetCommitResponse response = refused(request, Error::none);
    store_offsets(request, response, now, effects);
    return response;
}

// A member may commit as of an earlier epoch, when what it read was its own then: only it knows
// how far it got.
wire::OffsetCommitResponse Coordinator::commit_as_consumer(const ConsumerGroup& group,
                                                           const wire::OffsetCommitRequest& request,
                                                           wire::Version version, Now now,
                                                           Effects& effects) const {
    constexpr wire::Version first_with_epochs = 9;
    const std::int32_t epoch = request.generation_id_or_member_epoch;
    const Error error = group.may_commit(request.member_id, request.group_instance_id, epoch,
                                         version >= first_with_epochs);
    if (error != Error::none) return refused(request, error);
    wire::OffsetCommitResponse response = refused(request, Error::none);
    for (std::size_t t = 0; epoch >= 0 && t < request.topics.size(); ++t) {
        const auto& topic = request.topics[t];
        const cluster::TopicImage* known = around_.image().topic(topic.name);
        const sdk::Uuid id =
            topic.topic_id.is_zero() && known != nullptr ? known->id : topic.topic_id;
        for (auto& answer : response.topics[t].partitions) {
            if (!group.held_since(request.member_id, epoch, id, answer.partition_index))
                answer.error_code = group.wrong_epoch(request.member_id);
        }
    }
    store_offsets(request, response, now, effects);
    return response;
}

// Those that `response` has no error for.
void Coordinator::store_offsets(const wire::OffsetCommitRequest& request,
                                wire::OffsetCommitResponse& response, Now now,
                                Effects& effects) const {
    const bool keeps_topic_ids = limits_.offset_commit_version >= wire::newest_written_offsets;
    for (std::size_t t = 0; t < request.topics.size(); ++t) {
        const auto& topic = request.topics[t];
        for (std::size_t p = 0; p < topic.partitions.size(); ++p) {
            const auto& partition = topic.partitions[p];
            if (response.topics[t].partitions[p].error_code != Error::none) continue;
            std::string metadata = partition.committed_metadata.value_or("");
            if (metadata.size() > std::size_t(limits_.most_metadata_bytes)) {
                response.topics[t].partitions[p].error_code = Error::offset_metadata_too_large;
                continue;
            }
            const std::int64_t retention = request.retention_time_ms;
            effects.records.push_back(wire::OffsetCommitRecord{
                {request.group_id, topic.name, partition.partition_index},
                wire::OffsetCommitValue{
                    .offset = partition.committed_offset,
                    .leader_epoch = partition.committed_leader_epoch,
                    .metadata = std::move(metadata),
                    .commit_timestamp = now.wall.value,
                    .expire_timestamp = retention < 0 ? -1 : now.wall.value + retention,
                    .topic_id = keeps_topic_ids ? topic.topic_id : sdk::Uuid{}}});
        }
    }
}

wire::OffsetFetchResponse::Group Coordinator::fetch_offsets(
    const wire::OffsetFetchRequest::Group& request) const {
    if (const ConsumerGroup* consumer = find_consumer(request.group_id)) {
        const Error error = consumer->may_fetch(request.member_id, request.member_epoch);
        if (error != Error::none) return {.group_id = request.group_id, .error_code = error};
    }
    return read_offsets(request);
}

wire::OffsetFetchResponse::Group Coordinator::read_offsets(
    const wire::OffsetFetchRequest::Group& request) const {
    wire::OffsetFetchResponse::Group response{.group_id = request.group_id};
    const DurableGroup* group = durable_.find(request.group_id);
    if (!request.topics) {
        if (group == nullptr) return response;
        for (const auto& [name, partitions] : group->offsets) {
            wire::OffsetFetchResponse::GroupTopic topic{.name = name};
            for (const auto& [index, offset] : partitions) {
                if (is_of_another_topic(name, offset)) continue;
                topic.partitions.push_back(found_or_none(index, &offset));
            }
            if (!topic.partitions.empty()) response.topics.push_back(std::move(topic));
        }
        return response;
    }
    for (const auto& asked : *request.topics) {
        auto& topic = response.topics.emplace_back();
        topic.name = asked.name;
        topic.topic_id = asked.topic_id;
        for (const std::int32_t index : asked.partition_indexes) {
            const auto* offset = group == nullptr ? nullptr : group->find(asked.name, index);
            if (offset != nullptr && is_of_another_topic(asked.name, *offset)) offset = nullptr;
            topic.partitions.push_back(found_or_none(index, offset));
        }
    }
    return response;
}

wire::OffsetDeleteResponse Coordinator::delete_offsets(const wire::OffsetDeleteRequest& request,
                                                       Effects& effects) {
    if (request.group_id.empty()) return {.error_code = Error::invalid_group_id};
    const ClassicGroup* group = find(request.group_id);
    const ConsumerGroup* consumer = find_consumer(request.group_id);
    if (group == nullptr && consumer == nullptr) return {.error_code = Error::group_id_not_found};
    const bool members = group != nullptr && !group->is_empty();
    if (members && group->protocol_type() != consumer_protocol_type)
        return {.error_code = Error::non_empty_group};
    const auto subscribed = members ? subscribed_topics(*group) : std::nullopt;
    const DurableGroup* known = durable_.find(request.group_id);
    wire::OffsetDeleteResponse response;
    for (const auto& topic : request.topics) {
        const bool in_use = consumer != nullptr
                                ? consumer->subscribes_to(topic.name)
                                : members && (!subscribed || subscribed->contains(topic.name));
        auto& answer = response.topics.emplace_back();
        answer.name = topic.name;
        for (const auto& partition : topic.partitions) {
            const std::int32_t index = partition.partition_index;
            answer.partitions.push_back(
                {index, in_use ? Error::group_subscribed_to_topic : Error::none});
            if (in_use || known == nullptr || known->find(topic.name, index) == nullptr) continue;
            effects.records.push_back(
                wire::OffsetCommitRecord{{request.group_id, topic.name, index}, std::nullopt});
        }
    }
    return response;
}

// A commit that was on its way when its topic was deleted is stored after that, and the topic may
// have been made again by now.
bool Coordinator::is_of_another_topic(const std::string& topic,
                                      const wire::OffsetCommitValue& offset) const {
    if (offset.topic_id.is_zero()) return false;
    const cluster::TopicImage* known = around_.image().topic(topic);
    return known != nullptr && known->id != offset.topic_id;
}

void Coordinator::topics_deleted(const IsGone& is_gone, Effects& effects) {
    for (const auto& [id, group] : durable_.all()) {
        for (const auto& [topic, partitions] : group.offsets) {
            for (const auto& [index, offset] : partitions) {
                if (!is_gone(topic, offset.topic_id)) continue;
                effects.records.push_back(
                    wire::OffsetCommitRecord{{id, topic, index}, std::nullopt});
            }
        }
    }
}

// KIP-211: the time counts from when nobody uses an offset any more.
bool Coordinator::expired(const ClassicGroup& group, const std::set<std::string>* subscribed,
                          const std::string& topic, const wire::OffsetCommitValue& offset,
                          sdk::Timestamp now) const {
    std::int64_t since = offset.commit_timestamp;
    if (!group.protocol_type().empty()) {
        if (group.is_empty()) {
            since = std::max(since, group.state_since().value);
        } else if (subscribed == nullptr || subscribed->contains(topic)) {
            return false;
        }
    }
    return past_retention(offset, since, now);
}

bool Coordinator::past_retention(const wire::OffsetCommitValue& offset, std::int64_t since,
                                 sdk::Timestamp now) const {
    if (offset.expire_timestamp >= 0) return now.value >= offset.expire_timestamp;
    return now.value - since >= limits_.offsets_retention.count();
}

// How many are left.
template <class IsExpired>
std::size_t Coordinator::expire_in(const std::string& group, IsExpired is_expired,
                                   Effects& effects) const {
    const DurableGroup* known = durable_.find(group);
    if (known == nullptr) return 0;
    std::size_t left = 0;
    for (const auto& [topic, partitions] : known->offsets) {
        for (const auto& [index, offset] : partitions) {
            if (!is_expired(topic, offset)) {
                ++left;
                continue;
            }
            effects.records.push_back(
                wire::OffsetCommitRecord{{group, topic, index}, std::nullopt});
        }
    }
    return left;
}

// Time counts from the commit: nothing says since when nobody subscribes.
void Coordinator::expire_consumer_groups(sdk::Timestamp now, Effects& effects) {
    std::erase_if(consumers_, [&](const auto& entry) {
        const ConsumerGroup& group = entry.second;
        const std::size_t left = expire_in(
            entry.first,
            [&](const std::string& topic, const wire::OffsetCommitValue& offset) {
                return !group.subscribes_to(topic) &&
                       past_retention(offset, offset.commit_timestamp, now);
            },
            effects);
        if (left > 0 || !group.is_empty()) return false;
        group.remove_records(effects);
        return true;
    });
}

void Coordinator::expire_offsets(sdk::Timestamp now, Effects& effects) {
    expire_consumer_groups(now, effects);
    std::vector<std::string> gone;
    for (const auto& [id, group] : groups_) {
        const auto subscribed =
            group.state() == ClassicState::stable ? subscribed_topics(group) : std::nullopt;
        const std::size_t left = expire_in(
            id,
            [&, &of = group](const std::string& topic, const wire::OffsetCommitValue& offset) {
                return expired(of, subscribed ? &*subscribed : nullptr, topic, offset, now);
            },
            effects);
        if (left == 0 && group.is_empty() && !group.has_members()) gone.push_back(id);
    }
    for (const std::string& id : gone) {
        const DurableGroup* known = durable_.find(id);
        if (known != nullptr && known->classic) {
            effects.records.push_back(wire::GroupMetadataRecord{{id}, std::nullopt});
        }
        groups_.erase(id);
    }
}

}  // namespace leat::groups
