// One client connection: takes its frames, runs the requests in their order, and answers in it.
//
// The session is the connection's handler, hence owned by the network. What outlives it (requests
// on other shards, timers) holds Replies, which find it gone and then do nothing.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/client_faults.h"
#include "core/api/request_order.h"
#include "core/api/session_counts.h"
#include "core/api/shard_preference.h"
#include "core/wire/codec.h"
#include "core/wire/error_codes_in.h"
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
    // Of which request it is, and what is counted of it.
    struct Of {
        RequestOrder::Ticket ticket;
        sdk::Instant arrived;
        std::uint16_t api;  // Its place in served_apis().
        wire::ApiKey key;
        wire::Version version;
        std::int32_t correlation_id;
    };
    Reply(std::weak_ptr<Session*> session, Of of) : session_{std::move(session)}, of_{of} {}
    Reply(Reply&& other) noexcept;
    Reply& operator=(Reply&&) = delete;
    ~Reply();

    wire::ApiKey key() const { return of_.key; }
    wire::Version version() const { return of_.version; }
    std::int32_t correlation_id() const { return of_.correlation_id; }

    // [the connection's shard] All of these.
    template <wire::Message T>
    void answer(const T& response) {
        wire::Buffer bytes;
        const auto status = wire::append_response(response, version(), correlation_id(), bytes);
        for (const wire::ErrorCode error : wire::errors_in(response)) count(error);
        if (!status) return close("cannot encode an answer: " + status.error().what);
        answer_bytes(std::move(bytes));
    }
    void answer_bytes(wire::Buffer bytes);
    void answer_slices(Answer slices);
    void count(wire::ErrorCode error);  // Of an answer that is given as bytes or slices.
    // The same, of a partition that was written to, and what was said beside the error.
    void count(wire::ErrorCode error, std::string_view topic, std::int32_t partition,
               std::string_view message);
    // Of a Produce: the only shard on which all its partitions live, if there is one.
    void went_to(std::optional<std::size_t> shard);
    void software(std::string_view name, std::string_view version);  // As ApiVersions says it.
    void nothing();                                                  // Produce with acks=0.
    void close(std::string why);
    void malformed(const sdk::Error& why);  // Closes: the request could not be decoded.

private:
    ClientFault::Of fault_of() const { return {of_.key, of_.version}; }
    void fail(const ClientFault& fault);

    std::weak_ptr<Session*> session_;
    Of of_;
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
    // What goes along when its connection moves to another shard: it does so between two requests,
    // when all that was begun is answered.
    struct Luggage;

    Session(sdk::Connection& connection, Services& services, std::size_t shard,
            SessionLimits limits, Luggage* luggage = nullptr);
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
    struct Waiting {
        sdk::Frame frame;
        sdk::Instant arrived;
    };
    bool start(Waiting waiting);
    void consider_moving();
    void leave();
    void finish(const Reply::Of& of, Answer answer);
    void count(const ClientFault& fault);
    void fail(const ClientFault& fault);
    void log_fault(const ClientFault& fault);
    void remember(std::string& name, std::string_view said);
    void hurry();

    sdk::Connection& connection_;
    Services& services_;
    const std::size_t shard_;
    const std::uint64_t number_;  // Unique on its shard.
    CountedSession counted_;
    const SessionLimits limits_;
    std::shared_ptr<const Caller> caller_;
    std::string client_id_;  // Of its last request, and as ApiVersions said it: for the log.
    std::string software_;
    std::shared_ptr<Session*> self_;  // What Replies watch; the session is its only owner.
    RequestOrder order_;
    std::deque<Waiting> waiting_;
    ShardPreference preference_;
    std::optional<std::size_t> moves_to_;  // Until then no request begins.
    sdk::Task hurry_;                      // Of the one request that is parked.
    bool paused_ = false;
    bool closing_ = false;
    bool draining_ = false;
    bool pumping_ = false;
};

}  // namespace leat::api
