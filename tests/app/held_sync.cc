// Preloaded into a broker: while the file that LEAT_TEST_HOLD names exists, no sync ends. A device
// that takes long, so that a test can look at what waits for it.
#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>

namespace {

void wait_while_held() {
    const char* file = std::getenv("LEAT_TEST_HOLD");
    while (file != nullptr && ::access(file, F_OK) == 0) ::poll(nullptr, 0, 2);
}

}  // namespace

extern "C" int fdatasync(int file) {
    wait_while_held();
    static const auto real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fdatasync"));
    return real(file);
}
extern "C" int fsync(int file) {
    wait_while_held();
    static const auto real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fsync"));
    return real(file);
}
