#include "core/wire/messages/init_producer_id.h"

namespace leat::wire {

std::span<const Field> InitProducerIdRequest::fields() {
    static constexpr Field list[] = {
        field<&InitProducerIdRequest::transactional_id>("TransactionalId"),
        field<&InitProducerIdRequest::transaction_timeout_ms>("TransactionTimeoutMs"),
        field<&InitProducerIdRequest::producer_id>("ProducerId").in(since(3)),
        field<&InitProducerIdRequest::producer_epoch>("ProducerEpoch").in(since(3)),
        field<&InitProducerIdRequest::enable2_pc>("Enable2Pc").in(since(6)),
        field<&InitProducerIdRequest::keep_prepared_txn>("KeepPreparedTxn").in(since(6)),
    };
    return list;
}

constinit const MessageTraits InitProducerIdRequest::traits{
    .name = "InitProducerIdRequest",
    .key = ApiKey::init_producer_id,
    .versions = {0, 5},
    .flexible = since(2),
    .fields = &InitProducerIdRequest::fields,
};

std::span<const Field> InitProducerIdResponse::fields() {
    static constexpr Field list[] = {
        field<&InitProducerIdResponse::throttle_time_ms>("ThrottleTimeMs").ignorable(),
        field<&InitProducerIdResponse::error_code>("ErrorCode"),
        field<&InitProducerIdResponse::producer_id>("ProducerId"),
        field<&InitProducerIdResponse::producer_epoch>("ProducerEpoch"),
        field<&InitProducerIdResponse::ongoing_txn_producer_id>("OngoingTxnProducerId")
            .in(since(6)),
        field<&InitProducerIdResponse::ongoing_txn_producer_epoch>("OngoingTxnProducerEpoch")
            .in(since(6)),
    };
    return list;
}

constinit const MessageTraits InitProducerIdResponse::traits{
    .name = "InitProducerIdResponse",
    .key = ApiKey::init_producer_id,
    .versions = {0, 5},
    .flexible = since(2),
    .fields = &InitProducerIdResponse::fields,
};

}  // namespace leat::wire
