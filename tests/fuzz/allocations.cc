#include "tests/fuzz/allocations.h"

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*,
                                                                           std::size_t),
                                                         void (*on_free)(const volatile void*))
    __attribute__((weak));

namespace leat::fuzz {
namespace {

thread_local bool counting = false;
thread_local std::size_t counted = 0;

void on_malloc(const volatile void*, std::size_t size) {
    if (counting) counted += size;
}
void on_free(const volatile void*) {}

}  // namespace

Allocations::Allocations() {
    static const bool installed = __sanitizer_install_malloc_and_free_hooks != nullptr &&
                                  __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0;
    counted = 0;
    counting = installed;
}

Allocations::~Allocations() {
    counting = false;
}

std::size_t Allocations::bytes() const {
    return counted;
}

}  // namespace leat::fuzz
