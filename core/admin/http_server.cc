#include "core/admin/http_server.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace leat::admin {
namespace {

constexpr int most_accepted_per_turn = 16;
constexpr std::chrono::milliseconds rest{100};  // When descriptors have run out.

}  // namespace

// reading -> answering -> sending -> lingering -> closed. It lingers so that what the peer still
// sends does not make the system throw the response away.
class HttpServer::Peer final : public net::Watcher, public std::enable_shared_from_this<Peer> {
public:
    Peer(HttpServer& server, net::Descriptor socket)
        : server_{server}, socket_{std::move(socket)}, reader_{server.limits_.request_bytes} {}

    bool start() {
        watched_ = server_.loop_.watch(socket_.get(), EPOLLIN, *this);
        if (watched_) be_patient();
        return watched_;
    }

    // Never from within its own ready(): whoever closes it does so by server_.forget().
    void close() {
        state_ = State::closed;
        if (watched_) server_.loop_.unwatch(socket_.get());
        watched_ = false;
        server_.loop_.cancel(timer_);
        socket_.reset();
    }

    void respond(const HttpResponse& response, bool head_only) {
        if (state_ == State::closed) return;
        state_ = State::sending;
        text_ = text_of(response, head_only);
        be_patient();
        send();
    }

    void ready(std::uint32_t) override {
        const auto self = shared_from_this();
        switch (state_) {
            case State::reading:
                return read();
            case State::answering:  // Only that the peer is gone: nothing else is asked for.
                return server_.forget(*this);
            case State::sending:
                return send();
            case State::lingering:
                return linger();
            case State::closed:
                return;
        }
    }

private:
    enum class State { reading, answering, sending, lingering, closed };

    // Nothing: there is no more now. Zero: the peer has ended, or is gone.
    std::optional<std::size_t> receive() {
        const ssize_t size = ::recv(socket_.get(), bytes_.data(), bytes_.size(), 0);
        if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
        return static_cast<std::size_t>(std::max<ssize_t>(size, 0));
    }

    void read() {
        const auto size = receive();
        if (!size) return;
        if (*size == 0) return server_.forget(*this);
        switch (reader_.read(std::span{bytes_}.first(*size))) {
            case HttpRequestReader::State::incomplete:
                return;
            case HttpRequestReader::State::refused:
                return respond(reader_.refusal(), false);
            case HttpRequestReader::State::complete:
                return answer();
        }
    }

    void answer() {
        state_ = State::answering;
        server_.loop_.rewatch(socket_.get(), 0, *this);
        // Moved into the handler, and maybe from there to where the peer has gone meanwhile. It
        // answers when it is dropped, too, so that no peer waits for ever.
        struct Answer {
            std::weak_ptr<Peer> peer;
            bool head_only;
            bool used = false;

            void give(const HttpResponse& response) {
                used = true;
                if (const auto there = peer.lock()) there->respond(response, head_only);
            }
            Answer(std::weak_ptr<Peer> to, bool head) : peer{std::move(to)}, head_only{head} {}
            Answer(Answer&& other) noexcept
                : peer{std::move(other.peer)},
                  head_only{other.head_only},
                  used{std::exchange(other.used, true)} {}
            Answer& operator=(Answer&&) = delete;
            ~Answer() {
                if (!used) give({.status = 503, .body = "there is no answer\n"});
            }
        };
        Answer answer{weak_from_this(), reader_.request().method == "HEAD"};
        server_.handler_(reader_.request(),
                         [answer = std::move(answer)](const HttpResponse& response) mutable {
                             answer.give(response);
                         });
    }

    void send() {
        while (sent_ < text_.size()) {
            const ssize_t size =
                ::send(socket_.get(), text_.data() + sent_, text_.size() - sent_, MSG_NOSIGNAL);
            if (size < 0 && errno == EAGAIN) {
                return server_.loop_.rewatch(socket_.get(), EPOLLOUT, *this);
            }
            if (size < 0 && errno != EINTR) return server_.forget(*this);
            sent_ += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
        }
        state_ = State::lingering;
        ::shutdown(socket_.get(), SHUT_WR);
        server_.loop_.rewatch(socket_.get(), EPOLLIN, *this);
    }

    void linger() {
        const auto size = receive();
        if (!size) return;
        lingered_ += *size;
        if (*size == 0 || lingered_ > most_lingered) server_.forget(*this);
    }

    void be_patient() {
        server_.loop_.cancel(timer_);
        timer_ = server_.loop_.after(server_.limits_.patience, [this] { server_.forget(*this); });
    }

    static constexpr std::size_t most_lingered = 64 * 1024;

    HttpServer& server_;
    net::Descriptor socket_;
    HttpRequestReader reader_;
    std::array<char, 4096> bytes_;
    State state_ = State::reading;
    bool watched_ = false;
    sdk::TimerId timer_ = sdk::TimerId::none;
    std::string text_;
    std::size_t sent_ = 0;
    std::size_t lingered_ = 0;
};

HttpServer::HttpServer(net::Loop& loop, HttpHandler handler, Limits limits, Admit admit)
    : loop_{loop}, handler_{std::move(handler)}, limits_{limits}, admit_{std::move(admit)} {}

HttpServer::~HttpServer() {
    stop();
}

bool HttpServer::serve(net::Descriptor listening) {
    listening_ = std::move(listening);
    return loop_.watch(listening_.get(), EPOLLIN, *this);
}

void HttpServer::stop() {
    if (resting_ != sdk::TimerId::none) loop_.cancel(std::exchange(resting_, sdk::TimerId::none));
    if (listening_) loop_.unwatch(listening_.get());
    listening_.reset();
    while (!peers_.empty()) forget(*peers_.front());
}

void HttpServer::ready(std::uint32_t) {
    for (int i = 0; i < most_accepted_per_turn && listening_; ++i) {
        if (!accept_one()) return;
    }
}

bool HttpServer::accept_one() {
    net::Descriptor socket{
        ::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (!socket) {
        if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return errno != EAGAIN;
        loop_.rewatch(listening_.get(), 0, *this);
        resting_ = loop_.after(rest, [this] {
            resting_ = sdk::TimerId::none;
            loop_.rewatch(listening_.get(), EPOLLIN, *this);
        });
        return false;
    }
    if (peers_.size() >= limits_.most_connections) forget(*peers_.front());
    const int number = socket.get();
    const auto& peer = peers_.emplace_back(std::make_shared<Peer>(*this, std::move(socket)));
    if (!peer->start()) {
        peers_.pop_back();
        return true;
    }
    if (!admit_) return true;
    if (const auto refusal = admit_(number)) peer->respond(*refusal, false);
    return true;
}

// The loop may hold an event of it in this turn still: it goes when the turn is over.
void HttpServer::forget(Peer& peer) {
    peer.close();
    const auto found = std::ranges::find(peers_, &peer, &std::shared_ptr<Peer>::get);
    loop_.post([last = std::move(*found)] {});
    peers_.erase(found);
}

}  // namespace leat::admin
