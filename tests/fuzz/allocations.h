// How much memory the code under test asks for while one of these lives. Counts where a sanitizer
// provides the hooks, and nothing elsewhere. One at a time.
#pragma once

#include <cstddef>

namespace leat::fuzz {

class Allocations {
public:
    Allocations();
    ~Allocations();
    Allocations(const Allocations&) = delete;
    Allocations& operator=(const Allocations&) = delete;

    std::size_t bytes() const;  // All that was asked for, whether it was given back or not.
    std::size_t peak() const;   // The most that was held at one time.
};

}  // namespace leat::fuzz
