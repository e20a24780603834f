// A thread beside shards and workers, for foreign code that may never come back: then it is left
// behind, and another one takes its place.
#pragma once

#include "leat/sdk/function.h"

namespace leat::runtime {

class LoneThread {
public:
    // [shard 0] Runs `work` on the thread, after what was handed in before.
    virtual void run(sdk::Task work) = 0;

    // [shard 0] What runs now is nobody's concern any more: its thread ends when it returns, if it
    // does, and whatever it uses must live until then. Work that was handed in and not begun is
    // dropped.
    virtual void leave_behind() = 0;

protected:
    ~LoneThread() = default;
};

}  // namespace leat::runtime
