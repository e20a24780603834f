// Who has what while an assignment is made: what `sticky`, `rack_aware` and `lag_aware` begin from.
//
// Members are known by their rank, which is their place by member id, and topics are walked by
// topic id, so that nothing follows from the order of the input.
//
// Cost, with P partitions, M members and S subscriptions of all members together: beginning and
// placing O(S log S + P log M). Evening out is that for each of its passes, and log M for each
// move; where all subscribe to the same there are two passes, and at most P moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/sdk/assignment.h"

namespace leat::allotment {

inline constexpr std::size_t nobody = SIZE_MAX;

class Allotment {
public:
    // Topics that the same members subscribe to: among them one member's partition is as good as
    // another's, so that they are evened out together.
    using Bundle = std::vector<std::uint32_t>;

    // `input` outlives it. Everybody has what he had and may still have.
    explicit Allotment(const sdk::AssignmentInput& input);

    std::size_t owner(sdk::GroupPartition at) const {
        return owners_[at.topic][static_cast<std::size_t>(at.partition)];
    }
    // Who had it and may have it still, or nobody.
    std::size_t earlier_owner(sdk::GroupPartition at) const {
        return earlier_[at.topic][static_cast<std::size_t>(at.partition)];
    }
    void give(sdk::GroupPartition at, std::size_t rank);

    const sdk::GroupMember& member(std::size_t rank) const { return input_.members[order_[rank]]; }
    const sdk::PartitionFacts& facts(sdk::GroupPartition at) const {
        return input_.topics[at.topic].partitions[static_cast<std::size_t>(at.partition)];
    }
    bool subscribes(std::size_t rank, std::uint32_t topic) const;

    std::size_t members() const { return order_.size(); }
    std::size_t count(std::size_t rank) const { return counts_[rank]; }

    // Topics that somebody subscribes to, those with fewest subscribers first, then by topic id.
    const std::vector<std::uint32_t>& topics() const { return topics_; }
    const std::vector<std::size_t>& subscribers(std::uint32_t topic) const {
        return subscribers_[topic];
    }
    const std::vector<Bundle>& bundles() const { return bundles_; }
    std::int32_t partitions(std::uint32_t topic) const {
        return static_cast<std::int32_t>(owners_[topic].size());
    }

    // What nobody has goes to the subscribers with fewest partitions. False: the steps are spent.
    bool place_free(sdk::AssignmentSteps& steps);

    // Partitions move, one by one, from members to subscribers that have two fewer, until none can;
    // from who has most to who has fewest, what came new to a member first. Each move brings two
    // counts closer, so it ends. Where all subscribe to the same, no fewer moves would do. False:
    // the steps are spent.
    bool even_out(sdk::AssignmentSteps& steps);

    // False: the steps are spent.
    bool look_at(std::uint32_t topic, sdk::AssignmentSteps& steps) const;

    sdk::GroupAssignment told() const;

private:
    using Held = std::vector<std::vector<sdk::GroupPartition>>;  // Of one bundle, by rank.

    void list_topics();
    Held held_of(const Bundle& bundle) const;
    bool even_out(const Bundle& bundle);  // Whether anything moved.

    const sdk::AssignmentInput& input_;
    std::vector<std::size_t> order_;  // Positions in the input by rank.
    std::vector<std::vector<std::size_t>> subscribers_;
    std::vector<std::vector<std::size_t>> owners_;
    std::vector<std::vector<std::size_t>> earlier_;
    std::vector<std::size_t> counts_;
    std::vector<std::uint32_t> topics_;
    std::vector<Bundle> bundles_;  // In the order of `topics_`, the topics of each as well.
};

}  // namespace leat::allotment
