// One group of the classic protocol: who is a member, which generation it is in, and who waits for
// whom. A machine: requests and time come in, answers and records go out; see effects.h.
//
//   empty -> preparing_rebalance -> completing_rebalance -> stable
//              (members join)         (the leader assigns)
//
// Durable    generation, protocol, leader, members and their assignments, as GroupMetadataValue:
//            stored when the leader has assigned, when the group becomes empty, and when a static
//            member gets another id. All else is soft.
// Opaque     metadata and assignments are passed on byte for byte: Connect, Streams and others have
//            formats of their own.
// Sources    Kafka protocol guide, KIP-62, KIP-134, KIP-345, KIP-394, KIP-559, KIP-800, KIP-814.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/groups/classic_member.h"
#include "core/groups/effects.h"
#include "core/groups/group_limits.h"
#include "core/wire/error_code.h"
#include "core/wire/messages/heartbeat.h"
#include "core/wire/messages/leave_group.h"

namespace leat::groups {

enum class ClassicState { empty, preparing_rebalance, completing_rebalance, stable };
std::string_view name_of(ClassicState state);  // As ListGroups and DescribeGroups spell it.

// Who joins, beside what the request says.
struct JoiningClient {
    std::string client_id;
    std::string host;
    bool must_bring_id = true;     // JoinGroup 4 and later (KIP-394).
    bool skips_assignment = true;  // JoinGroup 9 and later (KIP-814).
};

// Who commits offsets.
struct Committer {
    std::string member_id;
    std::optional<std::string> instance_id;
    std::int32_t generation = -1;
};

class ClassicGroup {
public:
    using MakeId = std::function<std::string()>;  // A new random part of a member id.

    ClassicGroup(std::string id, const GroupLimits& limits, MakeId make_id);
    // As it was stored: its members have a session's time to show themselves. Without a leader it
    // was one of KIP-848 (migration.h), and its members are to join again first.
    ClassicGroup(std::string id, const GroupLimits& limits, MakeId make_id,
                 const wire::GroupMetadataValue& stored, sdk::Instant now);

    // Each answers through `effects`, at once or when the rebalance has got there.
    void join(Ticket ticket, const JoiningClient& client, const wire::JoinGroupRequest& request,
              Now now, Effects& effects);
    void sync(Ticket ticket, const wire::SyncGroupRequest& request, Now now, Effects& effects);
    wire::HeartbeatResponse heartbeat(const wire::HeartbeatRequest& request, Now now);
    // What came of the request that an earlier sync() made.
    void assigned(const AssignmentOutcome& outcome, Now now, Effects& effects);
    wire::LeaveGroupResponse leave(const wire::LeaveGroupRequest& request, Now now,
                                   Effects& effects);

    // Whether it may commit now; if so its session goes on.
    wire::ErrorCode begin_commit(const Committer& who, Now now);

    // It ends as such, for it becomes one of KIP-848: who waits joins again.
    void send_away(Now now, Effects& effects);

    // Members that went silent go, and phases that took too long end.
    void tick(Now now, Effects& effects);
    std::optional<sdk::Instant> next_deadline() const;

    const std::string& id() const { return id_; }
    ClassicState state() const { return state_; }
    bool is_empty() const { return state_ == ClassicState::empty; }
    bool has_members() const { return !members_.empty() || !pending_.empty(); }
    std::int32_t generation() const { return generation_; }
    const std::string& protocol_type() const { return protocol_type_; }
    const std::optional<std::string>& protocol() const { return protocol_; }
    // That which its members support now, also while they are about to choose another.
    std::string agreed_protocol() const;
    const std::map<std::string, ClassicMember>& members() const { return members_; }
    std::size_t pending_members() const { return pending_.size(); }
    sdk::Timestamp state_since() const { return state_since_; }
    wire::GroupMetadataValue stored_form() const;

private:
    using Error = wire::ErrorCode;

    void join_new(Ticket ticket, const JoiningClient& client, const wire::JoinGroupRequest& request,
                  Now now, Effects& effects);
    void join_again(Ticket ticket, const JoiningClient& client,
                    const wire::JoinGroupRequest& request, Now now, Effects& effects);
    void rejoin(Ticket ticket, ClassicMember& member, const wire::JoinGroupRequest& request,
                Now now, Effects& effects);
    void add(Ticket ticket, const JoiningClient& client, const wire::JoinGroupRequest& request,
             std::string member_id, Now now, Effects& effects);
    void update(Ticket ticket, ClassicMember& member, const wire::JoinGroupRequest& request,
                Effects& effects);
    void join_as_static(Ticket ticket, const JoiningClient& client,
                        const wire::JoinGroupRequest& request, const std::string& old_id,
                        std::string new_id, Now now, Effects& effects);
    void keep_static(ClassicMember& member, bool skips_assignment, const std::string& old_leader,
                     Now now, Effects& effects);
    ClassicMember& replace(const std::string& old_id, std::string new_id, Effects& effects);

    void rebalance_or_complete(std::string_view reason, Now now, Effects& effects);
    void prepare_rebalance(std::string_view reason, Now now, Effects& effects);
    void complete_if_all_joined(Now now, Effects& effects);
    void complete_join(Now now, Effects& effects);
    void begin_generation(Now now, Effects& effects);
    void initial_delay_passed(Now now, Effects& effects);
    void sync_time_passed(Now now, Effects& effects);
    void member_expired(const std::string& member_id, Now now, Effects& effects);
    bool elect_joined_leader();

    void assign(const wire::SyncGroupRequest& request, Now now, Effects& effects);
    void settle(const decltype(wire::SyncGroupRequest::assignments)& assignments, Now now,
                Effects& effects);
    void answer_syncs(Error error, Now now, Effects& effects);
    void store(Now now, Effects& effects);

    bool accepts(const std::string& member_id) const;
    bool supports(const wire::JoinGroupRequest& request) const;
    bool supported_by_all(const std::string& protocol) const;
    bool all_joined() const;
    std::string select_protocol() const;
    std::chrono::milliseconds rebalance_timeout() const;
    Error check_member(const std::string& member_id,
                       const std::optional<std::string>& instance_id) const;
    std::optional<std::string> static_member(const std::optional<std::string>& instance) const;
    void remove(const std::string& member_id, Effects& effects);
    void enter(ClassicState state, Now now);
    void touch(ClassicMember& member, Now now) const;

    wire::JoinGroupResponse generation_for(const ClassicMember& member) const;
    static void refuse(Ticket ticket, std::string member_id, Error error, Effects& effects);

    std::string id_;
    const GroupLimits& limits_;
    MakeId make_id_;

    ClassicState state_ = ClassicState::empty;
    ClassicState previous_state_ = ClassicState::empty;
    sdk::Timestamp state_since_{-1};
    std::int32_t generation_ = 0;
    std::string protocol_type_;
    std::optional<std::string> protocol_;
    std::optional<std::string> leader_;
    std::map<std::string, ClassicMember> members_;
    std::map<std::string, std::string> static_members_;  // Instance id to member id.

    std::map<std::string, sdk::Instant> pending_;  // Ids that were given out, until when they hold.
    std::optional<sdk::Instant> join_deadline_;
    std::optional<sdk::Instant> sync_deadline_;
    // The leader's, while an assignor is asked for this generation's.
    std::optional<decltype(wire::SyncGroupRequest::assignments)> asked_;
    std::chrono::milliseconds initial_remaining_{0};  // By which the initial delay may still grow.
    bool initial_ = false;                            // join_deadline_ is the initial delay's.
    bool member_added_ = false;                       // Since the initial delay was last set.
};

}  // namespace leat::groups
