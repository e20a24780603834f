#include "core/groups/assignment_topics.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace leat::groups {
namespace {

std::vector<std::string> racks_of(const cluster::PartitionImage& partition,
                                  const cluster::Image& image) {
    std::set<std::string> racks;
    for (const sdk::NodeId replica : partition.replicas.view()) {
        const cluster::BrokerImage* broker = image.broker(replica);
        if (broker != nullptr && !broker->rack.empty()) racks.insert(broker->rack);
    }
    return {racks.begin(), racks.end()};
}

// False: there is no such topic.
bool fill_in(sdk::GroupTopic& topic, const cluster::Image& image) {
    const cluster::TopicImage* known = image.topic(topic.name);
    if (known == nullptr) return !topic.partitions.empty();
    topic.id = known->id;
    if (topic.partitions.empty()) topic.partitions.resize(known->partitions.size());
    for (std::size_t i = 0; i < topic.partitions.size() && i < known->partitions.size(); ++i) {
        topic.partitions[i].racks = racks_of(known->partitions[i], image);
    }
    return true;
}

}  // namespace

void fill_in_topics(sdk::AssignmentInput& input, const cluster::Image& image) {
    std::vector<std::optional<std::uint32_t>> moved;  // From old positions to new ones.
    std::vector<sdk::GroupTopic> there;
    for (sdk::GroupTopic& topic : input.topics) {
        moved.emplace_back();
        if (!fill_in(topic, image)) continue;
        moved.back() = static_cast<std::uint32_t>(there.size());
        there.push_back(std::move(topic));
    }
    input.topics = std::move(there);
    const auto keep = [&](std::vector<sdk::GroupPartition>& partitions) {
        std::vector<sdk::GroupPartition> kept;
        for (const auto& [topic, partition] : partitions) {
            if (!moved[topic] || partition < 0) continue;
            const auto count = input.topics[*moved[topic]].partitions.size();
            if (static_cast<std::size_t>(partition) >= count) continue;
            kept.push_back({*moved[topic], partition});
        }
        partitions = std::move(kept);
    };
    for (sdk::GroupMember& member : input.members) {
        std::vector<std::uint32_t> topics;
        for (const std::uint32_t topic : member.topics) {
            if (moved[topic]) topics.push_back(*moved[topic]);
        }
        member.topics = std::move(topics);
        keep(member.previous);
        keep(member.owned);
    }
}

}  // namespace leat::groups
