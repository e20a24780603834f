// The groups of one partition of __consumer_offsets, as a machine: finds a request's group, keeps
// their committed offsets, and lets time pass.
//
// Deciding   Each request changes soft state only (who joins, who waits, until when). What is to
//            last goes out as records; the driver appends them and calls replay() for each before
//            it asks anything else.
// Answers    whether returned or in `effects`, may leave only when everything that was appended
//            before is committed: reads included, or a client could see what a failover takes back.
// Protocols  A group is of the classic protocol or of KIP-848's. One without members becomes one of
//            the other protocol by the first member that comes; one with members by what
//            GroupLimits::consumer_migration allows (migration.h).
// Failover   The next coordinator gets the log, replays it and calls loaded(). An append that fails
//            ends this one the same way.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/cluster/image.h"
#include "core/groups/classic_group.h"
#include "core/groups/consumer_group.h"
#include "core/groups/durable_groups.h"
#include "core/groups/effects.h"
#include "core/groups/group_limits.h"
#include "core/wire/messages/consumer_group_describe.h"
#include "core/wire/messages/consumer_group_heartbeat.h"
#include "core/wire/messages/delete_groups.h"
#include "core/wire/messages/describe_groups.h"
#include "core/wire/messages/list_groups.h"
#include "core/wire/messages/offset_commit.h"
#include "core/wire/messages/offset_delete.h"
#include "core/wire/messages/offset_fetch.h"

namespace leat::groups {

class Coordinator {
public:
    using MakeId = ClassicGroup::MakeId;

    using ImageOf = std::function<const cluster::Image&()>;

    // `limits` outlives it. `image` is the cluster as it is known when it is asked.
    Coordinator(const GroupLimits& limits, MakeId make_id, ImageOf image);
    Coordinator(const Coordinator&) = delete;  // Its groups point at it.
    Coordinator& operator=(const Coordinator&) = delete;

    void replay(const Record& record) { durable_.replay(record); }
    void loaded(Now now);  // The whole log was replayed.
    const DurableGroups& durable() const { return durable_; }

    void join_group(Ticket ticket, const JoiningClient& client,
                    const wire::JoinGroupRequest& request, Now now, Effects& effects);
    void sync_group(Ticket ticket, const wire::SyncGroupRequest& request, Now now,
                    Effects& effects);
    wire::HeartbeatResponse heartbeat(const wire::HeartbeatRequest& request, Now now,
                                      Effects& effects);
    // `members` is set, also for a request of a version that has only one (KIP-345).
    wire::LeaveGroupResponse leave_group(const wire::LeaveGroupRequest& request, Now now,
                                         Effects& effects);

    // The whole of the protocol of KIP-848. An error changes nothing.
    wire::ConsumerGroupHeartbeatResponse consumer_heartbeat(
        const ConsumerClient& client, const wire::ConsumerGroupHeartbeatRequest& request,
        wire::Version version, Now now, Effects& effects);
    wire::ConsumerGroupDescribeResponse::Group describe_consumer_group(
        const std::string& group) const;
    // The image has other topics or partitions: each group looks at it by its next heartbeat.
    void topics_changed() { ++around_.image_changes; }

    // What came of a request for an assignment. One that nobody waits for any more changes nothing.
    void assigned(const AssignmentOutcome& outcome, Now now, Effects& effects);

    // Topics that the caller has refused already are not in the request; each has its name.
    wire::OffsetCommitResponse commit_offsets(const wire::OffsetCommitRequest& request,
                                              wire::Version version, Now now, Effects& effects);
    wire::OffsetFetchResponse::Group fetch_offsets(
        const wire::OffsetFetchRequest::Group& request) const;
    wire::OffsetDeleteResponse delete_offsets(const wire::OffsetDeleteRequest& request,
                                              Effects& effects);

    wire::DescribeGroupsResponse::Group describe_group(const std::string& group) const;
    // Those that pass both filters, which are in any case of letters; empty passes all.
    void list_groups(const wire::ListGroupsRequest& request,
                     std::vector<wire::ListGroupsResponse::Group>& found) const;
    wire::DeleteGroupsResponse::Result delete_group(const std::string& group, Effects& effects);

    // Topics are gone, and what was committed for them goes as well: one of the same name that is
    // made later must not inherit it (KAFKA-16168). By name and id; zero, if its record has none.
    using IsGone = std::function<bool(const std::string& topic, const sdk::Uuid& id)>;
    void topics_deleted(const IsGone& is_gone, Effects& effects);
    // Every so often: offsets that nobody needs any more, and then groups (KIP-211).
    void expire_offsets(sdk::Timestamp now, Effects& effects);

    // Time passes for those groups whose deadline has come.
    void tick(Now now, Effects& effects);
    std::optional<sdk::Instant> next_deadline() const;

    std::size_t count() const { return groups_.size() + consumers_.size(); }

private:
    using Error = wire::ErrorCode;

    ClassicGroup* find(const std::string& group);
    const ClassicGroup* find(const std::string& group) const;
    ClassicGroup& make(const std::string& group);
    ConsumerGroup* find_consumer(const std::string& group);
    const ConsumerGroup* find_consumer(const std::string& group) const;
    template <class Group>
    void schedule(const Group& group);
    void remove(const std::string& group, Effects& effects);
    sdk::Result<ConsumerGroup> begin_consumer_group(const std::string& id, Now now,
                                                    Effects& effects);
    void keep(ConsumerGroup& group, Now now, Effects& effects);

    wire::OffsetCommitResponse commit_as_consumer(const ConsumerGroup& group,
                                                  const wire::OffsetCommitRequest& request,
                                                  wire::Version version, Now now,
                                                  Effects& effects) const;
    void store_offsets(const wire::OffsetCommitRequest& request,
                       wire::OffsetCommitResponse& response, Now now, Effects& effects) const;
    wire::OffsetFetchResponse::Group read_offsets(
        const wire::OffsetFetchRequest::Group& request) const;
    bool is_of_another_topic(const std::string& topic, const wire::OffsetCommitValue& offset) const;
    template <class IsExpired>
    std::size_t expire_in(const std::string& group, IsExpired is_expired, Effects& effects) const;
    bool past_retention(const wire::OffsetCommitValue& offset, std::int64_t since,
                        sdk::Timestamp now) const;
    void expire_consumer_groups(sdk::Timestamp now, Effects& effects);
    bool expired(const ClassicGroup& group, const std::set<std::string>* subscribed,
                 const std::string& topic, const wire::OffsetCommitValue& offset,
                 sdk::Timestamp now) const;

    const GroupLimits& limits_;
    MakeId make_id_;
    DurableGroups durable_;
    ConsumerSurroundings around_;
    // An id is in one of them.
    std::unordered_map<std::string, ClassicGroup> groups_;
    std::unordered_map<std::string, ConsumerGroup> consumers_;

    // A group may be in it with a deadline that it has put off since: looked at then, and put back.
    std::set<std::pair<sdk::Instant, std::string>> deadlines_;
    std::unordered_map<std::string, sdk::Instant> scheduled_;
};

}  // namespace leat::groups
