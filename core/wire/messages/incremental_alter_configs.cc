#include "core/wire/messages/incremental_alter_configs.h"

namespace leat::wire {

std::span<const Field> IncrementalAlterConfigsRequest::Config::fields() {
    static constexpr Field list[] = {
        field<&Config::name>("Name"),
        field<&Config::config_operation>("ConfigOperation"),
        field<&Config::value>("Value"),
    };
    return list;
}

std::span<const Field> IncrementalAlterConfigsRequest::Resource::fields() {
    static constexpr Field list[] = {
        field<&Resource::resource_type>("ResourceType"),
        field<&Resource::resource_name>("ResourceName"),
        field<&Resource::configs>("Configs"),
    };
    return list;
}

std::span<const Field> IncrementalAlterConfigsRequest::fields() {
    static constexpr Field list[] = {
        field<&IncrementalAlterConfigsRequest::resources>("Resources"),
        field<&IncrementalAlterConfigsRequest::validate_only>("ValidateOnly"),
    };
    return list;
}

constinit const MessageTraits IncrementalAlterConfigsRequest::traits{
    .name = "IncrementalAlterConfigsRequest",
    .key = ApiKey::incremental_alter_configs,
    .versions = {0, 1},
    .flexible = since(1),
    .fields = &IncrementalAlterConfigsRequest::fields,
};

std::span<const Field> IncrementalAlterConfigsResponse::Response::fields() {
    static constexpr Field list[] = {
        field<&Response::error_code>("ErrorCode"),
        field<&Response::error_message>("ErrorMessage"),
        field<&Response::resource_type>("ResourceType"),
        field<&Response::resource_name>("ResourceName"),
    };
    return list;
}

std::span<const Field> IncrementalAlterConfigsResponse::fields() {
    static constexpr Field list[] = {
        field<&IncrementalAlterConfigsResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&IncrementalAlterConfigsResponse::responses>("Responses"),
    };
    return list;
}

constinit const MessageTraits IncrementalAlterConfigsResponse::traits{
    .name = "IncrementalAlterConfigsResponse",
    .key = ApiKey::incremental_alter_configs,
    .versions = {0, 1},
    .flexible = since(1),
    .fields = &IncrementalAlterConfigsResponse::fields,
};

}  // namespace leat::wire
