// Prints the message declarations, for tools/check_messages.py.

#include <cstdio>

#include "core/wire/apis_json.h"

int main() {
    std::fputs(leat::wire::apis_as_json().c_str(), stdout);
    return 0;
}
