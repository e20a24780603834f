// Kafka's error codes as a caller of the client sees them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/wire/error_code.h"
#include "leat/sdk/result.h"

namespace leat::client {

// The leader has moved, is being elected, or the broker is not ready: asked again a little later,
// after a look at fresh metadata, the answer may be another. The codes are those that Kafka's
// protocol guide marks as retriable, as far as topics, produce and fetch can answer them.
bool is_retriable(wire::ErrorCode code);

// "topic t: UNKNOWN_TOPIC_OR_PARTITION: no such topic or partition here", with the broker's own
// sentence in place of ours where it sent one. Errc::unavailable if it is retriable, else
// Errc::invalid_argument.
sdk::Error refused(std::string_view what, wire::ErrorCode code,
                   const std::optional<std::string>& message = std::nullopt);

}  // namespace leat::client
