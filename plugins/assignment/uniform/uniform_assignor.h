// Even numbers of partitions per member, and of those the ones that it had.
//
// Gives what the assignor `uniform` of Apache Kafka 4.4's group coordinator gives (KIP-848) on the
// same input, where that walks members by their ids and each one's earlier partitions by topic id.
// There are two ways, as there: one for groups whose members all subscribe to the same, which comes
// out even always, and one for the others, which gives up evening out after 16 rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/sdk/assignment.h"

namespace leat::uniform {

class UniformAssignor final : public sdk::GroupAssignor {
public:
    static constexpr sdk::AssignmentCapabilities capabilities{
        .balance = sdk::AssignmentBalance::members, .keeps_the_others = true};

    sdk::Result<sdk::GroupAssignment> assign(const sdk::AssignmentInput& input,
                                             sdk::AssignmentSteps& steps) const override;
};

// Both: false when the steps are spent, and then what is in `assignment` means nothing.
bool assign_same_topics(const sdk::AssignmentInput& input, sdk::AssignmentSteps& steps,
                        sdk::GroupAssignment& assignment);
bool assign_mixed_topics(const sdk::AssignmentInput& input, sdk::AssignmentSteps& steps,
                         sdk::GroupAssignment& assignment);

// The members' positions, by member id.
std::vector<std::size_t> members_by_id(const sdk::AssignmentInput& input);

// Whether topic id `a` comes before `b`: Kafka compares the halves as signed numbers.
bool comes_before(const sdk::Uuid& a, const sdk::Uuid& b);

// A half of a topic id as Kafka reads it: big-endian.
std::int64_t half_of(const sdk::Uuid& id, std::size_t half);

}  // namespace leat::uniform
