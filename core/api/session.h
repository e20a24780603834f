// One client connection: takes its frames, runs the requests in their order, and answers in it.
//
// The session is the connection's handler, hence owned by the network. What outlives it (requests
// on other shards, timers) holds Replies, which find it gone and then do nothing.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/api/request_order.h"
#include "core/wire/codec.h"
#include "core/wire/frame.h"
#include "leat/sdk/network.h"

namespace leat::api {

struct Services;

struct SessionLimits {
    std::size_t most_waiting = 256;  // Requests taken from the socket and not yet started.
    std::size_t most_together = 64;  // Produce requests that run at a time.
};

// Who asks. Shared by the session and by requests that outlive it.
struct Caller {
    std::string listener;
    sdk::Endpoint local;
    sdk::Endpoint remote;
};

class Session;

// The way back for one request. Moved, used once; dropped without use it closes the connection, for
// a client must never wait for an answer that does not come.
class Reply {
public:
    Reply(std::weak_ptr<Session*> session, RequestOrder::Ticket ticket, wire::ApiKey key,
          wire::Version version, std::int32_t correlation_id)
        : session_{std::move(session)},
          ticket_{ticket},
          key_{key},
          version_{version},
          correlation_id_{correlation_id} {}
    Reply(Reply&& other) noexcept;
    Reply& operator=(Reply&&) = delete;
    ~Reply();

    wire::ApiKey key() const { return key_; }
    wire::Version version() const { return version_; }
    std::int32_t correlation_id() const { return correlation_id_; }

    // [the connection's shard] All of these.
    template <wire::Message T>
    void answer(const T& response) {
        wire::Buffer bytes;
        const auto status = wire::append_response(response, version_, correlation_id_, bytes);
        if (!status) return close("cannot encode an answer: " + status.error().what);
        answer_bytes(std::move(bytes));
    }
    void answer_bytes(wire::Buffer bytes);
    void answer_slices(Answer slices);
    void nothing();  // Produce with acks=0.
    void close(std::string why);

private:
    std::weak_ptr<Session*> session_;
    RequestOrder::Ticket ticket_;
    wire::ApiKey key_;
    wire::Version version_;
    std::int32_t correlation_id_;
    bool used_ = false;
};

struct Request {
    sdk::Frame frame;  // Owns what `header` points into.
    wire::RequestHeader header;
    std::shared_ptr<const Caller> caller;
    std::size_t shard = 0;  // Of the connection.
    // Set by a handler that parks: called when the connection goes or the broker drains.
    std::function<void(sdk::Task)> on_hurry;
};

// Slices from one buffer, which they own.
Answer owned(wire::Buffer bytes);

class Session final : public sdk::ConnectionHandler {
public:
    Session(sdk::Connection& connection, Services& services, std::size_t shard,
            SessionLimits limits);
    ~Session() override;

    void received(std::span<sdk::Frame> frames) override;
    void drained() override;
    void misbehaved(const std::string& why) override;
    void closed(const std::string& why) override;

    // The broker stops: parked requests are answered now, running ones finish, no new one begins;
    // then the connection closes.
    void drain();

private:
    friend class Reply;

    void pump();
    bool start(sdk::Frame frame);
    void finish(RequestOrder::Ticket ticket, Answer answer);
    void fail(std::string why);
    void hurry();

    sdk::Connection& connection_;
    Services& services_;
    const std::size_t shard_;
    const std::uint64_t number_;  // Unique on its shard.
    const SessionLimits limits_;
    std::shared_ptr<const Caller> caller_;
    std::shared_ptr<Session*> self_;  // What Replies watch; the session is its only owner.
    RequestOrder order_;
    std::deque<sdk::Frame> waiting_;
    sdk::Task hurry_;  // Of the one request that is parked.
    bool paused_ = false;
    bool closing_ = false;
    bool draining_ = false;
    bool pumping_ = false;
};

}  // namespace leat::api
