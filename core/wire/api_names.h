// What Kafka calls each of its APIs, those included that have no messages here: for lines and
// tables that people read. Any thread.
#pragma once

#include <string_view>

#include "core/wire/api_key.h"

namespace leat::wire {

// "JoinGroup"; empty for a key that Kafka 4.4 does not know.
std::string_view name_of(ApiKey key);

}  // namespace leat::wire
