// DescribeCluster (key 60): the brokers and the controller (KIP-700).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct DescribeClusterRequest {
    bool include_cluster_authorized_operations = false;
    std::int8_t endpoint_type = 1;
    bool include_fenced_brokers = false;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeClusterRequest&) const = default;
};

struct DescribeClusterResponse {
    struct Broker {
        std::int32_t broker_id = 0;
        std::string host;
        std::int32_t port = 0;
        std::optional<std::string> rack;
        bool is_fenced = false;

        static std::span<const Field> fields();
        bool operator==(const Broker&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    std::int8_t endpoint_type = 1;
    std::string cluster_id;
    std::int32_t controller_id = -1;
    std::vector<Broker> brokers;
    std::int32_t cluster_authorized_operations = INT32_MIN;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DescribeClusterResponse&) const = default;
};

}  // namespace leat::wire
