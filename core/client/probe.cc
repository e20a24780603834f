#include "core/client/probe.h"

#include <algorithm>

#include "core/client/refusal.h"
#include "core/log/compressed_batch.h"

namespace leat::client {

using sdk::Errc;
using sdk::Error;
using wire::ErrorCode;

namespace {

constexpr wire::Version first_with_topic_ids = 13;  // Of Produce and Fetch.

}  // namespace

std::string code_text(ErrorCode code) {
    const auto name = name_of(code);
    return name == "UNKNOWN_ERROR_CODE" ? "error code " + std::to_string(static_cast<int>(code))
                                        : std::string{name};
}

Error differs(std::string what) {
    return {Errc::conflict, std::move(what)};
}

Bytes probe_batch(std::int64_t time, compression::Codec codec, const wire::BatchFields& fields) {
    const std::pair<std::string_view, std::optional<std::string_view>> headers[] = {
        {"header", "value"}, {"null", std::nullopt}};
    wire::BatchBuilder batch{fields};
    batch.add({.key = "key", .value = "value", .timestamp = {time}, .headers = headers});
    batch.add({.key = "", .value = "", .timestamp = {time + between_records_ms}});
    batch.add({.timestamp = {time + 2 * between_records_ms}});
    return log::compressed_batch(batch, codec);
}

const ServedApi* Probe::served(wire::ApiKey key) const {
    const auto found = std::ranges::find(to_.apis, static_cast<std::int16_t>(key), &ServedApi::key);
    return found == to_.apis.end() ? nullptr : &*found;
}

bool Probe::serves(wire::ApiKey key) const {
    return served(key) != nullptr;
}

sdk::Result<std::unique_ptr<Connection>> Probe::connect() {
    const auto leader = cluster_.persist([&]() -> sdk::Result<Address> {
        if (const auto looked = cluster_.refresh_topic(topic_); !looked) return looked.error();
        const auto found = cluster_.leader(topic_, 0);
        if (!found) return found.error();
        return (*found)->address();
    });
    if (!leader) return leader.error();
    return Connection::open(*leader, cluster_.timeout(), cluster_.watch());
}

wire::ProduceRequest Probe::produce_request(Bytes& batch, const Target& target) const {
    wire::ProduceRequest request{
        .acks = target.acks, .timeout_ms = static_cast<std::int32_t>(cluster_.timeout().count())};
    auto& topic = request.topic_data.emplace_back();
    if (target.version < first_with_topic_ids) {
        topic.name = target.topic.empty() ? topic_ : target.topic;
    } else {
        topic.topic_id = id_;
    }
    topic.partition_data.push_back(
        {.index = target.partition, .records = wire::WritableRecords{batch}});
    return request;
}

sdk::Result<wire::ProduceResponse::Partition> Probe::produce(Connection& on, Bytes batch,
                                                             const Target& target) {
    const auto request = produce_request(batch, target);
    if (target.acks == 0) {
        const auto sent = on.send(request, target.version);
        if (!sent) return sent.error();
        return wire::ProduceResponse::Partition{};
    }
    const auto response = on.call<wire::ProduceResponse>(request, target.version);
    if (!response) return response.error();
    if (response->responses.size() != 1 || response->responses[0].partition_responses.size() != 1) {
        return Error{Errc::corrupt, "the answer is not about the one partition that was asked"};
    }
    return response->responses[0].partition_responses[0];
}

sdk::Result<Probe::Fetched> Probe::fetch(Connection& on, std::int64_t offset,
                                         wire::Version version) {
    wire::FetchRequest request{.max_wait_ms = 100, .min_bytes = 1, .max_bytes = 1 << 20};
    auto& topic = request.topics.emplace_back();
    if (version < first_with_topic_ids) {
        topic.topic = topic_;
    } else {
        topic.topic_id = id_;
    }
    topic.partitions.push_back({.fetch_offset = offset, .partition_max_bytes = 1 << 20});
    const auto response = on.call<wire::FetchResponse>(request, version);
    if (!response) return response.error();
    if (response->error_code != ErrorCode::none) return Fetched{response->error_code, {}};
    if (response->responses.size() != 1 || response->responses[0].partitions.size() != 1) {
        return Error{Errc::corrupt, "the answer is not about the one partition that was asked"};
    }
    const auto& partition = response->responses[0].partitions[0];
    Fetched fetched{partition.error_code, {}};
    if (partition.records)
        fetched.records.assign(partition.records->begin(), partition.records->end());
    return fetched;
}

bool Probe::check(std::string area, std::string what, Check act, bool essential) {
    auto result = act();
    Finding finding{std::move(area), std::move(what), essential, Verdict::works, {}};
    if (result) {
        finding.detail = std::move(*result);
    } else if (result.error().code == Errc::closed) {
        return false;
    } else {
        finding.verdict = result.error().code == Errc::conflict ? Verdict::differs : Verdict::fails;
        finding.detail = result.error().what;
    }
    add(std::move(finding));
    return true;
}

}  // namespace leat::client
