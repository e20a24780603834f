// Calls to the broker that coordinates a group.
#pragma once

#include <string>

#include "core/client/cluster.h"

namespace leat::client {

struct GroupCoordinator {
    Connection* connection = nullptr;  // The cluster's.
    std::int32_t node = -1;
};
// Asked for anew; Errc::unavailable while there is none.
sdk::Result<GroupCoordinator> coordinator_of(Cluster& cluster, const std::string& group);

// An error for a group; Errc::not_found for one that is not there, Errc::conflict for one with
// members that has to have none.
sdk::Error group_refused(const std::string& group, wire::ErrorCode code,
                         const std::optional<std::string>& message = std::nullopt);

// Goes on while the answer is about a coordinator that moves or is being loaded: `code_of` says
// what the answer says of the whole, and such an answer means that nothing was done.
template <class Response, class Request, class CodeOf>
sdk::Result<Response> ask_coordinator(Cluster& cluster, const std::string& group,
                                      const Request& request, CodeOf code_of,
                                      wire::Version ceiling = INT16_MAX) {
    return cluster.persist([&]() -> sdk::Result<Response> {
        const auto coordinator = coordinator_of(cluster, group);
        if (!coordinator) return coordinator.error();
        auto response = cluster.call<Response>(*coordinator->connection, request, ceiling);
        if (!response) return response;
        const wire::ErrorCode code = code_of(*response);
        if (code == wire::ErrorCode::not_coordinator ||
            code == wire::ErrorCode::coordinator_not_available ||
            code == wire::ErrorCode::coordinator_load_in_progress) {
            return group_refused(group, code);
        }
        return response;
    });
}

}  // namespace leat::client
