#include "guarded_copy.h"

#include <setjmp.h>
#include <signal.h>

#include <cstdint>
#include <cstring>
#include <mutex>

namespace leat::mmap {
namespace {

struct Guard {
    sigjmp_buf back;
    std::uintptr_t first;
    std::uintptr_t end;
};

thread_local Guard* volatile current = nullptr;
struct sigaction before;

void on_bus_error(int signal, siginfo_t* info, void* machine) {
    Guard* const guard = current;
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (guard != nullptr && at >= guard->first && at < guard->end) {
        current = nullptr;
        siglongjmp(guard->back, 1);
    }
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(signal, info, machine);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(signal);
    } else {
        // The faulting instruction runs again, and this time the process ends as it would have.
        sigaction(SIGBUS, &before, nullptr);
    }
}

// Of its own, so that the function that is jumped into changes none of its variables.
[[gnu::noinline]] void copy(std::byte* to, std::span<const iovec> parts) {
    for (const iovec& part : parts) {
        std::memcpy(to, part.iov_base, part.iov_len);
        to += part.iov_len;
    }
}

}  // namespace

void guard_against_bus_errors() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction ours {};
        ours.sa_sigaction = on_bus_error;
        // Not blocked inside the handler, so that leaving it by a jump has no mask to restore, and
        // sigsetjmp needs no call to the system.
        ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
        sigemptyset(&ours.sa_mask);
        sigaction(SIGBUS, &ours, &before);
    });
}

bool guarded_copy(std::byte* to, std::span<const iovec> parts) {
    Guard guard;
    guard.first = reinterpret_cast<std::uintptr_t>(to);
    guard.end = guard.first;
    for (const iovec& part : parts) guard.end += part.iov_len;
    if (sigsetjmp(guard.back, 0) != 0) return false;
    current = &guard;
    copy(to, parts);
    current = nullptr;
    return true;
}

}  // namespace leat::mmap
