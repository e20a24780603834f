// One group of KIP-848: its members say by heartbeats what they subscribe to and what they hold,
// and the coordinator assigns. A machine: requests and time come in, answers and records go out.
//
//   subscriptions, members, topics change -> group epoch -> an assignor is asked -> target epoch
//   each member's heartbeat takes that member a step nearer to its target (consumer_partitions.h)
//
// Classic    Members of the classic protocol may be among the others: for them a heartbeat says
//            that there is a step to take, JoinGroup takes it, and SyncGroup tells what came out.
//            JoinGroup waits for an assignor that is being asked. When the last member of the new
//            protocol goes, the whole group may become a classic one: classic_form().
// Durable    All but timers: what a decision changes goes out as records, and is put into stored()
//            the same way in which a replay puts it into DurableGroups. So both are always equal.
// Assigning  One question at a time. An answer for an epoch that is no longer the group's is
//            dropped, and the question asked again. An assignor that fails is asked for again by
//            the next heartbeat; the members keep what they have.
// Topics     A change of the cluster's topics is noticed by the next heartbeat. Patterns leave out
//            internal topics. The stored hash is ours, over names, ids and numbers of partitions;
//            racks are not in it, or a broker that restarts would bring a rebalance.
// Sources    KIP-848, KIP-1082 (member ids), KIP-1251 (commits of earlier epochs), KIP-345.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/cluster/image.h"
#include "core/groups/classic_group.h"
#include "core/groups/consumer_partitions.h"
#include "core/groups/consumer_requests.h"
#include "core/groups/durable_consumer_group.h"
#include "core/groups/effects.h"
#include "core/groups/group_limits.h"
#include "core/wire/messages/consumer_group_describe.h"
#include "core/wire/messages/heartbeat.h"
#include "core/wire/messages/leave_group.h"

namespace leat::groups {

// Who sends a heartbeat, beside what the request says.
struct ConsumerClient {
    std::string client_id;
    std::string host;
};

// What all groups of one coordinator share. Outlives them.
struct ConsumerSurroundings {
    const GroupLimits& limits;
    std::function<std::string()> make_id;
    std::function<const cluster::Image&()> image;
    std::uint64_t image_changes = 1;  // Counts calls of topics_changed().
    // For an assignment: unique, whatever groups come and go, and above all generations, by which
    // classic groups ask.
    std::uint64_t last_request = std::uint64_t{1} << 32;
};

// A JoinGroup of a classic member.
struct ClassicJoin {
    Ticket ticket;
    JoiningClient client;
    wire::JoinGroupRequest request;
};

class ConsumerGroup {
public:
    ConsumerGroup(std::string id, ConsumerSurroundings& around);
    // As it was stored: its members have a session's time to show themselves.
    ConsumerGroup(std::string id, ConsumerSurroundings& around, DurableConsumerGroup stored,
                  Now now);

    // The request is not one that wrong_with() refuses. An error changes nothing.
    wire::ConsumerGroupHeartbeatResponse heartbeat(
        const ConsumerClient& client, const wire::ConsumerGroupHeartbeatRequest& request, Now now,
        Effects& effects);
    // What came of the request that it made.
    void assigned(const AssignmentOutcome& outcome, Now now, Effects& effects);
    // By the classic protocol's LeaveGroup, which an administrator may send: for good.
    wire::LeaveGroupResponse leave(const wire::LeaveGroupRequest& request, Now now,
                                   Effects& effects);

    // Of classic members. The group has members.
    void join(ClassicJoin asked, Now now, Effects& effects);
    void sync(Ticket ticket, const wire::SyncGroupRequest& request, Now now, Effects& effects);
    wire::HeartbeatResponse heartbeat(const wire::HeartbeatRequest& request, Now now,
                                      Effects& effects);

    // Records for all of it, as it was constructed from a classic group's.
    void begin(Effects& effects);
    // To be looked at after each call: the group ends, a classic one takes its place, and those who
    // wait join that one.
    const std::optional<wire::GroupMetadataValue>& classic_form() const { return classic_form_; }
    std::vector<ClassicJoin> take_waiting();

    // Sessions end, and members that do not give back what they should in time are put out.
    void tick(Now now, Effects& effects);
    std::optional<sdk::Instant> next_deadline() const;

    // Whether a member may commit now, or read what is committed.
    wire::ErrorCode may_commit(const std::string& member_id,
                               const std::optional<std::string>& instance_id, std::int32_t epoch,
                               bool speaks_epochs) const;
    wire::ErrorCode may_fetch(const std::optional<std::string>& member_id,
                              std::int32_t epoch) const;
    // What a commit or a read of an epoch that is not the member's gets.
    wire::ErrorCode wrong_epoch(const std::string& member_id) const;
    // For a commit of an earlier epoch: whether the partition was the member's then.
    bool held_since(const std::string& member_id, std::int32_t epoch, const sdk::Uuid& topic,
                    std::int32_t partition) const;

