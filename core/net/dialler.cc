#include "core/net/dialler.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace leat::net {

namespace {

bool is_address(const std::string& host) {
    unsigned char bytes[16];
    return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

int pending_error(int socket) {
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    return error;
}

}  // namespace

class Dialler::Attempt final : public Watcher {
public:
    Attempt(Dialler& dialler, std::uint64_t number, Call call)
        : dialler_{dialler}, loop_{dialler.loop_}, number_{number}, call_{std::move(call)} {}
    ~Attempt() {
        hang_up();
        loop_.forget(*this);
    }

    const sdk::Endpoint& to() const { return call_.to; }

    void found(sdk::Result<std::vector<SocketAddress>> addresses) {
        if (addresses) {
            addresses_ = *std::move(addresses);
        } else {
            error_ = addresses.error();
        }
        try_next();
    }

    void ready(std::uint32_t) override {
        const int error = pending_error(socket_.get());
        if (error == 0) {
            connected_ = true;
            loop_.unwatch(socket_.get());
            loop_.at_turn_end(*this);
        } else {
            failed({sdk::Errc::unavailable,
                    "cannot connect to " + text_of(call_.to) + ": " + std::strerror(error)});
        }
    }

    // Everything is decided here, because an event of this turn may still name this object.
    void turn_ends() override {
        if (!connected_ && next_ < addresses_.size()) return try_next();
        loop_.cancel(timer_);
        Dialled done = std::move(call_.done);
        sdk::Result<sdk::Connection*> result{error_};
        if (connected_) {
            SocketConnection::Opened opened;
            opened.local = local_endpoint(socket_.get());
            opened.remote = remote_;
            opened.socket = std::move(socket_);
            opened.origin = std::make_shared<const Origin>(Origin{"", call_.limits});
            if (auto* made = dialler_.sockets_.adopt(std::move(opened), call_.accept)) {
                result = made;
            } else {
                result = sdk::Error{sdk::Errc::closed, "the new connection was not wanted"};
            }
        }
        dialler_.attempts_.erase(number_);
        done(std::move(result));
    }

private:
    void try_next() {
        if (next_ == addresses_.size()) return loop_.at_turn_end(*this);
        const SocketAddress& address = addresses_[next_++];
        remote_ = endpoint_of(address);
        auto socket = dialling_socket(address, call_.to);
        if (!socket) return failed(socket.error());
        socket_ = *std::move(socket);
        if (!loop_.watch(socket_.get(), EPOLLOUT, *this)) {
            return failed({sdk::Errc::limit, "cannot watch a connection to " + text_of(call_.to) +
                                                 ": " + std::strerror(errno)});
        }
        timer_ = loop_.after(patience, [this] {
            timer_ = sdk::TimerId::none;
            failed({sdk::Errc::timed_out, text_of(call_.to) + " does not answer"});
        });
    }

    void failed(sdk::Error error) {
        error_ = std::move(error);
        hang_up();
        loop_.at_turn_end(*this);
    }

    void hang_up() {
        loop_.cancel(std::exchange(timer_, sdk::TimerId::none));
        if (socket_) loop_.unwatch(socket_.get());
        socket_.reset();
    }

    Dialler& dialler_;
    Loop& loop_;
    const std::uint64_t number_;
    Call call_;
    std::vector<SocketAddress> addresses_;
    std::size_t next_ = 0;
    Descriptor socket_;
    sdk::Endpoint remote_;
    sdk::TimerId timer_ = sdk::TimerId::none;
    bool connected_ = false;
    sdk::Error error_;
};

Dialler::Dialler(Loop& loop, ShardSockets& sockets) : loop_{loop}, sockets_{sockets} {}
Dialler::~Dialler() = default;

void Dialler::drop_all() { attempts_.clear(); }

void Dialler::dial(Call call) {
    const std::uint64_t number = next_++;
    auto& attempt = attempts_[number] = std::make_unique<Attempt>(*this, number, std::move(call));
    if (is_address(attempt->to().host)) return attempt->found(resolve(attempt->to(), false));
    // Shared by the two tasks, of which one runs on a worker.
    auto answer = std::make_shared<std::optional<sdk::Result<std::vector<SocketAddress>>>>();
    loop_.offload([answer, to = attempt->to()] { answer->emplace(resolve(to, false)); },
                  [this, answer, number] {
                      const auto found = attempts_.find(number);
                      if (found != attempts_.end()) found->second->found(std::move(**answer));
                  });
}

}  // namespace leat::net
