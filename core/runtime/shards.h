// What drivers run on: the process's shards and its network. net/ implements both over threads and
// sockets, the simulation over virtual time and one seed.
#pragma once

#include <cstddef>

#include "leat/sdk/network.h"
#include "leat/sdk/shard.h"

namespace leat::runtime {

// Shard 0 is the control shard: coordination, the controller, topic administration live there.
class Shards {
public:
    virtual std::size_t count() const = 0;
    virtual sdk::Shard& at(std::size_t index) = 0;

protected:
    ~Shards() = default;
};

}  // namespace leat::runtime
