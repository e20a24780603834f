// The little of HTTP/1.1 that the broker speaks: a request without a body, a response of text, one
// of each to a connection. Beast reads requests; this header keeps it out of whoever includes it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "leat/sdk/function.h"

namespace leat::admin {

struct HttpRequest {
    std::string method;  // As it was sent: "GET".
    std::string path;    // "/metrics"
    std::string query;   // What follows '?', or nothing.
};

struct HttpResponse {
    int status = 200;
    std::string body;
    std::string content_type = "text/plain; charset=utf-8";
    std::string allow{};  // With 405: the methods that there are.
};

// The value of `key` in "a=1&key=value", or nothing. Values are words: '%' means itself.
std::string_view query_value(std::string_view query, std::string_view key);

// All bytes of the response; the answer to HEAD has those of GET but for the body.
std::string text_of(const HttpResponse& response, bool head_only);

// Reads one request, however its bytes arrive.
class HttpRequestReader {
public:
    explicit HttpRequestReader(std::size_t most_bytes);
    ~HttpRequestReader();

    enum class State { incomplete, complete, refused };

    // What was read from the peer since the last call.
    State read(std::span<const char> bytes);

    const HttpRequest& request() const { return request_; }   // Once complete.
    const HttpResponse& refusal() const { return refusal_; }  // Once refused: 400, 413, 431.

private:
    struct Parser;

    State refuse(int status, std::string why);

    std::unique_ptr<Parser> parser_;
    std::string unread_;
    HttpRequest request_;
    HttpResponse refusal_;
};

using HttpRespond = sdk::Function<void(HttpResponse)>;

// [the listener's shard] Calls `respond` once, there, now or later; dropping it answers 503.
using HttpHandler = std::function<void(const HttpRequest&, HttpRespond respond)>;

}  // namespace leat::admin
