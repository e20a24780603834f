#include "core/net/shard_sockets.h"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/net/socket_address.h"

namespace leat::net {

ShardSockets::ShardSockets(Loop& of, runtime::MemoryBudget& budget, FileSending sending,
                           const Log& log)
    : loop{of}, file_sending{sending}, buffers{of, budget}, arrival{buffers}, log_{log} {}

sdk::Connection* ShardSockets::adopt(SocketConnection::Opened opened, const sdk::Accept& accept) {
    if (closed_) return nullptr;
    sdk::Connection* made =
        open(std::make_unique<SocketConnection>(*this, std::move(opened)), accept);
    if (made != nullptr) ++opened_;
    return made;
}

void ShardSockets::adopt(SocketConnection::Parcel parcel) {
    if (closed_) return parcel.reader.give_up();
    if (!parcel.reader.arrive(buffers)) {
        log(sdk::LogLevel::error, "connection " + text_of(parcel.opened.remote) +
                                      " closed: the system has no memory for its frame");
        return;
    }
    auto made = std::make_unique<SocketConnection>(*this, std::move(parcel.opened),
                                                   std::move(parcel.reader));
    SocketConnection& connection = *made;
    if (open(std::move(made), parcel.accept) == nullptr) return;
    ++moved_;
    connection.go_on();
}

sdk::Connection* ShardSockets::open(std::unique_ptr<SocketConnection> made,
                                    const sdk::Accept& accept) {
    SocketConnection& connection = *made;
    auto handler = accept(connection);
    if (!handler) return nullptr;
    if (!connection.start(std::move(handler))) {
        log(sdk::LogLevel::error,
            "connection " + text_of(connection.remote()) +
                " refused: the system cannot watch it: " + std::strerror(errno));
        return nullptr;
    }
    connections_.emplace(&connection, std::move(made));
    most_ = std::max(most_, count());
    return &connection;
}

void ShardSockets::remove(SocketConnection& connection) {
    connections_.erase(&connection);
    if (most_ < crowd || count() > most_ / 4) return;
    most_ = count();
    loop.offload([] { ::malloc_trim(0); }, [] {});
}

void ShardSockets::close_all(const std::string& why) {
    closed_ = true;
    std::vector<SocketConnection*> all;
    for (const auto& [key, connection] : connections_) all.push_back(connection.get());
    for (SocketConnection* connection : all) {
        connection->close(sdk::Connection::Close::now, why);
    }
}

void ShardSockets::note_deadline(sdk::Instant deadline) {
    if (deadline >= next_check_) return;
    if (check_timer_ != sdk::TimerId::none) loop.cancel(check_timer_);
    next_check_ = deadline;
    // Coarse on purpose: all that fall due within a few milliseconds are found by one look.
    constexpr std::chrono::milliseconds coarse{5};
    const sdk::Instant delay = std::max(deadline - loop.turn_began(), sdk::Instant::zero());
    check_timer_ = loop.after(delay + coarse, [this] { check_deadlines(); });
}

void ShardSockets::check_deadlines() {
    check_timer_ = sdk::TimerId::none;
    next_check_ = sdk::Instant::max();
    const sdk::Instant now = loop.now();
    sdk::Instant soonest = sdk::Instant::max();
    for (const auto& [key, connection] : connections_) {
        connection->check_deadline(now);
        soonest = std::min(soonest, connection->next_look(now));
    }
    if (soonest != sdk::Instant::max()) note_deadline(soonest);
}

}  // namespace leat::net
