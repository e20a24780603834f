// What one shard counts about the requests of its connections since the start, in plain numbers:
// whoever wants them asks on that shard (core/admin/scrape.h).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/api/apis.h"
#include "core/metrics/histogram.h"
#include "core/wire/error_code.h"

namespace leat::api {

// [shard]
struct RequestFigures {
    // By the place of the API in served_apis(). From the read that brought the request to its
    // answer: what it waited for is in it (others before it, records, a sync).
    std::vector<metrics::Histogram> durations =
        std::vector<metrics::Histogram>(served_apis().size());
    // There are as many as there are APIs and error codes, at most.
    std::map<std::pair<wire::ApiKey, wire::ErrorCode>, std::uint64_t> errors;
    std::uint64_t client_faults = 0;  // Connections closed for what the client did.
};

}  // namespace leat::api
