#include "core/wire/apis.h"

#include <algorithm>

#include "core/wire/messages/alter_configs.h"
#include "core/wire/messages/api_versions.h"
#include "core/wire/messages/consumer_group_describe.h"
#include "core/wire/messages/consumer_group_heartbeat.h"
#include "core/wire/messages/create_partitions.h"
#include "core/wire/messages/create_topics.h"
#include "core/wire/messages/delete_groups.h"
#include "core/wire/messages/delete_records.h"
#include "core/wire/messages/delete_topics.h"
#include "core/wire/messages/describe_cluster.h"
#include "core/wire/messages/describe_configs.h"
#include "core/wire/messages/describe_groups.h"
#include "core/wire/messages/describe_log_dirs.h"
#include "core/wire/messages/describe_producers.h"
#include "core/wire/messages/describe_quorum.h"
#include "core/wire/messages/describe_topic_partitions.h"
#include "core/wire/messages/elect_leaders.h"
#include "core/wire/messages/fetch.h"
#include "core/wire/messages/find_coordinator.h"
#include "core/wire/messages/heartbeat.h"
#include "core/wire/messages/incremental_alter_configs.h"
#include "core/wire/messages/init_producer_id.h"
#include "core/wire/messages/join_group.h"
#include "core/wire/messages/leave_group.h"
#include "core/wire/messages/list_config_resources.h"
#include "core/wire/messages/list_groups.h"
#include "core/wire/messages/list_offsets.h"
#include "core/wire/messages/list_partition_reassignments.h"
#include "core/wire/messages/metadata.h"
#include "core/wire/messages/offset_commit.h"
#include "core/wire/messages/offset_delete.h"
#include "core/wire/messages/offset_fetch.h"
#include "core/wire/messages/offset_for_leader_epoch.h"
#include "core/wire/messages/produce.h"
#include "core/wire/messages/sync_group.h"

namespace leat::wire {
namespace {

template <Message Request, Message Response>
constexpr ApiDescription api(ApiKey key, std::string_view name) {
    return {key, name, &Request::traits, &Response::traits};
}

constexpr ApiDescription apis[] = {
    api<ProduceRequest, ProduceResponse>(ApiKey::produce, "Produce"),
    api<FetchRequest, FetchResponse>(ApiKey::fetch, "Fetch"),
    api<ListOffsetsRequest, ListOffsetsResponse>(ApiKey::list_offsets, "ListOffsets"),
    api<MetadataRequest, MetadataResponse>(ApiKey::metadata, "Metadata"),
    api<OffsetCommitRequest, OffsetCommitResponse>(ApiKey::offset_commit, "OffsetCommit"),
    api<OffsetFetchRequest, OffsetFetchResponse>(ApiKey::offset_fetch, "OffsetFetch"),
    api<FindCoordinatorRequest, FindCoordinatorResponse>(ApiKey::find_coordinator,
                                                         "FindCoordinator"),
    api<JoinGroupRequest, JoinGroupResponse>(ApiKey::join_group, "JoinGroup"),
    api<HeartbeatRequest, HeartbeatResponse>(ApiKey::heartbeat, "Heartbeat"),
    api<LeaveGroupRequest, LeaveGroupResponse>(ApiKey::leave_group, "LeaveGroup"),
    api<SyncGroupRequest, SyncGroupResponse>(ApiKey::sync_group, "SyncGroup"),
    api<DescribeGroupsRequest, DescribeGroupsResponse>(ApiKey::describe_groups, "DescribeGroups"),
    api<ListGroupsRequest, ListGroupsResponse>(ApiKey::list_groups, "ListGroups"),
    api<ApiVersionsRequest, ApiVersionsResponse>(ApiKey::api_versions, "ApiVersions"),
    api<CreateTopicsRequest, CreateTopicsResponse>(ApiKey::create_topics, "CreateTopics"),
    api<DeleteTopicsRequest, DeleteTopicsResponse>(ApiKey::delete_topics, "DeleteTopics"),
    api<DeleteRecordsRequest, DeleteRecordsResponse>(ApiKey::delete_records, "DeleteRecords"),
    api<InitProducerIdRequest, InitProducerIdResponse>(ApiKey::init_producer_id, "InitProducerId"),
    api<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse>(ApiKey::offset_for_leader_epoch,
                                                                   "OffsetForLeaderEpoch"),
    api<DescribeConfigsRequest, DescribeConfigsResponse>(ApiKey::describe_configs,
                                                         "DescribeConfigs"),
    api<AlterConfigsRequest, AlterConfigsResponse>(ApiKey::alter_configs, "AlterConfigs"),
    api<DescribeLogDirsRequest, DescribeLogDirsResponse>(ApiKey::describe_log_dirs,
                                                         "DescribeLogDirs"),
    api<CreatePartitionsRequest, CreatePartitionsResponse>(ApiKey::create_partitions,
                                                           "CreatePartitions"),
    api<DeleteGroupsRequest, DeleteGroupsResponse>(ApiKey::delete_groups, "DeleteGroups"),
    api<ElectLeadersRequest, ElectLeadersResponse>(ApiKey::elect_leaders, "ElectLeaders"),
    api<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse>(
        ApiKey::incremental_alter_configs, "IncrementalAlterConfigs"),
    api<ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse>(
        ApiKey::list_partition_reassignments, "ListPartitionReassignments"),
    api<OffsetDeleteRequest, OffsetDeleteResponse>(ApiKey::offset_delete, "OffsetDelete"),
    api<DescribeQuorumRequest, DescribeQuorumResponse>(ApiKey::describe_quorum, "DescribeQuorum"),
    api<DescribeClusterRequest, DescribeClusterResponse>(ApiKey::describe_cluster,
                                                         "DescribeCluster"),
    api<DescribeProducersRequest, DescribeProducersResponse>(ApiKey::describe_producers,
                                                             "DescribeProducers"),
    api<ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse>(
        ApiKey::consumer_group_heartbeat, "ConsumerGroupHeartbeat"),
    api<ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse>(
        ApiKey::consumer_group_describe, "ConsumerGroupDescribe"),
    api<ListConfigResourcesRequest, ListConfigResourcesResponse>(ApiKey::list_config_resources,
                                                                 "ListConfigResources"),
    api<DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse>(
        ApiKey::describe_topic_partitions, "DescribeTopicPartitions"),
};
static_assert(std::ranges::is_sorted(apis, {}, &ApiDescription::key));

}  // namespace

std::span<const ApiDescription> all_apis() {
    return apis;
}

const ApiDescription* describe(ApiKey key) {
    const auto* found = std::ranges::lower_bound(apis, key, {}, &ApiDescription::key);
    return found != std::end(apis) && found->key == key ? found : nullptr;
}

}  // namespace leat::wire
