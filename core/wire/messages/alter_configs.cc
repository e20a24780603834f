#include "core/wire/messages/alter_configs.h"

namespace leat::wire {

std::span<const Field> AlterConfigsRequest::Config::fields() {
    static constexpr Field list[] = {
        field<&Config::name>("Name"),
        field<&Config::value>("Value"),
    };
    return list;
}

std::span<const Field> AlterConfigsRequest::Resource::fields() {
    static constexpr Field list[] = {
        field<&Resource::resource_type>("ResourceType"),
        field<&Resource::resource_name>("ResourceName"),
        field<&Resource::configs>("Configs"),
    };
    return list;
}

std::span<const Field> AlterConfigsRequest::fields() {
    static constexpr Field list[] = {
        field<&AlterConfigsRequest::resources>("Resources"),
        field<&AlterConfigsRequest::validate_only>("ValidateOnly"),
    };
    return list;
}

constinit const MessageTraits AlterConfigsRequest::traits{
    .name = "AlterConfigsRequest",
    .key = ApiKey::alter_configs,
    .versions = {0, 2},
    .flexible = since(2),
    .fields = &AlterConfigsRequest::fields,
};

std::span<const Field> AlterConfigsResponse::Response::fields() {
    static constexpr Field list[] = {
        field<&Response::error_code>("ErrorCode"),
        field<&Response::error_message>("ErrorMessage"),
        field<&Response::resource_type>("ResourceType"),
        field<&Response::resource_name>("ResourceName"),
    };
    return list;
}

std::span<const Field> AlterConfigsResponse::fields() {
    static constexpr Field list[] = {
        field<&AlterConfigsResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&AlterConfigsResponse::responses>("Responses"),
    };
    return list;
}

constinit const MessageTraits AlterConfigsResponse::traits{
    .name = "AlterConfigsResponse",
    .key = ApiKey::alter_configs,
    .versions = {0, 2},
    .flexible = since(2),
    .fields = &AlterConfigsResponse::fields,
};

}  // namespace leat::wire
