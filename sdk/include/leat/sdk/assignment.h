// What a group assignor implements: a pure function from the members of a consumer group and the
// topics that they subscribe to, to who gets which partition.
//
//   core                                     plugin
//    |-- GroupAssignor::assign(input) ------->|   when members, topics or subscriptions changed
//    |<------------- a GroupAssignment -------|
//    |   checks it, and only then tells the members
//
// Threads    [assignor thread]: one call at a time for one instance, away from every shard. It may
//            take long; others of the broker's groups wait for it, so it should not.
// Lifetime   The input is a copy that lives for the call. Keep no reference into it.
// Purity     The same input gives the same answer: no clock, no random device, no state between
//            calls. The order of the members and topics in the input means nothing either.
// Errors     A returned Error, an exception, an answer that breaks a rule below or too many steps:
//            the group keeps the assignment that it has or gets the built-in one, and a log line
//            names the plugin. No member sees any of it. All but a returned Error also mean that
//            it is not asked again until the operator reloads it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leat/sdk/result.h"
#include "leat/sdk/uuid.h"

namespace leat::sdk {

// One partition: `topic` is a position in AssignmentInput::topics.
struct GroupPartition {
    std::uint32_t topic = 0;
    std::int32_t partition = 0;

    auto operator<=>(const GroupPartition&) const = default;
};

// What is known about a partition. Unknown is never told as zero.
struct PartitionFacts {
    // Of the brokers that hold a replica, each once, ascending (`broker.rack`). Empty: unknown.
    std::vector<std::string> racks;
    // Records between the group's committed offset and the end. Only where needs_lag is declared;
    // unknown if the group has committed nothing there.
    std::optional<std::int64_t> lag;
    // What the partition takes on its leader's disk. Only where needs_sizes is declared.
    std::optional<std::uint64_t> bytes;
};

struct GroupTopic {
    Uuid id;
    std::string name;
    std::vector<PartitionFacts> partitions;  // By number; one at least.
};

struct GroupMember {
    std::string id;                         // Its own in the group.
    std::optional<std::string> instance{};  // group.instance.id of a static member (KIP-345).
    std::string rack{};                     // client.rack; empty: unknown.
    std::string client_id{};
    std::string client_host{};

    // Subscribed topics, as positions in AssignmentInput::topics: ascending, each once.
    std::vector<std::uint32_t> topics{};

    // What the last assignment gave it, ascending: what keeping means. A partition is with one
    // member at most; one of a topic that the member subscribes to no longer may be among them.
    std::vector<GroupPartition> previous{};

    // What it says it holds, ascending. Differs from `previous` while a rebalance is under way.
    std::vector<GroupPartition> owned{};
};

struct AssignmentInput {
    std::string group;
    std::vector<GroupMember> members;  // May be empty.
    // Those that exist and that a member subscribes to, or that its `previous` or `owned` names.
    std::vector<GroupTopic> topics;
};

// For each member, at its position in AssignmentInput::members, its partitions in any order.
//
// Each partition of each topic that somebody subscribes to is with exactly one member, and that
// member subscribes to it. A member without partitions has an empty list.
using GroupAssignment = std::vector<std::vector<GroupPartition>>;

// Counts what a call does, so that a huge group cannot take the thread for itself.
class AssignmentSteps {
public:
    // Take one step for about each look at a partition, at a member or at a member's subscription,
    // in as large pieces as is convenient. False: the broker waits no longer, whatever is
    // returned is dropped, so return an Error.
    virtual bool take(std::uint64_t steps) = 0;

protected:
    ~AssignmentSteps() = default;
};

class GroupAssignor {
public:
    virtual ~GroupAssignor() = default;

    // [assignor thread]
    virtual Result<GroupAssignment> assign(const AssignmentInput& input,
                                           AssignmentSteps& steps) const = 0;
};

// What an assignor keeps even. The conformance kit holds it to that.
enum class AssignmentBalance {
    none,
    // Of each topic, no subscriber has two partitions more than another.
    each_topic,
    // No member could give one of its partitions to a subscriber that has two fewer in all. Where
    // all subscribe to the same, no member has two more than another.
    members,
};

struct AssignmentCapabilities {
    // What the broker has to gather before it asks; what is not asked for is unknown.
    bool needs_lag = false;
    bool needs_sizes = false;

    // What the assignor promises.
    AssignmentBalance balance = AssignmentBalance::none;
    // Where all members subscribe to the same topics and one of them leaves, nobody else's
    // partitions move.
    bool keeps_the_others = false;
    // Between assignments that are equally even, it prefers replicas in the member's rack.
    bool follows_racks = false;
};

}  // namespace leat::sdk
