// How much memory the code under test asks for: all that is asked of malloc while one of these
// lives, whether it is given back or not. Counts where a sanitizer provides the hook, and nothing
// elsewhere. One at a time.
#pragma once

#include <cstddef>

namespace leat::fuzz {

class Allocations {
public:
    Allocations();
    ~Allocations();
    Allocations(const Allocations&) = delete;
    Allocations& operator=(const Allocations&) = delete;

    std::size_t bytes() const;
};

}  // namespace leat::fuzz
