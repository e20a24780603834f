#include "core/client/coordinator.h"

#include "core/client/refusal.h"
#include "core/wire/messages/find_coordinator.h"

namespace leat::client {

using wire::ErrorCode;

sdk::Result<GroupCoordinator> coordinator_of(Cluster& cluster, const std::string& group) {
    if (const auto known = cluster.refresh(std::vector<std::string>{}); !known) {
        return known.error();
    }
    const auto any = cluster.any();
    if (!any) return any.error();
    const auto version = (*any)->version_for(wire::FindCoordinatorRequest::traits);
    if (!version) return version.error();
    constexpr wire::Version of_several = 4;
    wire::FindCoordinatorRequest request;
    if (*version >= of_several) {
        request.coordinator_keys = {group};
    } else {
        request.key = group;
    }
    const auto found = cluster.call<wire::FindCoordinatorResponse>(**any, request);
    if (!found) return found.error();
    auto code = found->error_code;
    auto node = found->node_id;
    auto message = found->error_message;
    if (*version >= of_several) {
        if (found->coordinators.empty()) {
            return sdk::Error{sdk::Errc::corrupt,
                              "the broker's answer does not name group " + group};
        }
        const auto& first = found->coordinators[0];
        code = first.error_code;
        node = first.node_id;
        message = first.error_message;
    }
    if (code != ErrorCode::none) return group_refused(group, code, message);
    const auto connection = cluster.node(node);
    if (!connection) return connection.error();
    return GroupCoordinator{*connection, node};
}

sdk::Error group_refused(const std::string& group, ErrorCode code,
                         const std::optional<std::string>& message) {
    sdk::Error error = refused("group " + group, code, message);
    if (code == ErrorCode::group_id_not_found) error.code = sdk::Errc::not_found;
    if (code == ErrorCode::non_empty_group) error.code = sdk::Errc::conflict;
    return error;
}

}  // namespace leat::client
