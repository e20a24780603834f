// Lookups by offset and time; and what a broker says to what cannot be done.

#include <algorithm>

#include "core/client/offsets.h"
#include "core/client/probe.h"
#include "core/client/topics.h"
#include "core/wire/messages/create_topics.h"
#include "core/wire/messages/list_offsets.h"
#include "core/wire/messages/metadata.h"
#include "core/wire/reader.h"

namespace leat::client {
namespace {

using sdk::Errc;
using sdk::Error;
using wire::ErrorCode;
using Text = sdk::Result<std::string>;

constexpr std::string_view nobodys_topic = "leat-doctor-no-such-topic";

// Of ListOffsets. Version 0 answers with the beginnings of segments.
constexpr wire::Version first_of_records = 1;

sdk::Result<std::int64_t> offset_at(Connection& on, const std::string& topic, std::int64_t time,
                                    wire::Version version = INT16_MAX) {
    wire::ListOffsetsRequest request{.replica_id = -1};
    request.topics.push_back({.name = topic});
    request.topics[0].partitions.push_back({.timestamp = time});
    const auto response = on.call<wire::ListOffsetsResponse>(request, version);
    if (!response) return response.error();
    if (response->topics.size() != 1 || response->topics[0].partitions.size() != 1) {
        return Error{Errc::corrupt, "the answer is not about the one partition that was asked"};
    }
    const auto& answer = response->topics[0].partitions[0];
    if (answer.error_code == ErrorCode::none) return answer.offset;
    return Error{Errc::invalid_argument, "it is refused with " + code_text(answer.error_code)};
}

Text lookup(Probe& probe, std::int64_t time, std::int64_t wanted) {
    const auto* served = probe.served(wire::ApiKey::list_offsets);
    if (served == nullptr) return Error{Errc::invalid_argument, "ListOffsets is not served"};
    const auto traits = wire::ListOffsetsRequest::traits.versions;
    const auto first = std::max({traits.min, served->oldest, first_of_records});
    const auto last = std::min(traits.max, served->newest);
    for (int version = first; version <= last; ++version) {
        const auto on = probe.connect();
        if (!on) return on.error();
        const auto found =
            offset_at(**on, probe.topic(), time, static_cast<wire::Version>(version));
        if (!found) return found.error();
        if (*found != wanted) {
            return Error{Errc::invalid_argument, "version " + std::to_string(version) + " says " +
                                                     std::to_string(*found) + ", not " +
                                                     std::to_string(wanted)};
        }
    }
    return "versions " + std::to_string(first) + " to " + std::to_string(last);
}

Text lookup_end(Probe& probe) {
    const auto on = probe.connect();
    if (!on) return on.error();
    const auto wrote = probe.produce(**on, probe_batch(probe.time()));
    if (!wrote) return wrote.error();
    return lookup(probe, latest, wrote->base_offset + records_in_batch);
}

// What is expected is that code; another one "differs", none at all "fails".
Text judge(ErrorCode said, ErrorCode wanted) {
    if (said == wanted) return code_text(said);
    const std::string instead = code_text(said) + ", not " + code_text(wanted);
    if (said == ErrorCode::none) return Error{Errc::invalid_argument, "no error: " + instead};
    return differs(instead);
}

// It is judged, and the connection still good for something: a client goes on with it.
Text judge_produce(Probe& probe, Bytes batch, const Probe::Target& target, ErrorCode wanted) {
    const auto on = probe.connect();
    if (!on) return on.error();
    const auto answer = probe.produce(**on, std::move(batch), target);
    if (!answer) return answer.error();
    const auto next = probe.produce(**on, probe_batch(probe.time()));
    if (!next) {
        return next.error().code == Errc::closed
                   ? next.error()
                   : Error{Errc::invalid_argument, "after it " + next.error().what};
    }
    return judge(answer->error_code, wanted);
}

Text damaged(Probe& probe) {
    Bytes batch = probe_batch(probe.time());
    batch.back() ^= std::byte{1};
    return judge_produce(probe, std::move(batch), {}, ErrorCode::corrupt_message);
}

Text too_large(Probe& probe) {
    const std::string value(Probe::largest_batch, 'x');
    wire::BatchBuilder batch;
    batch.add({.value = value, .timestamp = {probe.time()}});
    return judge_produce(probe, batch.build(), {}, ErrorCode::message_too_large);
}

Text unknown_partition(Probe& probe) {
    return judge_produce(probe, probe_batch(probe.time()), {.partition = 7},
                         ErrorCode::unknown_topic_or_partition);
}

Text unknown_acks(Probe& probe) {
    return judge_produce(probe, probe_batch(probe.time()), {.acks = 2},
                         ErrorCode::invalid_required_acks);
}

Text unknown_topic(Probe& probe) {
    const auto on = probe.connect();
    if (!on) return on.error();
    wire::MetadataRequest request{.allow_auto_topic_creation = false};
    request.topics.emplace().push_back({.name = std::string{nobodys_topic}});
    const auto response = (*on)->call<wire::MetadataResponse>(request);
    if (!response) return response.error();
    if (response->topics.size() != 1) return Error{Errc::corrupt, "the topic is not in the answer"};
    return judge(response->topics[0].error_code, ErrorCode::unknown_topic_or_partition);
}

Text read_beyond_the_end(Probe& probe) {
    const auto on = probe.connect();
    if (!on) return on.error();
    const auto fetched = probe.fetch(**on, std::int64_t{1} << 40);
    if (!fetched) return fetched.error();
    return judge(fetched->error, ErrorCode::offset_out_of_range);
}

Text create(Probe& probe, const std::string& name, ErrorCode wanted) {
    const auto on = probe.cluster().controller();
    if (!on) return on.error();
    wire::CreateTopicsRequest request{.timeout_ms = 10'000, .validate_only = false};
    request.topics.push_back({.name = name, .num_partitions = 1, .replication_factor = 1});
    const auto response = probe.cluster().call<wire::CreateTopicsResponse>(**on, request);
    if (!response) return response.error();
    if (response->topics.size() != 1) return Error{Errc::corrupt, "the topic is not in the answer"};
    return judge(response->topics[0].error_code, wanted);
}

Text create_again(Probe& probe) {
    return create(probe, probe.topic(), ErrorCode::topic_already_exists);
}

Text create_nonsense(Probe& probe) {
    return create(probe, "no spaces", ErrorCode::invalid_topic_exception);
}

template <class Number>
void put(Bytes& to, Number number) {
    for (std::size_t i = sizeof number; i-- > 0;) {
        to.push_back(static_cast<std::byte>(number >> (8 * i) & 0xff));
    }
}

// A request of which only the header is known: no client id, no tags, nothing behind.
Bytes bare_request(std::int16_t key, std::int16_t version, std::int32_t correlation_id) {
    Bytes frame;
    put(frame, std::int32_t{11});
    put(frame, key);
    put(frame, version);
    put(frame, correlation_id);
    put(frame, std::int16_t{-1});
    put(frame, std::int8_t{0});
    return frame;
}

// KIP-511: the answer is one of version 0, with UNSUPPORTED_VERSION and the versions that are.
Text versions_of_the_future(Probe& probe) {
    constexpr std::int32_t id = 4711;
    const auto on = probe.connect();
    if (!on) return on.error();
    if (const auto sent = (*on)->send_raw(bare_request(18, 120, id)); !sent) return sent.error();
    const auto frame = (*on)->receive_raw();
    if (!frame) return frame.error();
    wire::Reader reader{*frame};
    const auto answered = reader.number<std::int32_t>();
    const ErrorCode code{reader.number<std::int16_t>()};
    if (reader.failed() || answered != id) return Error{Errc::corrupt, "the answer is malformed"};
    return judge(code, ErrorCode::unsupported_version);
}

Text ends_the_connection(Probe& probe, std::int16_t key, std::int16_t version) {
    const auto on = probe.connect();
    if (!on) return on.error();
    if (const auto sent = (*on)->send_raw(bare_request(key, version, 1)); !sent)
        return sent.error();
    const auto ended = (*on)->is_ended_by_broker();
    if (!ended) return ended.error();
    if (!*ended) return differs("the connection stays open");
    const auto next = probe.connect();
    if (!next) return next.error();
    return std::string{"the connection is closed, the next one served"};
}

Text unknown_version(Probe& probe) {
    return ends_the_connection(probe, 3, 30'000);
}

Text unknown_api(Probe& probe) {
    return ends_the_connection(probe, 30'000, 0);
}

}  // namespace

bool examine_offsets(Probe& probe) {
    const auto time = probe.time();
    const auto check = [&](const char* what, std::int64_t at, std::int64_t wanted) {
        return probe.check("offsets", what,
                           [&probe, at, wanted] { return lookup(probe, at, wanted); });
    };
    return check("beginning", earliest, 0) &&
           probe.check("offsets", "end", [&] { return lookup_end(probe); }) &&
           check("time of a record", time, 0) && check("time between records", time + 1, 1) &&
           check("time after the last", time + 1'000'000, -1);
}

bool examine_errors(Probe& probe, bool limited) {
    const auto check = [&](const char* what, Text (*act)(Probe&), bool essential = true) {
        return probe.check(
            "errors", what, [&probe, act] { return act(probe); }, essential);
    };
    return check("unknown topic", unknown_topic) && check("unknown partition", unknown_partition) &&
           check("offset that is not there", read_beyond_the_end) &&
           check("damaged batch", damaged) && (!limited || check("batch too large", too_large)) &&
           check("acks that are not", unknown_acks, false) &&
           check("topic that is there", create_again) &&
           check("name that is none", create_nonsense, false) &&
           check("ApiVersions from the future", versions_of_the_future) &&
           check("unknown version", unknown_version, false) &&
           check("unknown API", unknown_api, false);
}

}  // namespace leat::client
