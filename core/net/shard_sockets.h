// A shard's connections, and what they share: the buffers that bytes arrive in and leave from, and
// one timer for the deadlines of all of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/net/buffers.h"
#include "core/net/connection.h"
#include "core/net/frame_reader.h"
#include "core/net/runtime.h"
#include "core/net/send_queue.h"
#include "leat/sdk/plugin_context.h"

namespace leat::net {

// [shard]
class ShardSockets {
public:
    ShardSockets(Loop& loop, runtime::MemoryBudget& budget, FileSending sending, const Log& log);

    // The new connection, or null if `accept` refused it or the system cannot watch it.
    sdk::Connection* adopt(SocketConnection::Opened opened, const sdk::Accept& accept);
    // One that comes from another shard. Its handler hears drained() right away, to go on.
    void adopt(SocketConnection::Parcel parcel);
    void remove(SocketConnection& connection);  // Destroys it.
    // For good: what arrives later is refused.
    void close_all(const std::string& why);
    std::size_t count() const { return connections_.size(); }
    SocketFigures figures() const { return {count(), opened_, moved_, received_bytes, sent_bytes}; }

    void note_deadline(sdk::Instant deadline);
    void log(sdk::LogLevel level, const std::string& line) const { log_(level, line); }

    Loop& loop;
    const FileSending file_sending;
    Buffers buffers;
    Arrival arrival;
    Departure departure;
    std::vector<sdk::Frame> frames;  // Recycled by every read.
    std::uint64_t received_bytes = 0;
    std::uint64_t sent_bytes = 0;

private:
    void check_deadlines();
    sdk::Connection* open(std::unique_ptr<SocketConnection> made, const sdk::Accept& accept);

    // When three quarters of so many have left, what they held goes back to the system: freed
    // pieces of a few KiB lie between others, and the allocator by itself keeps them. It takes
    // milliseconds in which others may wait for it, so it is done for crowds alone.
    static constexpr std::size_t crowd = 256;

    const Log& log_;
    bool closed_ = false;
    std::uint64_t opened_ = 0;
    std::size_t most_ = 0;  // Connections since memory was given back.
    std::uint64_t moved_ = 0;  // To here.
    std::unordered_map<const SocketConnection*, std::unique_ptr<SocketConnection>> connections_;
    sdk::Instant next_check_ = sdk::Instant::max();
    sdk::TimerId check_timer_ = sdk::TimerId::none;
};

}  // namespace leat::net
