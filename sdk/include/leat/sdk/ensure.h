// ensure(condition, "belief"): a belief about our own code, checked in every build. Never about
// input: what a client, a file or a plugin can get wrong returns a Result.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace leat::sdk {

inline void ensure(bool condition, const char* belief, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
    if (condition) [[likely]]
        return;
    std::fprintf(stderr, "%s:%d: broken belief: %s\n", file, line, belief);
    std::abort();
}

}  // namespace leat::sdk
