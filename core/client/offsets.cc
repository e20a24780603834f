#include "core/client/offsets.h"

#include <vector>

#include "core/client/refusal.h"
#include "core/wire/messages/list_offsets.h"

namespace leat::client {
namespace {

using Offsets = std::map<std::int32_t, std::int64_t>;

// One round over the leaders of what `found` has not. Ok if all of it came.
sdk::Status ask_leaders(Cluster& cluster, const wire::ListOffsetsRequest& like,
                        const std::string& topic, std::span<const std::int32_t> partitions,
                        std::int64_t timestamp, Offsets& found) {
    std::map<Connection*, wire::ListOffsetsRequest> requests;
    for (const auto partition : partitions) {
        if (found.contains(partition)) continue;
        const auto leader = cluster.leader(topic, partition);
        if (!leader) return leader.error();
        auto& request = requests.try_emplace(*leader, like).first->second;
        if (request.topics.empty()) request.topics.push_back({.name = topic});
        request.topics[0].partitions.push_back(
            {.partition_index = partition, .timestamp = timestamp});
    }
    for (const auto& [leader, request] : requests) {
        const auto response = cluster.call<wire::ListOffsetsResponse>(*leader, request);
        if (!response) return response.error();
        for (const auto& each : response->topics) {
            for (const auto& partition : each.partitions) {
                if (partition.error_code != wire::ErrorCode::none) {
                    return refused(topic + "/" + std::to_string(partition.partition_index),
                                   partition.error_code);
                }
                found[partition.partition_index] = partition.offset;
            }
        }
    }
    return {};
}

}  // namespace

sdk::Result<Offsets> offsets_at(Cluster& cluster, const std::string& topic,
                                std::span<const std::int32_t> partitions, std::int64_t timestamp,
                                bool committed) {
    const wire::ListOffsetsRequest like{
        .replica_id = -1,
        .isolation_level = static_cast<std::int8_t>(committed ? 1 : 0),
        .timeout_ms = static_cast<std::int32_t>(cluster.timeout().count())};
    Offsets found;
    bool fresh = true;  // The caller has just looked.
    const auto status = cluster.persist([&]() -> sdk::Status {
        if (!fresh) {
            if (const auto looked = cluster.refresh_topic(topic); !looked) return looked;
        }
        fresh = false;
        return ask_leaders(cluster, like, topic, partitions, timestamp, found);
    });
    if (!status) return status.error();
    for (const auto partition : partitions) {
        if (!found.contains(partition)) {
            return sdk::Error{sdk::Errc::corrupt, "the broker says nothing of " + topic + "/" +
                                                      std::to_string(partition)};
        }
    }
    return found;
}

}  // namespace leat::client
