#include "core/wire/messages/api_versions.h"

namespace leat::wire {

std::span<const Field> ApiVersionsRequest::fields() {
    static constexpr Field list[] = {
        field<&ApiVersionsRequest::client_software_name>("ClientSoftwareName")
            .in(since(3)).ignorable(),
        field<&ApiVersionsRequest::client_software_version>("ClientSoftwareVersion")
            .in(since(3)).ignorable(),
        field<&ApiVersionsRequest::cluster_id>("ClusterId").in(since(5)).ignorable(),
        field<&ApiVersionsRequest::node_id>("NodeId").in(since(5)).ignorable(),
    };
    return list;
}

constinit const MessageTraits ApiVersionsRequest::traits{
    .name = "ApiVersionsRequest",
    .key = ApiKey::api_versions,
    .versions = {0, 5},
    .flexible = since(3),
    .fields = &ApiVersionsRequest::fields,
};

std::span<const Field> ApiVersionsResponse::ApiVersion::fields() {
    static constexpr Field list[] = {
        field<&ApiVersion::api_key>("ApiKey"),
        field<&ApiVersion::min_version>("MinVersion"),
        field<&ApiVersion::max_version>("MaxVersion"),
    };
    return list;
}

std::span<const Field> ApiVersionsResponse::SupportedFeature::fields() {
    static constexpr Field list[] = {
        field<&SupportedFeature::name>("Name").in(since(3)),
        field<&SupportedFeature::min_version>("MinVersion").in(since(3)),
        field<&SupportedFeature::max_version>("MaxVersion").in(since(3)),
    };
    return list;
}

std::span<const Field> ApiVersionsResponse::FinalizedFeature::fields() {
    static constexpr Field list[] = {
        field<&FinalizedFeature::name>("Name").in(since(3)),
        field<&FinalizedFeature::max_version_level>("MaxVersionLevel").in(since(3)),
        field<&FinalizedFeature::min_version_level>("MinVersionLevel").in(since(3)),
    };
    return list;
}

std::span<const Field> ApiVersionsResponse::fields() {
    static constexpr Field list[] = {
        field<&ApiVersionsResponse::error_code>("ErrorCode"),
        field<&ApiVersionsResponse::api_keys>("ApiKeys"),
        field<&ApiVersionsResponse::throttle_time_ms>("ThrottleTimeMs").in(since(1)).ignorable(),
        field<&ApiVersionsResponse::supported_features>("SupportedFeatures")
            .in(since(3)).tagged(0).ignorable(),
        field<&ApiVersionsResponse::finalized_features_epoch>("FinalizedFeaturesEpoch")
            .in(since(3)).tagged(1).ignorable(),
        field<&ApiVersionsResponse::finalized_features>("FinalizedFeatures")
            .in(since(3)).tagged(2).ignorable(),
        field<&ApiVersionsResponse::zk_migration_ready>("ZkMigrationReady")
            .in(since(3)).tagged(3).ignorable(),
    };
    return list;
}

constinit const MessageTraits ApiVersionsResponse::traits{
    .name = "ApiVersionsResponse",
    .key = ApiKey::api_versions,
    .versions = {0, 5},
    .flexible = since(3),
    .fields = &ApiVersionsResponse::fields,
};

}  // namespace leat::wire
