#include "core/api/services.h"

namespace leat::api {

void Services::log_client_fault(std::size_t shard, const FaultyClient& client,
                                const ClientFault& fault) {
    if (fault.error == wire::ErrorCode::none) ++requests[shard].client_faults;
    const auto line = faults[shard].line(client, fault, shards.at(shard).now());
    if (!line) return;
    std::vector<logging::Field> fields;
    for (const auto& [name, value] : line->fields) fields.push_back({name, value});
    logger.log(logging::Level::warn, line->event, fields);
}

}  // namespace leat::api
