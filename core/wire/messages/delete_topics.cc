#include "core/wire/messages/delete_topics.h"

namespace leat::wire {

std::span<const Field> DeleteTopicsRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name").in(since(6)),
        field<&Topic::topic_id>("TopicId").in(since(6)),
    };
    return list;
}

std::span<const Field> DeleteTopicsRequest::fields() {
    static constexpr Field list[] = {
        field<&DeleteTopicsRequest::topics>("Topics").in(since(6)),
        field<&DeleteTopicsRequest::topic_names>("TopicNames").in(until(5)).ignorable(),
        field<&DeleteTopicsRequest::timeout_ms>("TimeoutMs"),
    };
    return list;
}

constinit const MessageTraits DeleteTopicsRequest::traits{
    .name = "DeleteTopicsRequest",
    .key = ApiKey::delete_topics,
    .versions = {0, 6},
    .flexible = since(4),
    .fields = &DeleteTopicsRequest::fields,
};

std::span<const Field> DeleteTopicsResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name").null_in(since(6)),
        field<&Topic::topic_id>("TopicId").in(since(6)).ignorable(),
        field<&Topic::error_code>("ErrorCode"),
        field<&Topic::error_message>("ErrorMessage").in(since(5)).ignorable(),
    };
    return list;
}

std::span<const Field> DeleteTopicsResponse::fields() {
    static constexpr Field list[] = {
        field<&DeleteTopicsResponse::throttle_time_ms>("ThrottleTimeMs").in(since(1)).ignorable(),
        field<&DeleteTopicsResponse::responses>("Responses"),
    };
    return list;
}

constinit const MessageTraits DeleteTopicsResponse::traits{
    .name = "DeleteTopicsResponse",
    .key = ApiKey::delete_topics,
    .versions = {0, 6},
    .flexible = since(4),
    .fields = &DeleteTopicsResponse::fields,
};

}  // namespace leat::wire
