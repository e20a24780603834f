// A group whose members subscribe to different topics. Everybody keeps what he had; what nobody has
// goes, topic by topic, to those with least; then again and again topic by topic, those with most
// give to those with least.
#include <algorithm>
#include <numeric>
#include <utility>

#include "turns.h"
#include "uniform_assignor.h"

namespace leat::uniform {

namespace {

using sdk::AssignmentInput;
using sdk::GroupPartition;

// A topic is even after one round unless its subscribers have other topics in common with others.
constexpr int most_rounds = 16;

class Mixed {
public:
    Mixed(const AssignmentInput& input, sdk::AssignmentSteps& steps)
        : input_{input},
          steps_{steps},
          order_{members_by_id(input)},
          counts_(order_.size(), 0),
          subscribers_(input.topics.size()) {
        for (const sdk::GroupTopic& topic : input.topics)
            owners_.emplace_back(topic.partitions.size(), nobody);
        for (std::size_t rank = 0; rank < order_.size(); ++rank)
            for (const std::uint32_t topic : input.members[order_[rank]].topics)
                subscribers_[topic].push_back(rank);
        list_topics();
    }

    bool keep_and_place() {
        for (std::size_t rank = 0; rank < order_.size(); ++rank) {
            const sdk::GroupMember& member = input_.members[order_[rank]];
            for (const GroupPartition at : member.previous)
                if (std::ranges::binary_search(member.topics, at.topic)) give(at, rank);
        }
        for (const std::uint32_t topic : topics_) {
            if (!look_at(topic)) return false;
            if (std::ranges::find(owners_[topic], nobody) == owners_[topic].end()) continue;
            Turns turns{counts_, subscribers_[topic]};
            for (std::int32_t at = 0; at < count_of(topic); ++at)
                if (owner(topic, at) == nobody) give({topic, at}, turns.next_to_take());
        }
        return true;
    }

    bool even_out() {
        std::erase_if(topics_, [&](std::uint32_t topic) { return subscribers_[topic].size() < 2; });
        const std::size_t none = topics_.size();
        std::size_t last_changed = none;
        for (int round = 0; round < most_rounds; ++round) {
            for (std::size_t i = 0; i < topics_.size(); ++i) {
                if (i == last_changed) return true;
                if (!look_at(topics_[i])) return false;
                if (even_out(topics_[i]) || last_changed == none) last_changed = i;
            }
        }
        return true;
    }

    void tell(sdk::GroupAssignment& assignment) const {
        for (const std::uint32_t topic : all_topics_)
            for (std::int32_t at = 0; at < count_of(topic); ++at)
                assignment[order_[owner(topic, at)]].push_back({topic, at});
    }

private:
    static constexpr std::size_t nobody = SIZE_MAX;

    // Those with most partitions per subscriber first, then those with fewest subscribers.
    void list_topics() {
        for (std::uint32_t topic = 0; topic < subscribers_.size(); ++topic)
            if (!subscribers_[topic].empty()) topics_.push_back(topic);
        std::ranges::sort(topics_, [&](std::uint32_t a, std::uint32_t b) {
            const auto per_subscriber = [&](std::uint32_t topic) {
                return static_cast<double>(count_of(topic)) /
                       static_cast<double>(subscribers_[topic].size());
            };
            if (per_subscriber(a) != per_subscriber(b))
                return per_subscriber(a) > per_subscriber(b);
            if (subscribers_[a].size() != subscribers_[b].size())
                return subscribers_[a].size() < subscribers_[b].size();
            return comes_before(input_.topics[a].id, input_.topics[b].id);
        });
        all_topics_ = topics_;
    }

    // Whether anything moved. Who gives, gives its last partition of the topic that it had when
    // the topic's turn came.
    bool even_out(std::uint32_t topic) {
        Turns turns{counts_, subscribers_[topic]};
        if (turns.difference() <= 1) return false;
        std::vector<std::vector<std::int32_t>> held(order_.size());
        for (std::int32_t at = 0; at < count_of(topic); ++at) held[owner(topic, at)].push_back(at);
        bool moved = false;
        while (!turns.even()) {
            std::size_t giver = turns.next_to_give();
            while (giver != Turns::nobody && held[giver].empty()) {
                turns.pass_over_giver();
                giver = turns.next_to_give();
            }
            if (giver == Turns::nobody) break;
            const std::size_t taker = turns.next_to_take();
            if (turns.even()) break;
            give({topic, held[giver].back()}, taker);
            held[giver].pop_back();
            moved = true;
        }
        return moved;
    }

    void give(GroupPartition at, std::size_t rank) {
        std::size_t& owner = owners_[at.topic][static_cast<std::size_t>(at.partition)];
        if (owner != nobody) --counts_[owner];
        owner = rank;
        ++counts_[rank];
    }
    std::size_t owner(std::uint32_t topic, std::int32_t at) const {
        return owners_[topic][static_cast<std::size_t>(at)];
    }
    std::int32_t count_of(std::uint32_t topic) const {
        return static_cast<std::int32_t>(input_.topics[topic].partitions.size());
    }
    bool look_at(std::uint32_t topic) {
        return steps_.take(owners_[topic].size() + subscribers_[topic].size());
    }

    const AssignmentInput& input_;
    sdk::AssignmentSteps& steps_;
    const std::vector<std::size_t> order_;               // Members by id; a rank is a place here.
    std::vector<std::int32_t> counts_;                   // Partitions by rank.
    std::vector<std::vector<std::size_t>> subscribers_;  // Ranks by topic, ascending.
    std::vector<std::vector<std::size_t>> owners_;       // Ranks by topic and partition.
    std::vector<std::uint32_t> topics_;                  // In the order of their turns.
    std::vector<std::uint32_t> all_topics_;
};

}  // namespace

bool assign_mixed_topics(const AssignmentInput& input, sdk::AssignmentSteps& steps,
                         sdk::GroupAssignment& assignment) {
    Mixed mixed{input, steps};
    if (!mixed.keep_and_place() || !mixed.even_out()) return false;
    mixed.tell(assignment);
    return true;
}

}  // namespace leat::uniform
