#include "core/net/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/net/shard_sockets.h"
#include "core/net/socket_address.h"

namespace leat::net {

SocketConnection::SocketConnection(ShardSockets& shard, Opened opened)
    : shard_{shard},
      opened_{std::move(opened)},
      last_read_{shard.loop.turn_began()},
      last_sent_{last_read_} {}

SocketConnection::~SocketConnection() {
    shard_.loop.forget(*this);
    shard_.buffers.stop_waiting(*this);
    if (watched_) shard_.loop.unwatch(opened_.socket.get());
}

bool SocketConnection::start(std::unique_ptr<sdk::ConnectionHandler> handler) {
    handler_ = std::move(handler);
    watched_events_ = wants_to_read() ? EPOLLIN : 0u;
    watched_ = shard_.loop.watch(opened_.socket.get(), watched_events_, *this);
    note_deadline();
    return watched_;
}

sdk::Shard& SocketConnection::shard() { return shard_.loop; }

bool SocketConnection::congested() const { return queue_.unsent() > limits().unsent_bytes; }

bool SocketConnection::wants_to_read() const {
    return state_ == State::open && !paused_ && !starved_ && !congested();
}

void SocketConnection::watch_what_is_wanted() {
    if (!watched_) return;
    const std::uint32_t wanted = (wants_to_read() ? EPOLLIN : 0u) | (blocked_ ? EPOLLOUT : 0u);
    if (wanted == watched_events_) return;
    watched_events_ = wanted;
    shard_.loop.rewatch(opened_.socket.get(), wanted, *this);
}

void SocketConnection::send(std::vector<sdk::Slice> slices) {
    if (state_ != State::open) return;
    if (queue_.unsent() == 0) last_sent_ = shard_.loop.turn_began();
    queue_.push(std::move(slices));
    if (congested()) was_congested_ = true;
    end_turn_later();
}

void SocketConnection::resume() {
    paused_ = false;
    watch_what_is_wanted();
}

void SocketConnection::close(Close how, std::string why) {
    if (state_ != State::open) return;
    if (how == Close::now) return shut(std::move(why));
    state_ = State::flushing;
    why_ = std::move(why);
    watch_what_is_wanted();
    end_turn_later();
}

void SocketConnection::shut(std::string why) {
    if (state_ == State::closed) return;
    if (why_.empty()) why_ = std::move(why);
    state_ = State::closed;
    if (watched_) shard_.loop.unwatch(opened_.socket.get());
    watched_ = false;
    end_turn_later();
}

void SocketConnection::misbehaved(std::string why) {
    handler_->misbehaved(why);
    shut(std::move(why));
}

void SocketConnection::end_turn_later() {
    if (std::exchange(ends_turn_, true)) return;
    shard_.loop.at_turn_end(*this);
}

void SocketConnection::ready(std::uint32_t epoll_events) {
    if (state_ == State::closed) return;
    if ((epoll_events & EPOLLOUT) != 0) {
        blocked_ = false;
        end_turn_later();
    }
    const bool broken = (epoll_events & (EPOLLERR | EPOLLHUP)) != 0;
    if (wants_to_read()) {
        if ((epoll_events & EPOLLIN) != 0 || broken) read();
    } else if (broken) {
        shut("the peer is gone");
    } else if ((epoll_events & EPOLLIN) != 0) {
        watch_what_is_wanted();  // Paused since: only now is a system call spent on it.
    }
}

void SocketConnection::read() {
    std::vector<sdk::Frame> frames = std::move(shard_.frames);  // Ours while the handler runs.
    const auto outcome =
        reader_.read(opened_.socket.get(), shard_.arrival, limits().largest_frame, frames);
    if (reader_.bytes_read() != 0) last_read_ = shard_.loop.turn_began();
    if (outcome == FrameReader::Outcome::no_room) {
        starved_ = true;
        shard_.buffers.wait(*this);
        watch_what_is_wanted();
    }
    if (!frames.empty()) handler_->received(frames);
    frames.clear();
    shard_.frames = std::move(frames);
    if (outcome == FrameReader::Outcome::failed) {
        misbehaved(reader_.why());
    } else if (outcome == FrameReader::Outcome::ended) {
        close(Close::flush, reader_.inside_frame() ? "the peer closed the connection inside a frame"
                                                   : "the peer closed the connection");
    } else if (reader_.inside_frame()) {
        note_deadline();
    }
}

void SocketConnection::turn_ends() {
    ends_turn_ = false;
    if (starved_) {
        starved_ = false;
        last_read_ = shard_.loop.turn_began();  // It was we who did not read.
    }
    if (state_ != State::closed && !blocked_ && queue_.unsent() != 0) write();
    if (state_ == State::flushing && queue_.unsent() == 0) {
        ::shutdown(opened_.socket.get(), SHUT_WR);
        shut(why_);
    }
    if (state_ != State::closed) {
        if (was_congested_ && queue_.unsent() <= limits().unsent_bytes / 2) {
            was_congested_ = false;
            handler_->drained();
        }
        return watch_what_is_wanted();
    }
    shard_.log(sdk::LogLevel::debug, "connection " + text_of(opened_.remote) + " closed: " + why_);
    handler_->closed(why_);
    shard_.remove(*this);
}

void SocketConnection::write() {
    const auto outcome = queue_.send(opened_.socket.get(), shard_.departure,
                                     shard_.file_sending(opened_.remote));
    if (queue_.sent() != 0) last_sent_ = shard_.loop.turn_began();
    switch (outcome) {
        case SendQueue::Outcome::empty: break;
        case SendQueue::Outcome::more:
            if (!std::exchange(ends_turn_, true)) shard_.loop.at_next_turn_end(*this);
            break;
        case SendQueue::Outcome::blocked:
            blocked_ = true;
            note_deadline();
            break;
        case SendQueue::Outcome::failed: shut(queue_.why()); break;
    }
}

sdk::Instant SocketConnection::deadline() const {
    sdk::Instant soonest = sdk::Instant::max();
    if (state_ == State::closed) return soonest;
    if (queue_.unsent() != 0) {
        soonest = last_sent_ + limits().write_stall;
    } else if (!paused_ && !starved_) {
        soonest = std::max(last_read_, last_sent_) + limits().idle;
    }
    if (reader_.inside_frame() && wants_to_read()) {
        soonest = std::min(soonest, last_read_ + sdk::Instant{limits().partial_frame});
    }
    return soonest;
}

void SocketConnection::note_deadline() { shard_.note_deadline(deadline()); }

void SocketConnection::check_deadline(sdk::Instant now) {
    if (deadline() > now) return;
    if (queue_.unsent() != 0 && last_sent_ + limits().write_stall <= now) {
        misbehaved("the peer does not read what it asked for");
    } else if (reader_.inside_frame()) {
        misbehaved("the peer began a frame and did not go on");
    } else {
        shut("nothing was said for too long");
    }
}

}  // namespace leat::net
