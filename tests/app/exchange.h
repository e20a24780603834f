// Short forms of the requests that broker tests make.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/wire/batch_builder.h"
#include "core/wire/messages/create_topics.h"
#include "core/wire/messages/fetch.h"
#include "core/wire/messages/list_offsets.h"
#include "core/wire/messages/produce.h"
#include "tests/app/raw_client.h"

namespace leat::app {

inline wire::ErrorCode create_topic(RawClient& client, const std::string& name,
                                    std::int32_t partitions,
                                    std::vector<wire::CreateTopicsRequest::Config> configs = {}) {
    wire::CreateTopicsRequest request;
    request.topics.push_back({.name = name,
                              .num_partitions = partitions,
                              .replication_factor = 1,
                              .configs = std::move(configs)});
    const auto response = client.call<wire::CreateTopicsResponse>(request, 7);
    return response.topics.empty() ? wire::ErrorCode::unknown_server_error
                                   : response.topics[0].error_code;
}

inline std::vector<std::byte> batch_of(std::int32_t records, wire::BatchFields fields = {}) {
    wire::BatchBuilder builder{fields};
    for (std::int32_t i = 0; i < records; ++i) {
        builder.add({.key = "key", .value = "value", .timestamp = {1'700'000'000'000 + i}});
    }
    return builder.build();
}

// `topic` and `batch` must outlive the sending of the request.
inline wire::ProduceRequest produce_request(std::string_view topic, std::int32_t partition,
                                            std::vector<std::byte>& batch, std::int16_t acks = 1) {
    wire::ProduceRequest request{.acks = acks, .timeout_ms = 10'000};
    wire::ProduceRequest::Partition data{.index = partition};
    data.records.emplace(batch.begin(), batch.end());
    request.topic_data.push_back({.name = topic, .partition_data = {data}});
    return request;
}

inline wire::ProduceResponse::Partition produce(RawClient& client, const std::string& topic,
                                                std::int32_t partition,
                                                std::vector<std::byte> batch,
                                                std::int16_t acks = 1) {
    const auto response =
        client.call<wire::ProduceResponse>(produce_request(topic, partition, batch, acks), 9);
    if (response.responses.empty()) return {.error_code = wire::ErrorCode::unknown_server_error};
    return response.responses[0].partition_responses[0];
}

inline wire::FetchRequest fetch_request(const std::string& topic, std::int32_t partition,
                                        std::int64_t from, std::int32_t max_wait_ms = 0,
                                        std::int32_t partition_max_bytes = 1 << 20) {
    wire::FetchRequest request{.max_wait_ms = max_wait_ms, .min_bytes = 1, .max_bytes = 50 << 20};
    request.topics.push_back({.topic = topic,
                              .partitions = {{.partition = partition,
                                              .fetch_offset = from,
                                              .partition_max_bytes = partition_max_bytes}}});
    return request;
}

inline wire::FetchResponse::Partition fetch(RawClient& client, const std::string& topic,
                                            std::int32_t partition, std::int64_t from,
                                            std::int32_t max_wait_ms = 0,
                                            std::int32_t partition_max_bytes = 1 << 20) {
    const auto response = client.call<wire::FetchResponse>(
        fetch_request(topic, partition, from, max_wait_ms, partition_max_bytes), 12);
    if (response.responses.empty()) return {.error_code = wire::ErrorCode::unknown_server_error};
    return response.responses[0].partitions[0];
}

}  // namespace leat::app
