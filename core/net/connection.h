// One TCP connection: reads frames for its handler, sends what the handler queues. The rules are in
// sdk::Connection; here is how its states hang together.
//
//   open ──close(flush)──> flushing ──all sent, or stalled──> closed ──turn ends──> destroyed
//     └──close(now), error, peer gone, deadline────────────────┘
//
// An open one may also move to another shard: it is destroyed there, and made anew here, in between
// it is a Parcel.
//
// Nothing is destroyed before the turn ends, so a handler may close from any callback, and an event
// that was fetched before the close finds a connection that ignores it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/frame_reader.h"
#include "core/net/loop.h"
#include "core/net/send_queue.h"
#include "leat/sdk/network.h"

namespace leat::net {

class ShardSockets;

// What the connections of one listener share.
struct Origin {
    std::string listener;  // Empty: dialled.
    sdk::FrameLimits limits;
};

class SocketConnection final : public sdk::Connection, public Watcher, public Buffers::Waiter {
public:
    struct Opened {
        Descriptor socket;
        sdk::Endpoint local;
        sdk::Endpoint remote;
        std::shared_ptr<const Origin> origin;
        std::shared_ptr<void> place;  // Let go when the connection is: counts it at its listener.
    };
    SocketConnection(ShardSockets& shard, Opened opened);
    ~SocketConnection();

    // Empty with errno: the system cannot watch it.
    bool start(std::unique_ptr<sdk::ConnectionHandler> handler);

    sdk::Shard& shard() override;
    const sdk::Endpoint& local() const override { return opened_.local; }
    const sdk::Endpoint& remote() const override { return opened_.remote; }
    std::string_view listener() const override { return opened_.origin->listener; }
    void send(std::vector<sdk::Slice> slices) override;
    bool congested() const override { return congested_; }
    void pause() override { paused_ = true; }
    void resume() override;
    void close(Close how, std::string why) override;

    // Leaves for `to` once all that is queued has been sent; see Runtime::move().
    bool move(ShardSockets& to, sdk::Accept accept);

    // One that is between two shards, and whoever will handle it on the new one.
    struct Parcel {
        Opened opened;
        FrameReader reader;
        sdk::Accept accept;
    };
    // As it was: half a frame may have arrived, in this shard's memory.
    SocketConnection(ShardSockets& shard, Opened opened, FrameReader reader);
    void go_on() { handler_->drained(); }  // Of the handler that was made for it here.

    void ready(std::uint32_t epoll_events) override;
    void turn_ends() override;

    Tried try_again() override;

    // While a shard waits for memory, a begun frame and output that does not move get a part of the
    // time that they have otherwise: who holds memory and makes no progress is the first to go.
    static constexpr int short_of_memory = 10;
    // A begun frame makes progress when so much of it has come, or all.
    static constexpr std::size_t least_progress = 4096;

    // When this connection has to be looked at again, as things are.
    sdk::Instant next_look(sdk::Instant now) const;
    void check_deadline(sdk::Instant now);

private:
    enum class State { open, flushing, closed };

    const sdk::FrameLimits& limits() const { return opened_.origin->limits; }
    bool wants_to_read() const;
    void read();
    void write();
    void watch_what_is_wanted();
    void end_turn_later();
    void shut(std::string why);
    void misbehaved(std::string why);
    sdk::Instant deadline(int hurry) const;
    void note_deadline();
    void note_progress();
    void settle_output();
    void depart();

    struct Move {
        ShardSockets& to;
        sdk::Accept accept;
    };

    ShardSockets& shard_;
    Opened opened_;
    std::unique_ptr<sdk::ConnectionHandler> handler_;
    FrameReader reader_;
    SendQueue queue_;
    State state_ = State::open;
    bool watched_ = false;
    std::uint32_t watched_events_ = 0;
    bool paused_ = false;
    bool starved_ = false;    // Waits for the memory budget.
    bool blocked_ = false;    // Waits until the socket takes more.
    bool congested_ = false;  // The handler will be told when it no longer is.
    bool ends_turn_ = false;
    std::size_t charged_output_ = 0;
    std::size_t read_since_ = 0;  // Of the begun frame, since last_progress_.
    sdk::Instant last_read_;
    sdk::Instant last_progress_;
    sdk::Instant last_sent_;
    std::string why_;
    std::optional<Move> move_;  // Nothing is read any more; it departs, or closes before.
};

}  // namespace leat::net
