// DeleteGroups (key 42): forgets groups that have no members, with all that they have committed.
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

struct DeleteGroupsRequest {
    std::vector<std::string> groups_names;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DeleteGroupsRequest&) const = default;
};

struct DeleteGroupsResponse {
    struct Result {
        std::string group_id;
        ErrorCode error_code = ErrorCode::none;
        std::optional<std::string> error_message;

        static std::span<const Field> fields();
        bool operator==(const Result&) const = default;
    };

    std::int32_t throttle_time_ms = 0;
    std::vector<Result> results;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const DeleteGroupsResponse&) const = default;
};

}  // namespace leat::wire
