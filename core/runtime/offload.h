// offload(shard, work, done): runs `work` on a worker and hands what it returns to `done` on the
// shard.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/sdk/shard.h"

namespace leat::runtime {

// [shard] The result is shared by the two tasks, which run on different threads, one after the
// other.
template <class Work, class Done>
void offload(sdk::Shard& shard, Work work, Done done) {
    using Value = std::invoke_result_t<Work&>;
    auto value = std::make_shared<std::optional<Value>>();
    shard.offload([value, work = std::move(work)]() mutable { value->emplace(work()); },
                  [value, done = std::move(done)]() mutable { done(std::move(**value)); });
}

}  // namespace leat::runtime
