#include "core/api/client_faults.h"

#include <algorithm>

#include "core/api/apis.h"
#include "core/wire/api_names.h"

namespace leat::api {
namespace {

using wire::ApiKey;
using wire::ErrorCode;

struct Remedy {
    ErrorCode error;
    std::string_view change;
};
constexpr Remedy remedies[] = {
    {ErrorCode::corrupt_message,
     "the batch's checksum is wrong: look for damage on the way, or take another client"},
    {ErrorCode::invalid_record, "the client writes batches that are none: take another version"},
    {ErrorCode::message_too_large,
     "raise the topic's max.message.bytes, or lower the client's batch.size and its records"},
    {ErrorCode::record_list_too_large, "lower the client's batch.size"},
    {ErrorCode::unsupported_compression_type,
     "set another compression.type, or take a client whose Produce has version 7: zstd needs it"},
    {ErrorCode::unsupported_for_message_format,
     "let the client write the record format of Kafka 0.11 or later"},
    {ErrorCode::invalid_required_acks, "set acks to 0, 1 or all"},
    {ErrorCode::invalid_timestamp, "correct the client's clock or its records' timestamps"},
    {ErrorCode::invalid_producer_epoch,
     "two producers share one id: give each its own transactional.id"},
    {ErrorCode::invalid_request, "the request says what Kafka does not take: see the reason"},
};

// What a client cannot have here, by the APIs that it asks for.
std::string_view instead_of(ApiKey key) {
    switch (key) {
        case ApiKey::join_group:
        case ApiKey::sync_group:
        case ApiKey::heartbeat:
        case ApiKey::leave_group:
        case ApiKey::offset_commit:
        case ApiKey::offset_fetch:
        case ApiKey::describe_groups:
        case ApiKey::list_groups:
        case ApiKey::delete_groups:
        case ApiKey::consumer_group_heartbeat:
        case ApiKey::consumer_group_describe:
            return "groups are not served: let the consumer assign its partitions itself";
        case ApiKey::add_partitions_to_txn:
        case ApiKey::add_offsets_to_txn:
        case ApiKey::end_txn:
        case ApiKey::txn_offset_commit:
            return "transactions are not served: set no transactional.id";
        case ApiKey::sasl_handshake:
        case ApiKey::sasl_authenticate:
            return "SASL is not served: set security.protocol to PLAINTEXT";
        default:
            return "`leat apis` lists what is served";
    }
}

std::string change_of(const ClientFault& fault) {
    if (fault.error != ErrorCode::none) {
        const auto found = std::ranges::find(remedies, fault.error, &Remedy::error);
        return found == std::end(remedies) ? "" : std::string{found->change};
    }
    if (!fault.of) return "";
    const Api* api = find_api(fault.of->api);
    if (api == nullptr) return std::string{instead_of(fault.of->api)};
    if (fault.undecodable) {
        return "the client does not write this request as Kafka defines it: take another version";
    }
    if (api->served.contains(fault.of->version)) return "";
    return "let the client ask for ApiVersions first (librdkafka: api.version.request=true), or "
           "take one that speaks " +
           std::to_string(api->served.min) + " to " + std::to_string(api->served.max);
}

std::string api_text(ApiKey key) {
    const auto name = wire::name_of(key);
    return name.empty() ? std::to_string(static_cast<int>(key)) : std::string{name};
}

// What counts as the same reason: what varies from one request to the next is left out.
std::string kind_of(const ClientFault& fault) {
    std::string kind = std::to_string(static_cast<int>(fault.error));
    if (!fault.of) return kind + " " + std::string{fault.reason.substr(0, 24)};
    return kind + " " + std::to_string(static_cast<int>(fault.of->api)) + " " +
           std::to_string(fault.of->version);
}

}  // namespace

bool is_client_fault(ErrorCode error) {
    return std::ranges::find(remedies, error, &Remedy::error) != std::end(remedies);
}

std::optional<ClientFaults::Line> ClientFaults::line(const FaultyClient& client,
                                                     const ClientFault& fault, sdk::Instant now) {
    const auto id = client.client_id.substr(0, most_name_bytes);
    const std::string key = client.remote.host + "\n" + std::string{id} + "\n" + kind_of(fault);
    const auto same = by_reason_.admit(key, now);
    if (!same) return std::nullopt;
    const auto others = by_address_.admit(client.remote.host, now);
    if (!others) return std::nullopt;

    const bool answered = fault.error != ErrorCode::none;
    Line line{answered ? "request refused" : "connection closed", {}};
    const auto add = [&](std::string_view name, std::string value) {
        if (!value.empty()) line.fields.emplace_back(name, std::move(value));
    };
    add("client", client.remote.host + ":" + std::to_string(client.remote.port));
    add("listener", std::string{client.listener});
    add("client_id", std::string{id});
    add("software", std::string{client.software.substr(0, most_name_bytes)});
    if (fault.of) {
        add("api", api_text(fault.of->api));
        add("version", std::to_string(fault.of->version));
    }
    if (!fault.topic.empty()) {
        add("partition", std::string{fault.topic} + "/" + std::to_string(fault.partition));
    }
    if (answered) add("error", std::string{wire::name_of(fault.error)});
    add("reason", std::string{fault.reason});
    add("change", change_of(fault));
    add("left_out", std::to_string(*same + *others));
    return line;
}

}  // namespace leat::api
