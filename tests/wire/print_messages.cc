// Prints the message declarations, for tools/check_messages.py; with the argument `names` the
// names of all APIs for it, with `errors` the error codes with theirs for scripts/interop.

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "core/wire/api_names.h"
#include "core/wire/apis_json.h"
#include "core/wire/error_code.h"

namespace {

void print_errors() {
    for (std::int16_t code = -1;; ++code) {
        const std::string_view name = leat::wire::name_of(leat::wire::ErrorCode{code});
        if (name == "UNKNOWN_ERROR_CODE") return;
        std::printf("%d %.*s\n", code, static_cast<int>(name.size()), name.data());
    }
}

void print_names() {
    for (std::int16_t key = 0;; ++key) {
        const std::string_view name = leat::wire::name_of(leat::wire::ApiKey{key});
        if (name.empty()) return;
        std::printf("%d %.*s\n", key, static_cast<int>(name.size()), name.data());
    }
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view what = count > 1 ? arguments[1] : "";
    if (what == "errors") {
        print_errors();
    } else if (what == "names") {
        print_names();
    } else {
        std::fputs(leat::wire::apis_as_json().c_str(), stdout);
    }
    return 0;
}
