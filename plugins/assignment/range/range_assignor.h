// Of each topic by itself, each subscriber gets a run of consecutive partitions, the first ones one
// more where it does not come out even. Members with the same subscriptions get the same numbers of
// all topics that are equally long, so that what is keyed alike meets in one consumer.
//
// Static members come first, by their instance id, then the others by member id: a static member
// that restarts under a new member id keeps its place and with it its partitions (KIP-345). What
// anybody had before plays no part.
//
// Gives what the assignor `range` of Apache Kafka 4.4's group coordinator gives (KIP-848).
#pragma once

#include "leat/sdk/assignment.h"

namespace leat::range {

class RangeAssignor final : public sdk::GroupAssignor {
public:
    static constexpr sdk::AssignmentCapabilities capabilities{
        .balance = sdk::AssignmentBalance::each_topic};

    sdk::Result<sdk::GroupAssignment> assign(const sdk::AssignmentInput& input,
                                             sdk::AssignmentSteps& steps) const override;
};

}  // namespace leat::range
