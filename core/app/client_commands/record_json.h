// A record as one line of JSON, the same for `leat consume --json` and `leat produce --json`:
//
//   {"topic":"t","partition":0,"offset":7,"timestamp":1700000000000,"key":"k","value":null,
//    "headers":[{"name":"trace","value":"x"}]}
//
// Bytes that are no UTF-8 stand in base64 under another name: "value_base64" in the place of
// "value", likewise "key_base64" and "name_base64". Nothing of a record is lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/client/consumer.h"
#include "core/client/producer.h"

namespace leat::app {

// Without the newline.
std::string to_json(const std::string& topic, const client::IncomingRecord& record);

struct ParsedRecord {
    client::OutgoingRecord record;
    std::optional<std::int32_t> partition;
    std::optional<std::int64_t> timestamp;
};
// "value" is required, null for a tombstone; "topic" and "offset" say where it was read, and are
// passed over. Errc::invalid_argument for everything else, with the name that is wrong.
sdk::Result<ParsedRecord> from_json(std::string_view line);

}  // namespace leat::app
