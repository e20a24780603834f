#include "core/wire/messages/create_partitions.h"

namespace leat::wire {

std::span<const Field> CreatePartitionsRequest::Assignment::fields() {
    static constexpr Field list[] = {
        field<&Assignment::broker_ids>("BrokerIds"),
    };
    return list;
}

std::span<const Field> CreatePartitionsRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name"),
        field<&Topic::count>("Count"),
        field<&Topic::assignments>("Assignments"),
    };
    return list;
}

std::span<const Field> CreatePartitionsRequest::fields() {
    static constexpr Field list[] = {
        field<&CreatePartitionsRequest::topics>("Topics"),
        field<&CreatePartitionsRequest::timeout_ms>("TimeoutMs"),
        field<&CreatePartitionsRequest::validate_only>("ValidateOnly"),
    };
    return list;
}

constinit const MessageTraits CreatePartitionsRequest::traits{
    .name = "CreatePartitionsRequest",
    .key = ApiKey::create_partitions,
    .versions = {0, 3},
    .flexible = since(2),
    .fields = &CreatePartitionsRequest::fields,
};

std::span<const Field> CreatePartitionsResponse::Result::fields() {
    static constexpr Field list[] = {
        field<&Result::name>("Name"),
        field<&Result::error_code>("ErrorCode"),
        field<&Result::error_message>("ErrorMessage"),
    };
    return list;
}

std::span<const Field> CreatePartitionsResponse::fields() {
    static constexpr Field list[] = {
        field<&CreatePartitionsResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&CreatePartitionsResponse::results>("Results"),
    };
    return list;
}

constinit const MessageTraits CreatePartitionsResponse::traits{
    .name = "CreatePartitionsResponse",
    .key = ApiKey::create_partitions,
    .versions = {0, 3},
    .flexible = since(2),
    .fields = &CreatePartitionsResponse::fields,
};

}  // namespace leat::wire
