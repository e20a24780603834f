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
      last_progress_{last_read_},
      last_sent_{last_read_} {}

SocketConnection::SocketConnection(ShardSockets& shard, Opened opened, FrameReader reader)
    : SocketConnection{shard, std::move(opened)} {
    reader_ = std::move(reader);
}

SocketConnection::~SocketConnection() {
    shard_.loop.forget(*this);
    if (starved_) shard_.buffers.stop_waiting(*this);
    if (charged_output_ != 0) shard_.buffers.discharge(charged_output_);
    if (watched_) shard_.loop.unwatch(opened_.socket.get());
}

bool SocketConnection::start(std::unique_ptr<sdk::ConnectionHandler> handler) {
    handler_ = std::move(handler);
    watched_events_ = wants_to_read() ? EPOLLIN : 0u;
    watched_ = shard_.loop.watch(opened_.socket.get(), watched_events_, *this);
    note_deadline();
    return watched_;
}

sdk::Shard& SocketConnection::shard() {
    return shard_.loop;
}

bool SocketConnection::wants_to_read() const {
    return state_ == State::open && !paused_ && !starved_ && !congested_ && !move_;
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
    settle_output();
    if (queue_.unsent() > limits().unsent_bytes ||
        (charged_output_ != 0 && charged_output_ > shard_.buffers.output_share())) {
        congested_ = true;
    }
    end_turn_later();
}

void SocketConnection::settle_output() {
    const std::size_t held = queue_.held();
    if (held > charged_output_) shard_.buffers.charge_output(held - charged_output_);
    if (held < charged_output_) shard_.buffers.discharge(charged_output_ - held);
    charged_output_ = held;
}

void SocketConnection::resume() {
    paused_ = false;
    note_progress();  // It was not the peer who did not go on.
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

bool SocketConnection::move(ShardSockets& to, sdk::Accept accept) {
    if (state_ != State::open || starved_ || move_ || !reader_.may_move()) return false;
    move_.emplace(Move{to, std::move(accept)});
    end_turn_later();
    return true;
}

void SocketConnection::depart() {
    shard_.loop.unwatch(opened_.socket.get());
    watched_ = false;
    auto parcel = std::make_unique<Parcel>(
        Parcel{std::move(opened_), std::move(reader_), std::move(move_->accept)});
    ShardSockets& to = move_->to;
    to.loop.post([&to, parcel = std::move(parcel)] { to.adopt(std::move(*parcel)); });
    shard_.remove(*this);
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

void SocketConnection::note_progress() {
    read_since_ = 0;
    last_progress_ = shard_.loop.turn_began();
}

void SocketConnection::read() {
    std::vector<sdk::Frame> frames = std::move(shard_.frames);  // Ours while the handler runs.
    const auto outcome =
        reader_.read(opened_.socket.get(), shard_.arrival, limits().largest_frame, frames);
    shard_.received_bytes += reader_.bytes_read();
    if (reader_.bytes_read() != 0) {
        last_read_ = shard_.loop.turn_began();
        read_since_ += reader_.bytes_read();
        if (read_since_ >= least_progress || !frames.empty()) note_progress();
    }
    if (outcome == FrameReader::Outcome::no_room) {
        starved_ = true;
        shard_.buffers.wait(*this, reader_.waits_for());
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

Buffers::Waiter::Tried SocketConnection::try_again() {
    starved_ = false;
    last_read_ = shard_.loop.turn_began();  // It was we who did not read.
    note_progress();
    if (wants_to_read()) read();
    if (starved_ && reader_.bytes_read() == 0) {
        shard_.buffers.stop_waiting(*this);
        return Tried::stuck;
    }
    end_turn_later();
    return Tried::done;
}

void SocketConnection::turn_ends() {
    ends_turn_ = false;
    if (state_ != State::closed && !blocked_ && queue_.unsent() != 0) write();
    if (state_ == State::flushing && queue_.unsent() == 0) {
        ::shutdown(opened_.socket.get(), SHUT_WR);
        shut(why_);
    }
    if (state_ == State::open && move_ && queue_.unsent() == 0) return depart();
    if (state_ != State::closed) {
        if (congested_ && queue_.unsent() <= limits().unsent_bytes / 2 &&
            (charged_output_ == 0 || charged_output_ <= shard_.buffers.output_share())) {
            congested_ = false;
            note_progress();
            handler_->drained();
        }
        return watch_what_is_wanted();
    }
    shard_.log(sdk::LogLevel::debug, "connection " + text_of(opened_.remote) + " closed: " + why_);
    handler_->closed(why_);
    shard_.remove(*this);
}

void SocketConnection::write() {
    const auto outcome = queue_.send(opened_.socket.get(), shard_.departure, shard_.file_sending);
    settle_output();
    shard_.sent_bytes += queue_.sent();
    if (queue_.sent() != 0) last_sent_ = shard_.loop.turn_began();
    switch (outcome) {
        case SendQueue::Outcome::empty:
            break;
        case SendQueue::Outcome::more:
            if (!std::exchange(ends_turn_, true)) shard_.loop.at_next_turn_end(*this);
            break;
        case SendQueue::Outcome::blocked:
            blocked_ = true;
            note_deadline();
            break;
        case SendQueue::Outcome::failed:
            shut(queue_.why());
            break;
    }
}

sdk::Instant SocketConnection::deadline(int hurry) const {
    sdk::Instant soonest = sdk::Instant::max();
    if (state_ == State::closed) return soonest;
    if (queue_.unsent() != 0) {
        soonest = last_sent_ + limits().write_stall / hurry;
    } else if (!paused_ && !starved_) {
        soonest = std::max(last_read_, last_sent_) + limits().idle;
    }
    if (reader_.inside_frame() && wants_to_read()) {
        soonest = std::min(soonest, last_progress_ + limits().partial_frame / hurry);
    }
    return soonest;
}

sdk::Instant SocketConnection::next_look(sdk::Instant now) const {
    const sdk::Instant soonest = deadline(1);
    if (queue_.unsent() == 0 && !reader_.inside_frame()) return soonest;
    const auto soon = std::min(limits().write_stall, limits().partial_frame) / short_of_memory;
    return std::min(soonest, now + soon);
}

void SocketConnection::note_deadline() {
    shard_.note_deadline(next_look(shard_.loop.turn_began()));
}

void SocketConnection::check_deadline(sdk::Instant now) {
    const int hurry = shard_.buffers.wanted() ? short_of_memory : 1;
    if (deadline(hurry) > now) return;
    if (queue_.unsent() != 0 && last_sent_ + limits().write_stall / hurry <= now) {
        misbehaved("the peer does not read what it asked for");
    } else if (reader_.inside_frame()) {
        misbehaved("the peer began a frame and did not go on");
    } else {
        shut("nothing was said for too long");
    }
}

}  // namespace leat::net
