// Outgoing connections of one shard while they are being made: look up the name (on a worker,
// unless it is an address), then try one address after the other.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "core/net/loop.h"
#include "core/net/shard_sockets.h"
#include "core/net/socket_address.h"
#include "leat/sdk/network.h"

namespace leat::net {

using Dialled = sdk::Function<void(sdk::Result<sdk::Connection*>)>;

// [shard]
class Dialler {
public:
    static constexpr std::chrono::seconds patience{10};  // For each address.

    struct Call {
        sdk::Endpoint to;
        sdk::FrameLimits limits;
        sdk::Accept accept;
        Dialled done;
    };

    Dialler(Loop& loop, ShardSockets& sockets);
    ~Dialler();

    void dial(Call call);
    void drop_all();  // Their `done` is not called.

private:
    class Attempt;

    Loop& loop_;
    ShardSockets& sockets_;
    std::uint64_t next_ = 1;
    // By number, because an answer of the resolver may come after drop_all().
    std::unordered_map<std::uint64_t, std::unique_ptr<Attempt>> attempts_;
};

}  // namespace leat::net
