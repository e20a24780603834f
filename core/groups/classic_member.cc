#include "core/groups/classic_member.h"

#include <algorithm>

#include "leat/sdk/ensure.h"

namespace leat::groups {

const wire::Bytes& ClassicMember::metadata(const std::string& protocol) const {
    const auto found =
        std::ranges::find(protocols, protocol, &wire::JoinGroupRequest::Protocol::name);
    sdk::ensure(found != protocols.end(), "a group's protocol is one that all its members support");
    return found->metadata;
}

bool ClassicMember::supports(const std::string& protocol) const {
    return std::ranges::find(protocols, protocol, &wire::JoinGroupRequest::Protocol::name) !=
           protocols.end();
}

std::size_t ClassicMember::bytes() const {
    std::size_t sum = id.size() + client_id.size() + client_host.size() + assignment.size();
    for (const auto& protocol : protocols) sum += protocol.name.size() + protocol.metadata.size();
    return sum;
}

}  // namespace leat::groups
