// Connections that carry length-prefixed frames (four bytes, big endian, then that many bytes: the
// framing of Kafka's protocol). The broker's network implements it over sockets, the simulation
// over virtual time.
//
// Threads    A connection lives on one shard: every call to it and to its handler happens there.
//            listen() hands new connections round-robin to the shards.
// Ownership  The network owns the connection and, through it, its handler: both are destroyed right
//            after ConnectionHandler::closed() returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/function.h"
#include "leat/sdk/result.h"
#include "leat/sdk/shard.h"
#include "leat/sdk/slice.h"

namespace leat::sdk {

struct Endpoint {
    std::string host;  // A name or an address, IPv6 without brackets.
    std::uint16_t port = 0;

    bool operator==(const Endpoint&) const = default;
};

// One whole frame, without its length. The bytes may be written to: the broker stamps offsets into
// record batches in place. They live as long as `owner`, which is best freed on the shard that
// received the frame.
struct Frame {
    std::shared_ptr<void> owner;
    std::span<std::byte> bytes;
};

struct FrameLimits {
    std::size_t largest_frame = 100 * 1024 * 1024;       // A longer one closes the connection.
    std::size_t unsent_bytes = 8 * 1024 * 1024;          // Above it, Connection::congested() holds.
    // Nothing received and nothing unsent; a begun frame's next byte; output that does not move.
    std::chrono::milliseconds idle = std::chrono::minutes{10};
    std::chrono::milliseconds partial_frame = std::chrono::seconds{30};
    std::chrono::milliseconds write_stall = std::chrono::seconds{30};
};

class Connection {
public:
    virtual Shard& shard() = 0;
    virtual const Endpoint& local() const = 0;   // The address that the client dialled.
    virtual const Endpoint& remote() const = 0;
    virtual std::string_view listener() const = 0;  // Its name in the configuration; outgoing: "".

    // Queues one frame's bytes, length prefix included, for sending in order. What is queued in one
    // turn of the loop goes out together.
    virtual void send(std::vector<Slice> slices) = 0;

    // More than FrameLimits::unsent_bytes wait to be sent. The handler should stop taking on work;
    // it is told by ConnectionHandler::drained() when half of that is gone.
    virtual bool congested() const = 0;

    // While paused no frames are handed over and, once its buffer is full, no bytes are read, so
    // that the peer's sends stall. Frames that are complete already come right after resume.
    virtual void pause() = 0;
    virtual void resume() = 0;

    // Closes after what is queued has been sent (`flush`) or at once. `why` becomes a log line. The
    // handler hears closed() later, never inside this call.
    enum class Close { flush, now };
    virtual void close(Close how, std::string why) = 0;

protected:
    ~Connection() = default;
};

class ConnectionHandler {
public:
    virtual ~ConnectionHandler() = default;

    // Every whole frame that is in the buffer, in order of arrival. The handler takes (moves) what
    // it keeps. While it is paused from within this call, it still owns all that it was handed.
    virtual void received(std::span<Frame> frames) = 0;
    virtual void drained() {}

    // The peer broke the rules of frames or let a deadline pass: worth a line in the log. closed()
    // follows.
    virtual void misbehaved(const std::string&) {}

    // Nothing may be sent any more; the connection and this handler are destroyed after the call.
    virtual void closed(const std::string& why) = 0;
};

// Called on the shard that the new connection lives on. Null refuses it.
using Accept = std::function<std::unique_ptr<ConnectionHandler>(Connection&)>;

struct ListenOptions {
    std::string name;
    Endpoint bind;  // Port 0: the system chooses; listen() answers with the real one.
    FrameLimits limits;
};

class Network {
public:
    // [shard 0 or before the shards run] Errc::already_exists: the port is taken.
    virtual Result<Endpoint> listen(ListenOptions options, Accept accept) = 0;

    // Stops accepting on every listener. Connections stay.
    virtual void stop_listening() = 0;

    // [shard] Dials; calls `done` on `shard` with the connection, whose handler `accept` made, or
    // with the error (refused, timed out, name not found).
    virtual void connect(Shard& shard, Endpoint to, FrameLimits limits, Accept accept,
                         Function<void(Result<Connection*>)> done) = 0;

protected:
    ~Network() = default;
};

}  // namespace leat::sdk
