#include "tests/wire/all_messages.h"

#include <utility>
#include <variant>

#include "core/wire/consumer_protocol.h"
#include "core/wire/group_records/group_record.h"
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

template <Message... T>
std::vector<AnyMessage> list() {
    return {any<T>()...};
}

template <std::size_t... index>
std::vector<AnyMessage> keys_and_values(std::index_sequence<index...>) {
    return list<typename std::variant_alternative_t<index, GroupRecord>::Key...,
                typename std::variant_alternative_t<index, GroupRecord>::Value...>();
}

}  // namespace

std::vector<AnyMessage> headerless_messages() {
    auto all = keys_and_values(std::make_index_sequence<std::variant_size_v<GroupRecord>>{});
    all.push_back(any<ConsumerProtocolSubscription>());
    all.push_back(any<ConsumerProtocolAssignment>());
    return all;
}

std::vector<AnyMessage> all_messages() {
    return list<ProduceRequest, ProduceResponse,
                FetchRequest, FetchResponse,
                ListOffsetsRequest, ListOffsetsResponse,
                MetadataRequest, MetadataResponse,
                FindCoordinatorRequest, FindCoordinatorResponse,
                ApiVersionsRequest, ApiVersionsResponse,
                CreateTopicsRequest, CreateTopicsResponse,
                DeleteTopicsRequest, DeleteTopicsResponse,
                DeleteRecordsRequest, DeleteRecordsResponse,
                InitProducerIdRequest, InitProducerIdResponse,
                OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse,
                DescribeConfigsRequest, DescribeConfigsResponse,
                DescribeLogDirsRequest, DescribeLogDirsResponse,
                DescribeClusterRequest, DescribeClusterResponse,
                DescribeProducersRequest, DescribeProducersResponse,
                AlterConfigsRequest, AlterConfigsResponse,
                CreatePartitionsRequest, CreatePartitionsResponse,
                ElectLeadersRequest, ElectLeadersResponse,
                IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse,
                ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse,
                DescribeQuorumRequest, DescribeQuorumResponse,
                ListConfigResourcesRequest, ListConfigResourcesResponse,
                DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse,
                JoinGroupRequest, JoinGroupResponse,
                SyncGroupRequest, SyncGroupResponse,
                HeartbeatRequest, HeartbeatResponse,
                LeaveGroupRequest, LeaveGroupResponse,
                OffsetCommitRequest, OffsetCommitResponse,
                OffsetFetchRequest, OffsetFetchResponse,
                OffsetDeleteRequest, OffsetDeleteResponse,
                DescribeGroupsRequest, DescribeGroupsResponse,
                ListGroupsRequest, ListGroupsResponse,
                DeleteGroupsRequest, DeleteGroupsResponse,
                ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse,
                ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse>();
}

}  // namespace leat::wire
