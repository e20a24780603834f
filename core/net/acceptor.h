// Accepts connections on one address and deals them out to the shards in turn. It lives on shard 0.
//
// Nothing that a peer or the system does stops it: a connection that is gone already is forgotten,
// and when descriptors run out it gives up the one that it keeps in reserve to accept and close
// what is waiting (otherwise the backlog would stay readable and the loop spin), then rests a
// while.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/net/connection.h"
#include "core/net/descriptor.h"
#include "core/net/loop.h"
#include "core/net/shard_sockets.h"
#include "core/net/socket_address.h"
#include "leat/sdk/network.h"

namespace leat::net {

// How many connections all listeners have together, by address. Entered on shard 0, left on any
// shard, which is what its lock is for; it is taken twice in a connection's life.
class Places : public std::enable_shared_from_this<Places> {
public:
    Places(std::size_t most, std::size_t most_per_address)
        : most_{most}, most_per_address_{most_per_address} {}

    std::size_t most() const { return most_; }

    // Null and a reason, if there is none free.
    std::shared_ptr<void> enter(const std::string& address, std::string& why);

private:
    void leave(const std::string& address);

    const std::size_t most_;
    const std::size_t most_per_address_;
    std::mutex mutex_;
    std::size_t taken_ = 0;
    std::unordered_map<std::string, std::size_t> by_address_;
};

// [shard 0]
class Acceptor final : public Watcher {
public:
    static constexpr int most_accepted_per_turn = 64;
    static constexpr std::chrono::milliseconds rest{100};
    static constexpr std::chrono::minutes between_lines{1};  // About refused connections.

    // Takes a new connection to the shard whose turn it is; called on shard 0.
    using Deal = std::function<void(SocketConnection::Opened)>;

    struct Parts {
        Descriptor socket;
        sdk::ListenOptions options;
        std::shared_ptr<Places> places;
        Deal deal;
    };
    Acceptor(Loop& loop, Parts parts, const Log& log);
    ~Acceptor();

    bool start();
    void stop();
    std::uint64_t refused() const { return refused_; }
    void ready(std::uint32_t epoll_events) override;

private:
    bool accept_one();
    bool accept_failed(int number);
    void refuse(const std::string& who, const std::string& why);

    Loop& loop_;
    Descriptor socket_;
    Deal deal_;
    const Log& log_;
    std::shared_ptr<const Origin> origin_;
    std::shared_ptr<Places> places_;
    Descriptor reserve_;
    sdk::TimerId resting_ = sdk::TimerId::none;
    sdk::Instant next_line_{};
    std::size_t refused_silently_ = 0;
    std::uint64_t refused_ = 0;
};

}  // namespace leat::net
