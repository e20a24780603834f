#include "tests/fuzz/allocations.h"

#include <algorithm>

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*,
                                                                           std::size_t),
                                                         void (*on_free)(const volatile void*))
    __attribute__((weak));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void*) __attribute__((weak));

namespace leat::fuzz {
namespace {

thread_local bool counting = false;
thread_local std::size_t counted = 0;
thread_local std::size_t held = 0;
thread_local std::size_t most_held = 0;

void on_malloc(const volatile void*, std::size_t size) {
    if (!counting) return;
    counted += size;
    held += size;
    most_held = std::max(most_held, held);
}
void on_free(const volatile void* block) {
    if (!counting || block == nullptr) return;
    // What was there before the counting began does not count.
    held -= std::min(held, __sanitizer_get_allocated_size(block));
}

}  // namespace

Allocations::Allocations() {
    static const bool installed = __sanitizer_install_malloc_and_free_hooks != nullptr &&
                                  __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0;
    counted = held = most_held = 0;
    counting = installed;
}

Allocations::~Allocations() {
    counting = false;
}

std::size_t Allocations::bytes() const {
    return counted;
}
std::size_t Allocations::peak() const {
    return most_held;
}

}  // namespace leat::fuzz
