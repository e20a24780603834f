// FindCoordinator (key 10): the broker that coordinates a group or a transactional id. Batched from
// version 4 (KIP-699).
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

struct FindCoordinatorRequest {
    std::string key;
    std::int8_t key_type = 0;  // 0 group, 1 transaction, 2 share group.
    std::vector<std::string> coordinator_keys;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const FindCoordinatorRequest&) const = default;
};

struct FindCoordinatorResponse {
    struct Coordinator {
        std::string key;
        std::int32_t node_id = 0;
        std::string host;
        std::int32_t port = 0;
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;

        static std::span<const Field> fields();
        bool operator==(const Coordinator&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    std::int32_t node_id = 0;
    std::string host;
    std::int32_t port = 0;
    std::vector<Coordinator> coordinators;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const FindCoordinatorResponse&) const = default;
};

}  // namespace leat::wire
