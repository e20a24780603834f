#include "core/api/services.h"

#include "core/api/session.h"

namespace leat::api {

void Services::log_client_fault(std::size_t shard, const Caller& caller, const std::string& why) {
    ++requests[shard].client_faults;
    const auto admitted = faults[shard].admit(caller.remote.host, shards.at(shard).now());
    if (!admitted) return;
    logger.log(logging::Level::warn, "connection closed",
               {{"client", caller.remote.host + ":" + std::to_string(caller.remote.port)},
                {"listener", caller.listener},
                {"reason", why},
                {"left_out", std::to_string(*admitted)}});
}

}  // namespace leat::api
