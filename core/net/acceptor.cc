#include "core/net/acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace leat::net {

namespace {

Descriptor spare_descriptor() {
    return Descriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
}

}  // namespace

std::shared_ptr<void> Places::enter(const std::string& address, std::string& why) {
    const std::lock_guard lock{mutex_};
    if (taken_ >= most_) {
        why = "the broker has its " + std::to_string(most_) + " connections";
        return nullptr;
    }
    std::size_t& here = by_address_[address];
    if (here >= most_per_address_) {
        why = "its address has its " + std::to_string(most_per_address_) + " connections";
        if (here == 0) by_address_.erase(address);
        return nullptr;
    }
    ++here;
    ++taken_;
    // Shared by the connection alone; a shared_ptr because its deleter is what leaves.
    return {static_cast<void*>(this),
            [self = shared_from_this(), address](void*) { self->leave(address); }};
}

void Places::leave(const std::string& address) {
    const std::lock_guard lock{mutex_};
    --taken_;
    const auto found = by_address_.find(address);
    if (found != by_address_.end() && --found->second == 0) by_address_.erase(found);
}

Acceptor::Acceptor(Loop& loop, Parts parts, const Log& log)
    : loop_{loop},
      socket_{std::move(parts.socket)},
      deal_{std::move(parts.deal)},
      log_{log},
      origin_{std::make_shared<const Origin>(
          Origin{std::move(parts.options.name), parts.options.limits})},
      places_{std::move(parts.places)},
      reserve_{spare_descriptor()} {}

Acceptor::~Acceptor() {
    stop();
}

bool Acceptor::start() {
    return loop_.watch(socket_.get(), EPOLLIN, *this);
}

void Acceptor::stop() {
    if (resting_ != sdk::TimerId::none) loop_.cancel(std::exchange(resting_, sdk::TimerId::none));
    if (socket_) loop_.unwatch(socket_.get());
    socket_.reset();
}

void Acceptor::ready(std::uint32_t) {
    for (int i = 0; i < most_accepted_per_turn && socket_; ++i) {
        if (!accept_one()) return;
    }
}

bool Acceptor::accept_one() {
    SocketAddress address;
    Descriptor socket{
        ::accept4(socket_.get(), address.data(), &address.size, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (!socket) return accept_failed(errno);
    SocketConnection::Opened opened;
    opened.remote = endpoint_of(address);
    opened.local = local_endpoint(socket.get());
    opened.socket = std::move(socket);
    opened.origin = origin_;
    std::string why;
    opened.place = places_->enter(opened.remote.host, why);
    if (opened.place) {
        deal_(std::move(opened));
    } else {
        refuse(text_of(opened.remote), why);
    }
    return true;
}

void Acceptor::refuse(const std::string& who, const std::string& why) {
    ++refused_;
    // A storm of connections must not become a storm of log lines.
    if (loop_.turn_began() < next_line_) {
        ++refused_silently_;
        return;
    }
    next_line_ = loop_.turn_began() + between_lines;
    const std::size_t more = std::exchange(refused_silently_, 0);
    std::string line = "connection " + who + " refused: " + why;
    if (more != 0) line += "; and " + std::to_string(more) + " more since the last such line";
    log_(sdk::LogLevel::warn, line);
}

bool Acceptor::accept_failed(int number) {
    switch (number) {
        case EAGAIN:
            return false;
        case EMFILE:
        case ENFILE:
        case ENOBUFS:
        case ENOMEM:
            break;
        default:
            return true;  // That connection is gone; the next one may be sound (accept(2)).
    }
    reserve_.reset();
    Descriptor{::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)}.reset();
    reserve_ = spare_descriptor();
    refuse("from somewhere", std::string{"the system has no more descriptors or memory ("} +
                                 std::strerror(number) + "); raise the limit of open files");
    loop_.rewatch(socket_.get(), 0, *this);
    if (resting_ != sdk::TimerId::none) return false;
    resting_ = loop_.after(rest, [this] {
        resting_ = sdk::TimerId::none;
        loop_.rewatch(socket_.get(), EPOLLIN, *this);
    });
    return false;
}

}  // namespace leat::net
