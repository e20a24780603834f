// What a connection still has to send: slices in order, gathered into as few system calls as there
// can be. Memory is never copied. A small piece of a file is read into the shard's departure buffer
// and gathered with the rest; a large one too, or goes by sendfile, as the mode says: over loopback
// a copy through a hot buffer costs half of what sendfile does, over a real network it is the other
// way round.
//
// Reading a file that is not in memory would stall the shard; whoever makes the slice sees to it
// that it is.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "leat/sdk/slice.h"

namespace leat::net {

enum class FileSending { copy, sendfile };

// What the queues of one shard share.
struct Departure {
    static constexpr std::size_t bytes = 256 * 1024;
    static constexpr std::size_t most_pieces = 64;

    std::unique_ptr<std::byte[]> buffer;  // Made when first needed.
    std::array<iovec, most_pieces> pieces;
};

// [shard]
class SendQueue {
public:
    // The rest goes in the next turn, after the neighbours.
    static constexpr std::size_t most_bytes_per_turn = 2 * 1024 * 1024;
    static constexpr std::size_t small_file_slice = 32 * 1024;

    enum class Outcome {
        empty,    // All is sent.
        more,     // As much is sent as one turn may.
        blocked,  // The socket takes no more now.
        failed,   // why() says it.
    };

    void push(std::vector<sdk::Slice> slices);
    Outcome send(int socket, Departure& departure, FileSending mode);

    std::size_t unsent() const { return unsent_; }
    std::size_t sent() const { return sent_; }  // By the last call.
    // Memory that is here for this queue only: of all slices that are not wholly sent, and not lent
    // by a log.
    std::size_t held() const { return held_; }
    const std::string& why() const { return why_; }

private:
    enum class Step { more, blocked, failed };

    Step step(int socket, Departure& departure, FileSending mode);
    // Fills departure.pieces; the number of them, or -1 with why_.
    int gather(Departure& departure, FileSending mode, std::size_t& bytes);
    bool read_piece(const sdk::FileSlice& slice, std::size_t skip, std::span<std::byte> into);
    Step send_file(int socket);
    Step taken(ssize_t count, std::size_t wanted);

    std::vector<sdk::Slice> slices_;
    std::size_t first_ = 0;       // Slices before it are sent, and let go.
    std::size_t first_sent_ = 0;  // Bytes of the first.
    std::size_t unsent_ = 0;
    std::size_t sent_ = 0;
    std::size_t held_ = 0;
    std::string why_;
};

}  // namespace leat::net
