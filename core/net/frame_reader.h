// Turns a socket's bytes into frames. Between frames it holds nothing but the four bytes of a
// length that is not complete yet, so an idle connection costs no buffer.
//
// Small frames arrive in the shard's arrival buffer, all that the socket has at once; those that
// are complete move together into one block of their size (or keep the arrival buffer, when they
// fill most of it). A frame of which a part is missing becomes a Filling, and the rest is read
// straight into it. On a connection that sends large frames the length is read first, and nothing
// is copied.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "core/net/buffers.h"
#include "core/net/filling.h"
#include "leat/sdk/network.h"

namespace leat::net {

// What the readers of one shard share.
struct Arrival {
    static constexpr std::size_t bytes = 64 * 1024;

    explicit Arrival(Buffers& of) : buffers{of} {}

    Buffers& buffers;
    Buffers::Block block;  // Empty until the first read.
};

// [shard]
class FrameReader {
public:
    // Further bytes wait for the next turn, so that one connection does not hold up the others.
    static constexpr std::size_t most_bytes_per_turn = 1024 * 1024;
    static constexpr std::size_t large_frame = Arrival::bytes / 2;

    enum class Outcome {
        read,     // All there was, or as much as one turn may take; level triggering tells.
        no_room,  // The memory budget is spent for waits_for(): call again when it is not.
        ended,    // The peer sends no more.
        failed,   // why() says it.
    };

    // Appends every frame that is complete now.
    Outcome read(int socket, Arrival& arrival, std::size_t largest,
                 std::vector<sdk::Frame>& frames);

    bool inside_frame() const { return header_size_ != 0 || body_; }
    std::size_t bytes_read() const { return bytes_read_; }  // By the last call.
    Buffers::Use waits_for() const { return body_ ? body_.use() : Buffers::Use::small; }
    const std::string& why() const { return why_; }

    // What has begun to arrive goes to another shard, with what is known of the peer. False: too
    // much has come, or the frame sits in the budget's seat; it is read to its end here.
    static constexpr std::size_t most_bytes_moved = 1024 * 1024;
    bool may_move() const;
    // [the new shard] Copies the begun frame to `home` and sends the old memory back to its own.
    // False: the system has no memory for it, and nobody can read on.
    bool arrive(Buffers& home);
    // [the new shard] Nobody will read on.
    void give_up() { Filling::send_home(std::move(body_)); }

private:
    enum class Step { more, all, no_room, ended, failed };

    Step step(int socket, Arrival& arrival, std::size_t largest, std::vector<sdk::Frame>& frames);
    Step read_body(int socket, std::vector<sdk::Frame>& frames);
    Step read_length(int socket);
    Step read_arrival(int socket, Arrival& arrival, std::size_t largest,
                      std::vector<sdk::Frame>& frames);
    Step begin_body(Arrival& arrival, std::size_t size, std::span<const std::byte> begin);
    Step take_arrival(std::span<std::byte> bytes, Arrival& arrival, std::size_t largest,
                      std::vector<sdk::Frame>& frames);
    Step keep_rest(Arrival& arrival, std::span<std::byte> rest);
    bool checked(std::span<const std::byte, 4> length, std::size_t largest, Arrival& arrival);
    Step received(ssize_t count);

    std::array<std::byte, 4> header_;
    std::size_t header_size_ = 0;
    Filling body_;
    bool large_ = false;  // The last frame was.
    bool any_ = false;    // A frame has been complete on this connection.
    std::size_t bytes_read_ = 0;
    std::string why_;
};

}  // namespace leat::net
