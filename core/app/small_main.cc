// The small program's (LEAT_SMALL_PROGRAM): it serves, and says what is wrong with a configuration.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "core/app/assembly.h"
#include "core/app/commands.h"

// In the place of the C++ library's, which brings a reader of mangled names along to say the type
// of the exception that nobody caught.
void __gnu_cxx::__verbose_terminate_handler() {
    std::fputs("leat: an exception that nobody caught\n", stderr);
    std::abort();
}

namespace {

constexpr const char* usage =
    "Leat, a message broker that Kafka clients talk to, in one small program.\n\n"
    "  leat serve FILE    serve until SIGTERM or SIGINT, as the TOML in FILE says\n"
    "  leat check FILE    say every mistake in FILE, with its place\n"
    "  leat --version\n\n"
    "Exit codes: 0 all is well, 1 the configuration or the machine refuses, 2 wrong usage.\n";

int check(const char* file) {
    const auto [mistakes, warnings] = leat::app::judge(leat::config::load(file));
    std::fputs(leat::config::text_of(mistakes).c_str(), stderr);
    std::fputs(leat::config::text_of(warnings).c_str(), stderr);
    if (!mistakes.empty()) return 1;
    std::printf("%s is fine%s\n", file, warnings.empty() ? "" : ", but see above");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view command = argc > 1 ? argv[1] : "";
    if (argc == 3 && command == "serve") return leat::app::serve(argv[2]);
    if (argc == 3 && command == "check") return check(argv[2]);
    if (argc == 2 && command == "--version") return std::puts(LEAT_VERSION) < 0;
    if (argc == 2 && (command == "--help" || command == "-h")) return std::fputs(usage, stdout) < 0;
    std::fputs(usage, stderr);
    return 2;
}