    bool subscribes_to(const std::string& topic) const;
    std::string_view state() const;  // As ListGroups and ConsumerGroupDescribe spell it.
    wire::ConsumerGroupDescribeResponse::Group describe() const;
    // Tombstones for all that is stored of it but offsets, in the order in which Kafka writes them.
    void remove_records(Effects& effects) const;

    const std::string& id() const { return id_; }
    bool is_empty() const { return stored_.members.empty(); }
    const DurableConsumerGroup& stored() const { return stored_; }

private:
    using Error = wire::ErrorCode;
    using Request = wire::ConsumerGroupHeartbeatRequest;
    using Response = wire::ConsumerGroupHeartbeatResponse;
    using Subscription = wire::ConsumerGroupMemberMetadataValue;

    struct Timers {
        sdk::Instant session{};
        // Until when it has to give back partitions, to join again or to sync.
        std::optional<sdk::Instant> step{};
    };
    struct Asked {
        std::uint64_t number;
        std::int32_t epoch;
        std::string assignor;
        bool outdated = false;  // A member has another id by now.
    };

    // Members.
    std::optional<Refusal> refuse(const Request& request) const;
    std::optional<Refusal> refuse_static(const Request& request, const std::string& known) const;
    std::optional<Refusal> refuse_epoch(const std::string& member_id, const Request& request) const;
    Response leave(const Request& request, Now now, Effects& effects);
    void take_over(const std::string& old_id, const std::string& new_id, Effects& effects);
    bool subscribe(const std::string& member_id, const ConsumerClient& client,
                   const Request& request, Effects& effects);
    bool put_subscription(const std::string& member_id, Subscription after, Effects& effects);
    void follow(bool changed, Now now, Effects& effects);
    void reconcile(const std::string& member_id, const std::optional<PartitionSet>& owned, Now now,
                   Effects& effects);
    void remove_member(const std::string& member_id, Effects& effects);
    void members_left(bool may_become_classic, Now now, Effects& effects);
    bool become_classic(Now now, Effects& effects);

    // Classic members (consumer_classic.cc).
    std::optional<Error> refuse(const ClassicJoin& asked) const;
    bool subscribe_classic(const ClassicJoin& asked, Effects& effects);
    void complete_join(const ClassicJoin& asked, Now now, Effects& effects);
    void complete_joins(Now now, Effects& effects);
    Error check_classic(const std::string& member_id, const std::optional<std::string>& instance,
                        std::int32_t generation) const;
    bool speaks_classic(const std::string& member_id) const;
    bool supports(const wire::JoinGroupRequest& request) const;
    bool waits_for_others(const std::string& member_id) const;
    void expect_join(const std::string& member_id, Now now);
    Refusal no_member(const std::string& member_id) const;
    std::chrono::milliseconds session_timeout(const std::string& member_id) const;
    void touch(const std::string& member_id, Now now);
    void set_timers(const std::string& member_id, Timers timers);
    void forget_timers(const std::string& member_id);
    std::optional<std::string> static_member(const std::optional<std::string>& instance) const;
    CurrentAssignment current(const std::string& member_id) const;

    // Topics and targets.
    bool refresh_topics(Effects& effects, Now now);
    void drop_unused_patterns(Effects& effects);
    std::set<std::string> subscribed_topics() const;
    std::set<std::string> topics_of(const Subscription& subscription) const;
    std::int64_t hash_of_topics() const;
    void bump(Effects& effects);
    void ask_for_target(Effects& effects, std::optional<std::string> assignor = {});
    void take_outcome(const AssignmentOutcome& outcome, Now now, Effects& effects);
    sdk::AssignmentInput assignor_input() const;
    void settle(const AssignmentOutcome& outcome, Now now, Effects& effects);
    std::string preferred_assignor() const;

    // Every change of stored_.
    template <class Written>
    void write(Written record, Effects& effects) {
        stored_.put(record);
        effects.records.push_back(std::move(record));
    }
    void write_current(const std::string& member_id, const CurrentAssignment& assignment,
                       Effects& effects);
    void count(const Subscription& subscription, int by);
    void hold(const std::string& member_id);
    void let_go(const std::string& member_id);

    std::string id_;
    ConsumerSurroundings* around_;
    DurableConsumerGroup stored_;

    // Follows from stored_.
    std::map<std::pair<sdk::Uuid, std::int32_t>, std::string> holders_;
    std::map<std::string, std::string> static_members_;  // Instance id to member id.
    std::map<std::string, std::size_t> names_;           // How many members subscribe to each.
    std::map<std::string, std::size_t> patterns_;        // And by each pattern.
    std::size_t classic_members_ = 0;

    // Soft.
    std::unordered_map<std::string, Timers> timers_;
    std::set<std::pair<sdk::Instant, std::string>> deadlines_;
    std::optional<Asked> asked_;
    std::optional<std::int32_t> too_large_;  // The epoch whose target no record holds.
    std::map<std::string, ClassicJoin> joining_;  // By member: wait for the assignor.
    std::optional<wire::GroupMetadataValue> classic_form_;
    std::uint64_t seen_image_ = 0;
};

}  // namespace leat::groups
