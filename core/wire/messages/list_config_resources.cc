#include "core/wire/messages/list_config_resources.h"

namespace leat::wire {

std::span<const Field> ListConfigResourcesRequest::fields() {
    static constexpr Field list[] = {
        field<&ListConfigResourcesRequest::resource_types>("ResourceTypes").in(since(1)),
    };
    return list;
}

constinit const MessageTraits ListConfigResourcesRequest::traits{
    .name = "ListConfigResourcesRequest",
    .key = ApiKey::list_config_resources,
    .versions = {0, 1},
    .flexible = always,
    .fields = &ListConfigResourcesRequest::fields,
};

std::span<const Field> ListConfigResourcesResponse::Resource::fields() {
    static constexpr Field list[] = {
        field<&Resource::resource_name>("ResourceName"),
        field<&Resource::resource_type>("ResourceType").in(since(1)).ignorable(),
    };
    return list;
}

std::span<const Field> ListConfigResourcesResponse::fields() {
    static constexpr Field list[] = {
        field<&ListConfigResourcesResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&ListConfigResourcesResponse::error_code>("ErrorCode"),
        field<&ListConfigResourcesResponse::config_resources>("ConfigResources"),
    };
    return list;
}

constinit const MessageTraits ListConfigResourcesResponse::traits{
    .name = "ListConfigResourcesResponse",
    .key = ApiKey::list_config_resources,
    .versions = {0, 1},
    .flexible = always,
    .fields = &ListConfigResourcesResponse::fields,
};

}  // namespace leat::wire
