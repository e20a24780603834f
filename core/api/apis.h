// The APIs that are served: one line each in apis.cc. Dispatch, ApiVersions, `leat apis` and the
// README's table come from it, so nothing is advertised that is not done.
#pragma once

#include <span>

#include "core/api/request_order.h"
#include "core/wire/api_key.h"
#include "core/wire/versions.h"
#include "leat/sdk/network.h"

namespace leat::api {

struct Services;
struct Request;
class Reply;

struct Api {
    wire::ApiKey key{};
    wire::Versions served;
    // Where it is wider: clients look for a version that Kafka too advertises and then refuses by
    // closing the connection (Produce 0-2, KAFKA-18659).
    wire::Versions advertised;
    RequestOrder::Kind kind = RequestOrder::Kind::alone;
    // [the connection's shard] Answers through `reply`, now or later.
    void (*handle)(Services& services, Request request, Reply reply) = nullptr;
};

std::span<const Api> served_apis();     // Ascending by key.
const Api* find_api(wire::ApiKey key);  // Null for one that is not served.

// Whether the request in this frame may run beside others of its connection.
RequestOrder::Kind kind_of(const sdk::Frame& frame);

}  // namespace leat::api
