// InitProducerId (key 22): a producer id, and for a transactional id the next epoch of its producer
// (KIP-360).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/fields.h"

namespace leat::wire {

struct InitProducerIdRequest {
    std::optional<std::string> transactional_id;  // Null for a producer that is idempotent only.
    std::int32_t transaction_timeout_ms = 0;
    std::int64_t producer_id = -1;
    std::int16_t producer_epoch = -1;
    bool enable2_pc = false;
    bool keep_prepared_txn = false;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const InitProducerIdRequest&) const = default;
};

struct InitProducerIdResponse {
    std::int32_t throttle_time_ms = 0;
    ErrorCode error_code = ErrorCode::none;
    std::int64_t producer_id = -1;
    std::int16_t producer_epoch = 0;
    std::int64_t ongoing_txn_producer_id = -1;
    std::int16_t ongoing_txn_producer_epoch = -1;

    static const MessageTraits traits;
    static std::span<const Field> fields();
    bool operator==(const InitProducerIdResponse&) const = default;
};

}  // namespace leat::wire
