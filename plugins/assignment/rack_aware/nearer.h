// Brings partitions into the racks of their members without making counts less even.
//
// A partition that is far from its member goes to one that is near it, that gives one of its near
// ones to another that is near that, and so on, until somebody gives back to the first member a
// partition that was far from him as well, or one that the first is near. That is the search for an
// augmenting path in a matching, breadth first, so that a chain moves as few as it can. First only
// what came new to its member may move, and then everything.
//
// Cost: a search looks at each member, each of its partitions and each subscription once at most,
// and nearly always ends at its first members; members that a search in vain has met are left out
// of the following ones. It ends when no search of a pass has found anything, or after twice as
// many looks as there are pairs of a member and a partition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allotment.h"

namespace leat::rack_aware {

class Nearer {
public:
    // `allotment` is even.
    Nearer(allotment::Allotment& allotment, sdk::AssignmentSteps& steps);

    // False: the steps are spent.
    bool bring();

private:
    using Rank = std::size_t;
    struct Arrival {
        sdk::GroupPartition what;
        Rank from = 0;
    };
    struct Takers {
        std::vector<Rank> ranks;  // Of one bundle and rack, ascending.
        std::size_t next = 0;     // The first that this search has not looked at.
    };

    void number_racks();
    void list_takers();
    // Whether the partition that this search began with is near now.
    bool search(sdk::GroupPartition far);
    bool visit_takers(sdk::GroupPartition what, Rank giver);
    bool visit(Rank taker, Arrival arrival);
    // What the first member would take from this one at the end of the chain, or null.
    const sdk::GroupPartition* best_return(Rank from) const;
    void carry_out(Rank last, const sdk::GroupPartition* back);
    void move(sdk::GroupPartition what, Rank from, Rank to);

    bool is_near(sdk::GroupPartition what, Rank rank) const;
    bool may_move(sdk::GroupPartition what, Rank from) const {
        return everything_moves_ || allotment_.earlier_owner(what) != from;
    }
    bool may_take(Rank rank, std::uint32_t topic) const {
        return allotment_.count(rank) <= fewest_[bundle_of_[topic]] + 1;
    }
    const std::vector<std::uint32_t>& racks_of(sdk::GroupPartition what) const {
        return racks_[what.topic][static_cast<std::size_t>(what.partition)];
    }
    std::vector<std::uint32_t>& searched_in_vain() {
        return in_vain_[allotment_.count(first_) > least_count_ ? 1 : 0];
    }

    allotment::Allotment& allotment_;
    sdk::AssignmentSteps& steps_;
    std::vector<std::size_t> bundle_of_;  // By topic.
    std::vector<std::size_t> fewest_;     // Of a bundle's subscribers' counts, which stay.
    std::size_t least_count_ = SIZE_MAX;
    std::vector<std::vector<sdk::GroupPartition>> held_;  // By rank.
    std::size_t rack_count_ = 0;
    std::vector<std::uint32_t> rack_of_;                          // By rank; no_rack.
    std::vector<std::vector<std::vector<std::uint32_t>>> racks_;  // Of members, by partition.
    std::vector<std::vector<Takers>> takers_;                     // By bundle and rack.

    bool everything_moves_ = false;
    std::uint32_t pass_ = 0;
    std::uint32_t searches_ = 0;
    std::vector<std::uint32_t> visited_;     // By rank: the search that has met it last.
    std::vector<std::uint32_t> in_vain_[2];  // The pass; for first members with least, with more.
    std::vector<Arrival> arrivals_;          // By rank, of this search.
    std::vector<Rank> queue_;
    std::vector<Takers*> looked_at_;
    Rank first_ = 0;
    std::uint64_t looks_ = 0;  // Of this search.
    std::uint64_t looks_left_ = 0;
};

}  // namespace leat::rack_aware
