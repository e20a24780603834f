// What members have to do while `lag_aware` assigns, in records; see lag_aware_assignor.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "allotment.h"
#include "lag_aware_assignor.h"

namespace leat::lag_aware {

class Loads {
public:
    Loads(allotment::Allotment& allotment, const Measure& measure, sdk::AssignmentSteps& steps);

    // Both: false when the steps are spent.
    bool place_free();
    bool level();

private:
    using Rank = std::size_t;
    using Bundle = allotment::Allotment::Bundle;
    using ByLoad = std::set<std::pair<std::int64_t, Rank>>;
    struct Weighed {
        sdk::GroupPartition what;
        std::int64_t weight = 0;
    };
    // Of one bundle; the key is the weight and, where that is the same, the place in the bundle.
    using Weights = std::map<std::pair<std::int64_t, std::size_t>, sdk::GroupPartition>;
    struct Own {
        Weights fresh;  // What came new to the member: it costs least to move on.
        Weights kept;

        bool empty() const { return fresh.empty() && kept.empty(); }
    };
    enum class Leveled { even, moved, stopped };

    void weigh();
    std::int64_t weight(sdk::GroupPartition at) const {
        return weights_[at.topic][static_cast<std::size_t>(at.partition)];
    }
    bool look_at(const Bundle& bundle) const;
    Leveled level(const Bundle& bundle);
    std::vector<Own> held_of(const Bundle& bundle) const;
    // Takes out what brings most across `gap`, or nothing if no partition is worth a move.
    std::optional<Weights::node_type> take_best(Own& own, std::int64_t gap) const;
    Weights& place_in(Own& own, Rank rank, sdk::GroupPartition what) const {
        return allotment_.earlier_owner(what) == rank ? own.kept : own.fresh;
    }
    void give(Weighed partition, Rank taker);

    allotment::Allotment& allotment_;
    const Measure measure_;
    sdk::AssignmentSteps& steps_;
    std::vector<std::vector<std::int64_t>> weights_;  // By topic and partition.
    std::vector<std::int64_t> loads_;                 // By rank.
    std::int64_t tolerated_ = 0;                      // Records.
};

}  // namespace leat::lag_aware
