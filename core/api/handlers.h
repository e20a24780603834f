// One handler per API, each in the file of its name: decode, look up, call the broker, encode. All
// on the connection's shard; what comes later comes back to it.
#pragma once

namespace leat::api {

struct Services;
struct Request;
class Reply;

void produce(Services& services, Request request, Reply reply);
void fetch(Services& services, Request request, Reply reply);
void list_offsets(Services& services, Request request, Reply reply);
void metadata(Services& services, Request request, Reply reply);
void api_versions(Services& services, Request request, Reply reply);
void create_topics(Services& services, Request request, Reply reply);
void delete_topics(Services& services, Request request, Reply reply);
void delete_records(Services& services, Request request, Reply reply);
void describe_log_dirs(Services& services, Request request, Reply reply);
void describe_producers(Services& services, Request request, Reply reply);
void init_producer_id(Services& services, Request request, Reply reply);
void offset_for_leader_epoch(Services& services, Request request, Reply reply);
void describe_configs(Services& services, Request request, Reply reply);
void describe_cluster(Services& services, Request request, Reply reply);
void describe_topic_partitions(Services& services, Request request, Reply reply);
void alter_configs(Services& services, Request request, Reply reply);
void create_partitions(Services& services, Request request, Reply reply);
void elect_leaders(Services& services, Request request, Reply reply);
void incremental_alter_configs(Services& services, Request request, Reply reply);
void list_partition_reassignments(Services& services, Request request, Reply reply);
void describe_quorum(Services& services, Request request, Reply reply);
void list_config_resources(Services& services, Request request, Reply reply);
void find_coordinator(Services& services, Request request, Reply reply);
void join_group(Services& services, Request request, Reply reply);
void sync_group(Services& services, Request request, Reply reply);
void heartbeat(Services& services, Request request, Reply reply);
void leave_group(Services& services, Request request, Reply reply);
void offset_commit(Services& services, Request request, Reply reply);
void offset_fetch(Services& services, Request request, Reply reply);
void offset_delete(Services& services, Request request, Reply reply);
void describe_groups(Services& services, Request request, Reply reply);
void consumer_group_heartbeat(Services& services, Request request, Reply reply);
void consumer_group_describe(Services& services, Request request, Reply reply);
void list_groups(Services& services, Request request, Reply reply);
void delete_groups(Services& services, Request request, Reply reply);

}  // namespace leat::api
