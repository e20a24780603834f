// What is logged when a client fails: who it is, what it did, and what to change. A machine: time
// is an argument, the line is what comes back.
//
// At most one line a minute for one reason and client (address and client id), at most
// `lines_per_minute` for one address, whatever it calls itself; the next line says how many were
// left out. Memory is bounded by LineLimiter::most_keys and by what is kept of a name.
//
// Not shared between threads: one per shard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/logging/line_limiter.h"
#include "core/wire/api_key.h"
#include "core/wire/error_code.h"
#include "core/wire/versions.h"
#include "leat/sdk/network.h"

namespace leat::api {

// As far as it has said.
struct FaultyClient {
    const sdk::Endpoint& remote;
    std::string_view listener;
    std::string_view client_id;
    std::string_view software;  // "librdkafka 2.0.2" (KIP-511)
};

struct ClientFault {
    // Of which request, if it was one.
    struct Of {
        wire::ApiKey api{};
        wire::Version version = 0;
    };
    std::optional<Of> of;
    std::string_view reason;  // In words; for an answered request what the error does not say.
    // The answer; none: the connection was closed.
    wire::ErrorCode error = wire::ErrorCode::none;
    std::string_view topic{};  // Of a Produce.
    std::int32_t partition = 0;
    bool undecodable = false;
};

// Whether an error that is answered says that a client is at fault, not that it asked for what is
// not there or not now.
bool is_client_fault(wire::ErrorCode error);

class ClientFaults {
public:
    static constexpr std::size_t most_name_bytes = 64;  // Of a client id or its software.

    explicit ClientFaults(std::uint32_t lines_per_minute) : by_address_{lines_per_minute} {}

    struct Line {
        std::string_view event;
        std::vector<std::pair<std::string_view, std::string>> fields;
    };
    // Nothing: it is left out now.
    std::optional<Line> line(const FaultyClient& client, const ClientFault& fault,
                             sdk::Instant now);

private:
    logging::LineLimiter by_reason_{1};
    logging::LineLimiter by_address_;
};

}  // namespace leat::api
