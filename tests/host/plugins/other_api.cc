// What a plugin of another generation looks like from outside. Running any of it is a mistake.
#include <cstdlib>

#if defined(OTHER_API)
extern "C" __attribute__((visibility("default"))) const int leat_plugin_v0;
const int leat_plugin_v0 = 0;
#else
extern "C" __attribute__((visibility("default"))) const int something_else;
const int something_else = 0;
#endif

namespace {
[[gnu::constructor]] void run_at_load() { std::abort(); }
}  // namespace
