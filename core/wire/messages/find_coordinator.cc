#include "core/wire/messages/find_coordinator.h"

namespace leat::wire {

std::span<const Field> FindCoordinatorRequest::fields() {
    static constexpr Field list[] = {
        field<&FindCoordinatorRequest::key>("Key").in(until(3)),
        field<&FindCoordinatorRequest::key_type>("KeyType").in(since(1)),
        field<&FindCoordinatorRequest::coordinator_keys>("CoordinatorKeys").in(since(4)),
    };
    return list;
}

constinit const MessageTraits FindCoordinatorRequest::traits{
    .name = "FindCoordinatorRequest",
    .key = ApiKey::find_coordinator,
    .versions = {0, 6},
    .flexible = since(3),
    .fields = &FindCoordinatorRequest::fields,
};

std::span<const Field> FindCoordinatorResponse::Coordinator::fields() {
    static constexpr Field list[] = {
        field<&Coordinator::key>("Key").in(since(4)),
        field<&Coordinator::node_id>("NodeId").in(since(4)),
        field<&Coordinator::host>("Host").in(since(4)),
        field<&Coordinator::port>("Port").in(since(4)),
        field<&Coordinator::error_code>("ErrorCode").in(since(4)),
        field<&Coordinator::error_message>("ErrorMessage").in(since(4)).ignorable(),
    };
    return list;
}

std::span<const Field> FindCoordinatorResponse::fields() {
    static constexpr Field list[] = {
        field<&FindCoordinatorResponse::throttle_time_ms>("ThrottleTimeMs")
            .in(since(1)).ignorable(),
        field<&FindCoordinatorResponse::error_code>("ErrorCode").in(until(3)),
        field<&FindCoordinatorResponse::error_message>("ErrorMessage")
            .in(between(1, 3)).ignorable(),
        field<&FindCoordinatorResponse::node_id>("NodeId").in(until(3)),
        field<&FindCoordinatorResponse::host>("Host").in(until(3)),
        field<&FindCoordinatorResponse::port>("Port").in(until(3)),
        field<&FindCoordinatorResponse::coordinators>("Coordinators").in(since(4)),
    };
    return list;
}

constinit const MessageTraits FindCoordinatorResponse::traits{
    .name = "FindCoordinatorResponse",
    .key = ApiKey::find_coordinator,
    .versions = {0, 6},
    .flexible = since(3),
    .fields = &FindCoordinatorResponse::fields,
};

}  // namespace leat::wire
