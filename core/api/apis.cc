#include "core/api/apis.h"

#include <algorithm>
#include <array>

#include "core/api/handlers.h"
#include "core/groups/built_in.h"

namespace leat::api {
namespace {

using wire::ApiKey;
using wire::Versions;
using Handle = void (*)(Services&, Request, Reply);

constexpr Api alone(ApiKey key, Versions served, Handle handle) {
    return {.key = key, .served = served, .advertised = served, .handle = handle};
}

constexpr Versions none{0, -1};

constexpr Api of_groups(ApiKey key, Versions served, Handle handle) {
    if (!groups::built_in) return {.key = key, .served = none};
    return alone(key, served, handle);
}

constexpr std::array known{
    Api{.key = ApiKey::produce,
        .served = {3, 11},
        .advertised = {0, 11},
        .kind = RequestOrder::Kind::together,
        .handle = produce},
    alone(ApiKey::fetch, {4, 18}, fetch),
    alone(ApiKey::list_offsets, {0, 11}, list_offsets),
    alone(ApiKey::metadata, {0, 13}, metadata),
    alone(ApiKey::api_versions, {0, 5}, api_versions),
    of_groups(ApiKey::offset_commit, {2, 10}, offset_commit),
    of_groups(ApiKey::offset_fetch, {1, 10}, offset_fetch),
    alone(ApiKey::find_coordinator, {0, 6}, find_coordinator),
    of_groups(ApiKey::join_group, {0, 9}, join_group),
    of_groups(ApiKey::heartbeat, {0, 4}, heartbeat),
    of_groups(ApiKey::leave_group, {0, 5}, leave_group),
    of_groups(ApiKey::sync_group, {0, 5}, sync_group),
    of_groups(ApiKey::describe_groups, {0, 6}, describe_groups),
    of_groups(ApiKey::list_groups, {0, 5}, list_groups),
    alone(ApiKey::create_topics, {0, 7}, create_topics),
    alone(ApiKey::delete_topics, {0, 6}, delete_topics),
    alone(ApiKey::delete_records, {0, 2}, delete_records),
    alone(ApiKey::init_producer_id, {0, 5}, init_producer_id),
    alone(ApiKey::offset_for_leader_epoch, {2, 4}, offset_for_leader_epoch),
    alone(ApiKey::describe_configs, {1, 4}, describe_configs),
    alone(ApiKey::alter_configs, {0, 2}, alter_configs),
    alone(ApiKey::describe_log_dirs, {1, 5}, describe_log_dirs),
    alone(ApiKey::create_partitions, {0, 3}, create_partitions),
    of_groups(ApiKey::delete_groups, {0, 3}, delete_groups),
    alone(ApiKey::elect_leaders, {0, 2}, elect_leaders),
    alone(ApiKey::incremental_alter_configs, {0, 1}, incremental_alter_configs),
    alone(ApiKey::list_partition_reassignments, {0, 0}, list_partition_reassignments),
    of_groups(ApiKey::offset_delete, {0, 0}, offset_delete),
    alone(ApiKey::describe_quorum, {0, 2}, describe_quorum),
    alone(ApiKey::describe_cluster, {0, 2}, describe_cluster),
    alone(ApiKey::describe_producers, {0, 0}, describe_producers),
    of_groups(ApiKey::consumer_group_heartbeat, {0, 1}, consumer_group_heartbeat),
    of_groups(ApiKey::consumer_group_describe, {0, 1}, consumer_group_describe),
    alone(ApiKey::list_config_resources, {0, 1}, list_config_resources),
    alone(ApiKey::describe_topic_partitions, {0, 0}, describe_topic_partitions),
};

constexpr bool is_there(const Api& api) {
    return api.served.min <= api.served.max;
}

constexpr auto apis = [] {
    std::array<Api, std::ranges::count_if(known, is_there)> there;
    std::ranges::copy_if(known, there.begin(), is_there);
    return there;
}();

}  // namespace

std::span<const Api> served_apis() {
    return apis;
}

const Api* find_api(ApiKey key) {
    const auto* found = std::ranges::find(apis, key, &Api::key);
    return found == apis.end() ? nullptr : found;
}

RequestOrder::Kind kind_of(const sdk::Frame& frame) {
    const bool is_produce =
        frame.bytes.size() >= 2 && frame.bytes[0] == std::byte{0} &&
        frame.bytes[1] == std::byte{static_cast<unsigned char>(ApiKey::produce)};
    return is_produce ? RequestOrder::Kind::together : RequestOrder::Kind::alone;
}

}  // namespace leat::api
