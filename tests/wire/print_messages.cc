// Prints the message declarations, for tools/check_messages.py; with the argument `errors` the
// error codes with their names, for scripts/interop.

#include <cstdint>
#include <cstdio>
#include <string_view>

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

}  // namespace

int main(int count, char** arguments) {
    if (count > 1 && std::string_view{arguments[1]} == "errors") {
        print_errors();
    } else {
        std::fputs(leat::wire::apis_as_json().c_str(), stdout);
    }
    return 0;
}
