#include "core/wire/messages/produce.h"

namespace leat::wire {

std::span<const Field> ProduceRequest::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::index>("Index"),
        field<&Partition::records>("Records"),
    };
    return list;
}

std::span<const Field> ProduceRequest::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name").in(until(12)).ignorable(),
        field<&Topic::topic_id>("TopicId").in(since(13)).ignorable(),
        field<&Topic::partition_data>("PartitionData"),
    };
    return list;
}

std::span<const Field> ProduceRequest::fields() {
    static constexpr Field list[] = {
        field<&ProduceRequest::transactional_id>("TransactionalId").in(since(3)),
        field<&ProduceRequest::acks>("Acks"),
        field<&ProduceRequest::timeout_ms>("TimeoutMs"),
        field<&ProduceRequest::topic_data>("TopicData"),
    };
    return list;
}

constinit const MessageTraits ProduceRequest::traits{
    .name = "ProduceRequest",
    .key = ApiKey::produce,
    .versions = {0, 13},
    .flexible = since(9),
    .fields = &ProduceRequest::fields,
};

std::span<const Field> ProduceResponse::RecordError::fields() {
    static constexpr Field list[] = {
        field<&RecordError::batch_index>("BatchIndex").in(since(8)),
        field<&RecordError::batch_index_error_message>("BatchIndexErrorMessage").in(since(8)),
    };
    return list;
}

std::span<const Field> ProduceResponse::LeaderIdAndEpoch::fields() {
    static constexpr Field list[] = {
        field<&LeaderIdAndEpoch::leader_id>("LeaderId").in(since(10)),
        field<&LeaderIdAndEpoch::leader_epoch>("LeaderEpoch").in(since(10)),
    };
    return list;
}

std::span<const Field> ProduceResponse::Partition::fields() {
    static constexpr Field list[] = {
        field<&Partition::index>("Index"),
        field<&Partition::error_code>("ErrorCode"),
        field<&Partition::base_offset>("BaseOffset"),
        field<&Partition::log_append_time_ms>("LogAppendTimeMs").in(since(2)).ignorable(),
        field<&Partition::log_start_offset>("LogStartOffset").in(since(5)).ignorable(),
        field<&Partition::record_errors>("RecordErrors").in(since(8)).ignorable(),
        field<&Partition::error_message>("ErrorMessage").in(since(8)).ignorable(),
        field<&Partition::current_leader>("CurrentLeader").in(since(10)).tagged(0),
    };
    return list;
}

std::span<const Field> ProduceResponse::Topic::fields() {
    static constexpr Field list[] = {
        field<&Topic::name>("Name").in(until(12)).ignorable(),
        field<&Topic::topic_id>("TopicId").in(since(13)).ignorable(),
        field<&Topic::partition_responses>("PartitionResponses"),
    };
    return list;
}

std::span<const Field> ProduceResponse::NodeEndpoint::fields() {
    static constexpr Field list[] = {
        field<&NodeEndpoint::node_id>("NodeId").in(since(10)),
        field<&NodeEndpoint::host>("Host").in(since(10)),
        field<&NodeEndpoint::port>("Port").in(since(10)),
        field<&NodeEndpoint::rack>("Rack").in(since(10)),
    };
    return list;
}

std::span<const Field> ProduceResponse::fields() {
    static constexpr Field list[] = {
        field<&ProduceResponse::responses>("Responses"),
        field<&ProduceResponse::throttle_time_ms>("ThrottleTimeMs").in(since(1)).ignorable(),
        field<&ProduceResponse::node_endpoints>("NodeEndpoints").in(since(10)).tagged(0),
    };
    return list;
}

constinit const MessageTraits ProduceResponse::traits{
    .name = "ProduceResponse",
    .key = ApiKey::produce,
    .versions = {0, 13},
    .flexible = since(9),
    .fields = &ProduceResponse::fields,
};

}  // namespace leat::wire
