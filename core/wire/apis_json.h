// The message declarations as JSON: what `leat apis --json` prints, and what
// tools/check_messages.py holds against Kafka's definitions. Versions are written as Kafka writes
// them: "3+", "0-2", "4", "none".
//
//   [{"key": 3, "name": "Metadata", "request": {"name": "MetadataRequest", "versions": "0-13",
//     "flexible": "9+", "fields": [{"name": "Topics", "type": "[]struct", "versions": "0+",
//     "nullable": "1+", "fields": [...]}, ...]}, "response": {...}}, ...]
//
// A field also has "default" (of numbers and bool), "tag" and "ignorable" where they are not 0,
// none and false.
#pragma once

#include <string>

#include "core/wire/apis.h"
#include "core/wire/versions.h"

namespace leat::wire {

std::string to_json(const ApiDescription& api);
// {"name": "OffsetCommitKey", "versions": "0", "flexible": "none", "fields": [...]}
std::string to_json(const MessageTraits& message);
std::string apis_as_json();

// "3+", "0-2", "4" or "none".
std::string to_text(Versions versions);
// As Kafka names it: "int32", "[]string", "[]struct".
std::string to_text(const Type& type);

}  // namespace leat::wire
