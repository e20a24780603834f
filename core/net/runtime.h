// The broker's threads and sockets: runtime::Shards and sdk::Network over epoll. One thread for
// each shard, workers for what waits for a device; no thread is made before run().
//
//   runtime::MemoryBudget memory{{.bytes = 512 << 20, .largest_frame = 100 << 20}};
//   net::Runtime runtime{{.shards = 2, .memory = memory}};
//   runtime.listen({.name = "plaintext", .bind = {"127.0.0.1", 9092}}, accept);
//   runtime.run();   // Shard 0 is the calling thread. Returns after stop().
//
// Frames and everything posted must be let go before the Runtime is destroyed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "core/net/send_queue.h"
#include "core/runtime/memory_budget.h"
#include "core/runtime/shards.h"
#include "leat/sdk/network.h"
#include "leat/sdk/plugin_context.h"

namespace leat::net {

using Log = std::function<void(sdk::LogLevel, const std::string&)>;  // [any thread]

// Since the start, of one shard's connections, those that the broker dials included.
struct SocketFigures {
    std::size_t open = 0;
    std::uint64_t opened = 0;
    std::uint64_t moved = 0;  // Came from another shard.
    std::uint64_t received_bytes = 0;
    std::uint64_t sent_bytes = 0;
};

struct WorkerFigures {
    std::size_t waiting = 0;  // Tasks that no worker has begun.
    std::size_t threads = 0;
    std::size_t busy = 0;
};

class Loop;

class Runtime final : public runtime::Shards, public sdk::Network {
public:
    struct Options {
        std::size_t shards = 1;
        std::size_t workers = 8;  // At most; made when there is work for them.
        FileSending file_sending = FileSending::sendfile;
        // What the kernel keeps for one peer; 0 lets the kernel decide, up to some megabytes.
        std::size_t send_buffer = 256 * 1024;
        runtime::MemoryBudget& memory;  // Charged for frames and answers. Outlives the runtime.
        // Accepted and open at once, at all listeners together; further ones are closed right after
        // accept. At most three quarters of the descriptors that the process may have: the limit of
        // open files is raised as far as the system lets us, and the rest is for files.
        std::size_t most_connections = 20'000;
        std::size_t most_connections_per_address = 20'000;
        Log log = {};
    };

    explicit Runtime(Options options);
    ~Runtime();

    std::size_t count() const override;
    sdk::Shard& at(std::size_t index) override;
    // A shard as what it is here: for whoever has sockets of another kind.
    Loop& loop(std::size_t index);

    sdk::Result<sdk::Endpoint> listen(sdk::ListenOptions options, sdk::Accept accept) override;
    void stop_listening() override;
    void connect(sdk::Shard& shard, sdk::Endpoint to, sdk::FrameLimits limits, sdk::Accept accept,
                 sdk::Function<void(sdk::Result<sdk::Connection*>)> done) override;

    // [the connection's shard] Moves it to another shard once all that is queued is sent: from now
    // on its handler gets no frames, and it is destroyed without having heard closed(). On the new
    // shard `accept` makes the handler that goes on, which hears drained() first. What the peer
    // does meanwhile is seen there. If the connection ends before it is under way, closed() comes
    // as always and `accept` is not called; nor is it if the runtime stops.
    // False: it cannot leave now (it closes or leaves already, waits for memory, or has begun a
    // large frame).
    bool move(sdk::Connection& connection, std::size_t to, sdk::Accept accept);

    // Runs until stop(), once. Before it returns every handler has heard closed() and all work that
    // was offloaded is done; the `done` of what was still under way is not called.
    void run();

    // [any thread; not from a signal handler] Ends every shard after its present turn. What should
    // end in order (drained connections, a clean log) is done before.
    void stop();

    SocketFigures sockets(std::size_t shard) const;  // [that shard]
    WorkerFigures workers() const;                   // [any thread]
    // [shard 0] Connections that were closed right after accept: a limit, or no descriptors.
    std::uint64_t refused_connections() const;

private:
    struct Site;
    struct State;

    void serve(Site& site);

    std::unique_ptr<State> state_;
};

}  // namespace leat::net
