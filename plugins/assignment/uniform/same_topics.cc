// A group whose members all subscribe to the same topics: quotas, what is above them goes, what
// nobody has fills up those below.
#include <algorithm>
#include <bit>
#include <utility>

#include "uniform_assignor.h"

namespace leat::uniform {

namespace {

using sdk::AssignmentInput;
using sdk::GroupMember;
using sdk::GroupPartition;

// Where Kafka's walk over its set of topics meets `id`: that is a Java hash table with room for
// `topics`, and which partition fills up whom follows its order.
std::uint32_t bucket_of(const sdk::Uuid& id, std::size_t topics) {
    const auto room = static_cast<std::uint32_t>(static_cast<float>(topics) / 0.75F) + 1;
    const std::uint32_t table = std::bit_ceil(std::max(room, 16U));
    const auto mixed = static_cast<std::uint64_t>(half_of(id, 0) ^ half_of(id, 1));
    const auto hash = static_cast<std::uint32_t>(mixed >> 32) ^ static_cast<std::uint32_t>(mixed);
    return (hash ^ hash >> 16) & (table - 1);
}

std::vector<std::uint32_t> topics_in_order(const AssignmentInput& input) {
    std::vector<std::uint32_t> order = input.members.front().topics;
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t at_a = bucket_of(input.topics[a].id, order.size());
        const std::uint32_t at_b = bucket_of(input.topics[b].id, order.size());
        if (at_a != at_b) return at_a < at_b;
        return comes_before(input.topics[a].id, input.topics[b].id);
    });
    return order;
}

// What it had and still may have, by topic id and number.
std::vector<GroupPartition> kept_by(const GroupMember& member, const AssignmentInput& input) {
    std::vector<GroupPartition> kept;
    for (const GroupPartition at : member.previous)
        if (std::ranges::binary_search(member.topics, at.topic)) kept.push_back(at);
    std::ranges::stable_sort(kept, [&](GroupPartition a, GroupPartition b) {
        return comes_before(input.topics[a.topic].id, input.topics[b.topic].id);
    });
    return kept;
}

class Quotas {
public:
    Quotas(const AssignmentInput& input, sdk::GroupAssignment& assignment)
        : input_{input}, assignment_{assignment}, order_{members_by_id(input)} {}

    void list_free() {
        std::vector<std::vector<bool>> had(input_.topics.size());
        for (std::size_t topic = 0; topic < had.size(); ++topic)
            had[topic].resize(input_.topics[topic].partitions.size());
        for (const GroupMember& member : input_.members)
            for (const GroupPartition at : member.previous)
                had[at.topic][static_cast<std::size_t>(at.partition)] = true;
        for (const std::uint32_t topic : topics_in_order(input_)) {
            for (std::size_t at = 0; at < had[topic].size(); ++at)
                if (!had[topic][at]) free_.push_back({topic, static_cast<std::int32_t>(at)});
            partitions_ += had[topic].size();
        }
    }

    // Whoever has more than an even share keeps one more than the others, as long as there are
    // such shares; the last members take what is left of those, needed or not.
    void keep() {
        const std::size_t share = partitions_ / order_.size();
        std::size_t one_more = partitions_ % order_.size();
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const std::size_t member = order_[i];
            bool extra = one_more > 0;
            std::size_t quota = share + (extra ? 1 : 0);
            for (const GroupPartition at : kept_by(input_.members[member], input_)) {
                if (quota == 0) {
                    free_.push_back(at);
                } else {
                    assignment_[member].push_back(at);
                    --quota;
                }
            }
            if (quota > 0 && extra && order_.size() - i > one_more) {
                --quota;
                extra = false;
            }
            if (quota > 0) below_.emplace_back(member, quota);
            if (extra) --one_more;
        }
    }

    void fill() {
        auto next = free_.begin();
        for (const auto& [member, quota] : below_)
            for (std::size_t i = 0; i < quota && next != free_.end(); ++i)
                assignment_[member].push_back(*next++);
    }

    std::size_t partitions() const { return partitions_; }

private:
    const AssignmentInput& input_;
    sdk::GroupAssignment& assignment_;
    const std::vector<std::size_t> order_;
    std::size_t partitions_ = 0;
    std::vector<GroupPartition> free_;
    std::vector<std::pair<std::size_t, std::size_t>> below_;  // Members, and how many they lack.
};

}  // namespace

bool assign_same_topics(const AssignmentInput& input, sdk::AssignmentSteps& steps,
                        sdk::GroupAssignment& assignment) {
    Quotas quotas{input, assignment};
    quotas.list_free();
    if (!steps.take(input.members.size() + quotas.partitions())) return false;
    quotas.keep();
    quotas.fill();
    return steps.take(input.members.size() + quotas.partitions());
}

}  // namespace leat::uniform
