// ApiVersions (key 18): which APIs in which versions are served. Its response always has header
// version 0, and a version that is not known is answered in version 0 with the range that is
// (KIP-511).
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

struct ApiVersionsRequest {
    std::string client_software_name;
    std::string client_software_version;
    std::optional<std::string> cluster_id;
    std::int32_t node_id = -1;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ApiVersionsRequest&) const = default;
};

struct ApiVersionsResponse {
    struct ApiVersion {
        std::int16_t api_key = 0;
        std::int16_t min_version = 0;
        std::int16_t max_version = 0;

        static std::span<const Field> fields();
        bool operator==(const ApiVersion&) const = default;
    };

    struct SupportedFeature {
        std::string name;
        std::int16_t min_version = 0;
        std::int16_t max_version = 0;

        static std::span<const Field> fields();
        bool operator==(const SupportedFeature&) const = default;
    };

    struct FinalizedFeature {
        std::string name;
        std::int16_t max_version_level = 0;
        std::int16_t min_version_level = 0;

        static std::span<const Field> fields();
        bool operator==(const FinalizedFeature&) const = default;
    };

    ErrorCode error_code = ErrorCode::none;
    std::vector<ApiVersion> api_keys;
    std::int32_t throttle_time_ms = 0;
    std::vector<SupportedFeature> supported_features;
    std::int64_t finalized_features_epoch = -1;
    std::vector<FinalizedFeature> finalized_features;
    bool zk_migration_ready = false;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const ApiVersionsResponse&) const = default;
};

}  // namespace leat::wire
