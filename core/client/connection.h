// One connection to one broker, blocking, with a deadline on everything. When it is opened it asks
// the broker for its ApiVersions, and each request then goes out in the highest version that both
// sides know. After an error of a call the connection is good for nothing: close it. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/client/address.h"
#include "core/client/watch.h"
#include "core/wire/codec.h"
#include "core/wire/frame.h"
#include "core/wire/messages/api_versions.h"

namespace leat::client {

// An answer that says it is longer is not read: a Fetch answer is at most fetch_max_bytes and one
// batch.
inline constexpr std::size_t largest_answer = std::size_t{512} << 20;
inline constexpr std::string_view client_id = "leat";

class Connection {
public:
    // `timeout` bounds the opening, and each call after it. `watch` is borrowed.
    // Errc::unavailable if nobody answers there, Errc::corrupt if it is no Kafka broker.
    static sdk::Result<std::unique_ptr<Connection>> open(const Address& address,
                                                         std::chrono::milliseconds timeout,
                                                         Watch& watch);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    const Address& address() const { return address_; }

    // The highest version of a message that both sides know, `ceiling` or below. Errc::unsupported
    // if there is none.
    sdk::Result<wire::Version> version_for(const wire::MessageTraits& request,
                                           wire::Version ceiling = INT16_MAX) const;

    // All that the broker says it serves.
    std::span<const wire::ApiVersionsResponse::ApiVersion> served() const { return served_; }

    // For examinations, beside send() and receive(): bytes as they are, size in front; the next
    // frame, without its size, as it comes; and whether the broker ends the connection without a
    // further word, as Kafka does to a request that it cannot read.
    sdk::Status send_raw(std::span<const std::byte> bytes) { return send_bytes(bytes); }
    sdk::Result<std::vector<std::byte>> receive_raw();
    sdk::Result<bool> is_ended_by_broker();

    // A request that was sent and not answered yet.
    struct Sent {
        wire::Version version = 0;
        std::int32_t correlation_id = 0;
    };
    template <wire::Message Request>
    sdk::Result<Sent> send(const Request& request, wire::Version ceiling = INT16_MAX) {
        const auto version = version_for(Request::traits, ceiling);
        if (!version) return version.error();
        wire::Buffer frame;
        const auto status =
            wire::append_request(request, *version, ++correlation_id_, client_id, frame);
        if (!status) return status.error();
        if (const auto sent = send_bytes(frame); !sent) return sent.error();
        return Sent{*version, correlation_id_};
    }
    // The answer to the oldest that was sent. Views in it are good until the next answer.
    template <wire::Message Response>
    sdk::Result<Response> receive(const Sent& sent) {
        const auto body = receive_body(Response::traits, sent);
        if (!body) return body.error();
        auto response = wire::decode<Response>(*body, sent.version);
        if (!response) return nonsense(response.error().what);
        return response;
    }
    template <wire::Message Response, wire::Message Request>
    sdk::Result<Response> call(const Request& request, wire::Version ceiling = INT16_MAX) {
        const auto sent = send(request, ceiling);
        if (!sent) return sent.error();
        return receive<Response>(*sent);
    }

private:
    Connection(Address address, int socket, std::chrono::milliseconds timeout, Watch& watch)
        : address_{std::move(address)}, socket_{socket}, timeout_{timeout}, watch_{watch} {}

    sdk::Status learn_versions();
    sdk::Status send_bytes(std::span<const std::byte> bytes);
    sdk::Status receive_bytes(std::span<std::byte> into, SteadyClock::time_point deadline);
    sdk::Status receive_frame();  // Into answer_.
    sdk::Result<std::span<const std::byte>> receive_body(const wire::MessageTraits& response,
                                                         const Sent& sent);
    sdk::Error nonsense(const std::string& what) const;
    sdk::Error lost(const std::string& what) const;

    Address address_;
    int socket_;
    std::chrono::milliseconds timeout_;
    Watch& watch_;
    std::vector<wire::ApiVersionsResponse::ApiVersion> served_;
    std::int32_t correlation_id_ = 0;
    std::vector<std::byte> answer_;
};

}  // namespace leat::client
