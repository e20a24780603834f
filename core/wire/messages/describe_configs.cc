#include "core/wire/messages/describe_configs.h"

namespace leat::wire {

std::span<const Field> DescribeConfigsRequest::Resource::fields() {
    static constexpr Field list[] = {
        field<&Resource::resource_type>("ResourceType"),
        field<&Resource::resource_name>("ResourceName"),
        field<&Resource::configuration_keys>("ConfigurationKeys"),
    };
    return list;
}

std::span<const Field> DescribeConfigsRequest::fields() {
    static constexpr Field list[] = {
        field<&DescribeConfigsRequest::resources>("Resources"),
        field<&DescribeConfigsRequest::include_synonyms>("IncludeSynonyms").in(since(1)),
        field<&DescribeConfigsRequest::include_documentation>("IncludeDocumentation").in(since(3)),
    };
    return list;
}

constinit const MessageTraits DescribeConfigsRequest::traits{
    .name = "DescribeConfigsRequest",
    .key = ApiKey::describe_configs,
    .versions = {1, 4},
    .flexible = since(4),
    .fields = &DescribeConfigsRequest::fields,
};

std::span<const Field> DescribeConfigsResponse::Synonym::fields() {
    static constexpr Field list[] = {
        field<&Synonym::name>("Name").in(since(1)),
        field<&Synonym::value>("Value").in(since(1)),
        field<&Synonym::source>("Source").in(since(1)),
    };
    return list;
}

std::span<const Field> DescribeConfigsResponse::Config::fields() {
    static constexpr Field list[] = {
        field<&Config::name>("Name"),
        field<&Config::value>("Value"),
        field<&Config::read_only>("ReadOnly"),
        field<&Config::config_source>("ConfigSource").in(since(1)).ignorable(),
        field<&Config::is_sensitive>("IsSensitive"),
        field<&Config::synonyms>("Synonyms").in(since(1)).ignorable(),
        field<&Config::config_type>("ConfigType").in(since(3)).ignorable(),
        field<&Config::documentation>("Documentation").in(since(3)).ignorable(),
    };
    return list;
}

std::span<const Field> DescribeConfigsResponse::Result::fields() {
    static constexpr Field list[] = {
        field<&Result::error_code>("ErrorCode"),
        field<&Result::error_message>("ErrorMessage"),
        field<&Result::resource_type>("ResourceType"),
        field<&Result::resource_name>("ResourceName"),
        field<&Result::configs>("Configs"),
    };
    return list;
}

std::span<const Field> DescribeConfigsResponse::fields() {
    static constexpr Field list[] = {
        field<&DescribeConfigsResponse::throttle_time_ms>("ThrottleTimeMs"),
        field<&DescribeConfigsResponse::results>("Results"),
    };
    return list;
}

constinit const MessageTraits DescribeConfigsResponse::traits{
    .name = "DescribeConfigsResponse",
    .key = ApiKey::describe_configs,
    .versions = {1, 4},
    .flexible = since(4),
    .fields = &DescribeConfigsResponse::fields,
};

}  // namespace leat::wire
