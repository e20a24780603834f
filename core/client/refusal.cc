#include "core/client/refusal.h"

#include <algorithm>

namespace leat::client {

using wire::ErrorCode;

bool is_retriable(ErrorCode code) {
    static constexpr ErrorCode codes[] = {
        ErrorCode::corrupt_message,
        ErrorCode::unknown_topic_or_partition,
        ErrorCode::leader_not_available,
        ErrorCode::not_leader_or_follower,
        ErrorCode::request_timed_out,
        ErrorCode::replica_not_available,
        ErrorCode::network_exception,
        ErrorCode::coordinator_load_in_progress,
        ErrorCode::coordinator_not_available,
        ErrorCode::not_coordinator,
        ErrorCode::not_enough_replicas,
        ErrorCode::not_enough_replicas_after_append,
        ErrorCode::not_controller,
        ErrorCode::kafka_storage_error,
        ErrorCode::fenced_leader_epoch,
        ErrorCode::unknown_leader_epoch,
        ErrorCode::offset_not_available,
        ErrorCode::throttling_quota_exceeded,
        ErrorCode::unknown_topic_id,
    };
    return std::ranges::find(codes, code) != std::end(codes);
}

sdk::Error refused(std::string_view what, ErrorCode code,
                   const std::optional<std::string>& message) {
    const std::string said = message && !message->empty() ? *message : std::string{text_of(code)};
    const std::string name = name_of(code) == "UNKNOWN_ERROR_CODE"
                                 ? "error code " + std::to_string(static_cast<int>(code))
                                 : std::string{name_of(code)};
    return {is_retriable(code) ? sdk::Errc::unavailable : sdk::Errc::invalid_argument,
            std::string{what} + ": " + name + (said.empty() ? "" : ": " + said)};
}

}  // namespace leat::client
