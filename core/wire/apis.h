// The table of all messages that can be decoded and encoded, for whoever walks them: header
// versions, `leat apis`, the comparison with Kafka's definitions. It says what is understood, not
// what a broker serves.
#pragma once

#include <span>
#include <string_view>

#include "core/wire/api_key.h"
#include "core/wire/codec.h"

namespace leat::wire {

struct ApiDescription {
    ApiKey key{};
    std::string_view name;  // "Metadata"
    const MessageTraits* request = nullptr;
    const MessageTraits* response = nullptr;
};

// Ascending by key.
std::span<const ApiDescription> all_apis();

// Null for a key that is not in the table. Its messages' fields() are the lists to walk.
const ApiDescription* describe(ApiKey key);

}  // namespace leat::wire
