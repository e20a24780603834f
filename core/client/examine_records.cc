// Writing and reading: codecs, acks, every version, many requests at once, sequences.

#include <algorithm>

#include "core/client/probe.h"
#include "core/client/refusal.h"
#include "core/wire/messages/init_producer_id.h"
#include "core/wire/messages/list_offsets.h"
#include "core/wire/messages/metadata.h"
#include "core/wire/record_batch.h"

namespace leat::client {
namespace {

using sdk::Errc;
using sdk::Error;
using wire::ApiKey;
using wire::ErrorCode;
using Text = sdk::Result<std::string>;

Error fails(std::string what) {
    return {Errc::invalid_argument, std::move(what)};
}

// The offset at which a batch was written.
sdk::Result<std::int64_t> written(Probe& probe, Connection& on, Bytes batch,
                                  const Probe::Target& target = {}) {
    const auto answer = probe.produce(on, std::move(batch), target);
    if (!answer) return answer.error();
    if (answer->error_code != ErrorCode::none) {
        return fails("it is refused with " + code_text(answer->error_code));
    }
    return answer->base_offset;
}

// The first batch that is read from an offset.
sdk::Result<Bytes> read_batch(Probe& probe, Connection& on, std::int64_t offset,
                              wire::Version version = 12) {
    auto fetched = probe.fetch(on, offset, version);
    if (!fetched) return fetched.error();
    if (fetched->error != ErrorCode::none) {
        return fails("reading it is refused with " + code_text(fetched->error));
    }
    if (fetched->records.size() < wire::batch_header_bytes) return fails("nothing is read");
    const wire::BatchView batch{fetched->records};
    if (batch.magic() != wire::batch_magic) return fails("it is read in an older format");
    if (!batch.is_whole() || !batch.crc_matches()) return fails("it is read damaged");
    fetched->records.resize(batch.size());
    return std::move(fetched->records);
}

sdk::Result<Bytes> plain_records(const Bytes& bytes) {
    const wire::BatchView batch{bytes};
    const auto codec = compression::codec_of(batch.codec_id());
    if (!codec) return fails("it is read with an unknown codec");
    return compression::decompress(*codec, batch.records());
}

Text round_trip(Probe& probe, compression::Codec codec) {
    const auto on = probe.connect();
    if (!on) return on.error();
    const Bytes wrote = probe_batch(probe.time(), codec);
    const auto offset = written(probe, **on, wrote);
    if (!offset) return offset.error();
    const auto read = read_batch(probe, **on, *offset);
    if (!read) return read.error();
    const auto before = plain_records(wrote);
    const auto after = plain_records(*read);
    if (!before) return before.error();
    if (!after) return after.error();
    if (*before != *after) return fails("what is read is not what was written");
    if (wire::BatchView{*read}.codec_id() != static_cast<int>(codec)) {
        return differs("it is kept with another codec");
    }
    return std::string{};
}

Text leader_acks(Probe& probe) {
    const auto on = probe.connect();
    if (!on) return on.error();
    const auto offset = written(probe, **on, probe_batch(probe.time()), {.acks = 1});
    if (!offset) return offset.error();
    const auto read = read_batch(probe, **on, *offset);
    return read ? Text{""} : read.error();
}

// Nothing comes back but the answer to the next request, and the records are there.
Text no_acks(Probe& probe) {
    const auto on = probe.connect();
    if (!on) return on.error();
    const auto before = written(probe, **on, probe_batch(probe.time()));
    if (!before) return before.error();
    const auto sent = probe.produce(**on, probe_batch(probe.time()), {.acks = 0});
    if (!sent) return sent.error();
    const auto after = written(probe, **on, probe_batch(probe.time()));
    if (!after) return after.error();
    if (*after != *before + 2 * records_in_batch) return fails("the records are not there");
    return std::string{};
}

Text read_from_the_middle(Probe& probe) {
    const auto on = probe.connect();
    if (!on) return on.error();
    const auto offset = written(probe, **on, probe_batch(probe.time()));
    if (!offset) return offset.error();
    const auto read = read_batch(probe, **on, *offset + 1);
    if (!read) return read.error();
    const wire::BatchView batch{*read};
    if (batch.base_offset().value > *offset + 1 || batch.last_offset().value < *offset + 1) {
        return fails("the batch that is read does not hold the offset");
    }
    return std::string{};
}

Text read_at_the_end(Probe& probe) {
    const auto on = probe.connect();
    if (!on) return on.error();
    const auto offset = written(probe, **on, probe_batch(probe.time()));
    if (!offset) return offset.error();
    const auto fetched = probe.fetch(**on, *offset + records_in_batch);
    if (!fetched) return fetched.error();
    if (fetched->error != ErrorCode::none) {
        return fails("it is refused with " + code_text(fetched->error));
    }
    return fetched->records.empty() ? Text{""} : fails("records are read where none are");
}

// Both sides' versions of an API, from `oldest` on, each tried.
template <class Try>
Text each_version(Probe& probe, const wire::MessageTraits& request, wire::Version oldest,
                  Try attempt) {
    const auto* served = probe.served(request.key);
    if (served == nullptr) return fails("it is not served");
    const auto first = std::max({oldest, request.versions.min, served->oldest});
    const auto last = std::min(request.versions.max, served->newest);
    if (first > last) return fails("no version that clients since Kafka 0.11 use is served");
    for (int version = first; version <= last; ++version) {
        const auto on = probe.connect();
        if (!on) return on.error();
        const Text tried = attempt(**on, static_cast<wire::Version>(version));
        if (tried) continue;
        if (tried.error().code == Errc::closed) return tried;
        return Error{tried.error().code,
                     "version " + std::to_string(version) + ": " + tried.error().what};
    }
    return "versions " + std::to_string(first) + " to " + std::to_string(last);
}

bool has_place(const Probe& probe, wire::Version version) {
    return version < 13 || probe.has_id();  // Topics are named by id from there on.
}

Text every_produce(Probe& probe) {
    return each_version(
        probe, wire::ProduceRequest::traits, 3, [&](Connection& on, wire::Version version) -> Text {
            if (!has_place(probe, version)) return fails("the topic has no id");
            const auto offset = written(probe, on, probe_batch(probe.time()), {.version = version});
            return offset ? Text{""} : offset.error();
        });
}

Text every_fetch(Probe& probe) {
    return each_version(probe, wire::FetchRequest::traits, 4,
                        [&](Connection& on, wire::Version version) -> Text {
                            if (!has_place(probe, version)) return fails("the topic has no id");
                            const auto read = read_batch(probe, on, 0, version);
                            return read ? Text{""} : read.error();
                        });
}

Text every_metadata(Probe& probe) {
    return each_version(probe, wire::MetadataRequest::traits, 0,
                        [&](Connection& on, wire::Version version) -> Text {
                            wire::MetadataRequest request;
                            request.topics.emplace().push_back({.name = probe.topic()});
                            const auto response = on.call<wire::MetadataResponse>(request, version);
                            if (!response) return response.error();
                            if (response->topics.size() != 1 ||
                                response->topics[0].name != probe.topic() ||
                                response->topics[0].partitions.size() != 1) {
                                return fails("it does not say the one partition of the topic");
                            }
                            return std::string{};
                        });
}

const wire::ProduceResponse::Partition* only_answer(const wire::ProduceResponse& response) {
    const auto& topics = response.responses;
    const bool one = topics.size() == 1 && topics[0].partition_responses.size() == 1;
    return one ? topics[0].partition_responses.data() : nullptr;
}

// Twenty produce requests, and the answers only then.
Text pipelining(Probe& probe) {
    constexpr int together = 20;
    const auto on = probe.connect();
    if (!on) return on.error();
    std::vector<Connection::Sent> sent;
    for (int i = 0; i < together; ++i) {
        Bytes batch = probe_batch(probe.time());
        const auto one = (*on)->send(probe.produce_request(batch, {}), Probe::Target{}.version);
        if (!one) return one.error();
        sent.push_back(*one);
    }
    std::int64_t next = -1;
    for (const auto& each : sent) {
        const auto response = (*on)->receive<wire::ProduceResponse>(each);
        if (!response) return response.error();
        const auto* answer = only_answer(*response);
        if (answer == nullptr) return fails("an answer is about something else");
        if (answer->error_code != ErrorCode::none) {
            return fails("one is refused with " + code_text(answer->error_code));
        }
        if (next >= 0 && answer->base_offset != next) return fails("they are written out of order");
        next = answer->base_offset + records_in_batch;
    }
    return std::to_string(together) + " at once, answered in order";
}

Text mixed_requests(Probe& probe) {
    const auto on = probe.connect();
    if (!on) return on.error();
    Bytes batch = probe_batch(probe.time());
    wire::ListOffsetsRequest offsets{.replica_id = -1};
    offsets.topics.push_back({.name = probe.topic()});
    offsets.topics[0].partitions.push_back({.timestamp = -1});
    const auto first = (*on)->send(wire::MetadataRequest{});
    const auto second = (*on)->send(probe.produce_request(batch, {}), Probe::Target{}.version);
    const auto third = (*on)->send(offsets);
    for (const auto* each : {&first, &second, &third}) {
        if (!*each) return each->error();
    }
    if (const auto got = (*on)->receive<wire::MetadataResponse>(*first); !got) return got.error();
    const auto wrote = (*on)->receive<wire::ProduceResponse>(*second);
    if (!wrote) return wrote.error();
    const auto listed = (*on)->receive<wire::ListOffsetsResponse>(*third);
    if (!listed) return listed.error();
    const auto* answer = only_answer(*wrote);
    if (answer == nullptr || listed->topics.size() != 1 ||
        listed->topics[0].partitions.size() != 1) {
        return fails("an answer is about something else");
    }
    const auto base = answer->base_offset;
    // What the third says holds after the second was done.
    const auto end = listed->topics[0].partitions[0].offset;
    return end >= base + records_in_batch ? Text{""}
                                          : fails("a later request is answered before an earlier");
}

Text sequences(Probe& probe) {
    const auto on = probe.connect();
    if (!on) return on.error();
    using Made = sdk::Result<wire::InitProducerIdResponse>;
    const auto made = probe.cluster().persist([&]() -> Made {
        auto answer = (*on)->call<wire::InitProducerIdResponse>(wire::InitProducerIdRequest{});
        if (!answer) {
            const bool lost = answer.error().code == Errc::unavailable;
            return lost ? fails(answer.error().what) : answer.error();
        }
        if (answer->error_code == ErrorCode::none) return answer;
        return refused("no producer id", answer->error_code);
    });
    if (!made) return made.error();
    const auto batch = [&](std::int32_t sequence) {
        return probe_batch(probe.time(), compression::Codec::none,
                           {.producer_id = made->producer_id,
                            .producer_epoch = made->producer_epoch,
                            .base_sequence = sequence});
    };
    const auto first = written(probe, **on, batch(0));
    if (!first) return first.error();
    const auto again = probe.produce(**on, batch(0));
    if (!again) return again.error();
    const bool known = again->error_code == ErrorCode::none && again->base_offset == *first;
    if (!known && again->error_code != ErrorCode::duplicate_sequence_number) {
        return fails("a batch that is sent again is written again");
    }
    const auto gap = probe.produce(**on, batch(1000));
    if (!gap) return gap.error();
    if (gap->error_code != ErrorCode::out_of_order_sequence_number) {
        return differs("a gap in the sequence is answered with " + code_text(gap->error_code));
    }
    return std::string{};
}

}  // namespace

bool examine_records(Probe& probe) {
    for (int id = 0; id <= 4; ++id) {
        const auto codec = static_cast<compression::Codec>(id);
        if (!probe.check("codecs", std::string{compression::name_of(codec)},
                         [&] { return round_trip(probe, codec); })) {
            return false;
        }
    }
    const auto check = [&](const char* area, const char* what, Text (*act)(Probe&)) {
        return probe.check(area, what, [&probe, act] { return act(probe); });
    };
    return check("versions", "Produce", every_produce) && check("versions", "Fetch", every_fetch) &&
           check("versions", "Metadata", every_metadata) &&
           check("records", "acks=1", leader_acks) && check("records", "acks=0", no_acks) &&
           check("records", "read from the middle of a batch", read_from_the_middle) &&
           check("records", "read at the end", read_at_the_end) &&
           (!probe.serves(ApiKey::init_producer_id) ||
            check("records", "idempotent producer", sequences)) &&
           check("requests", "pipelined", pipelining) &&
           check("requests", "pipelined, of several kinds", mixed_requests);
}

}  // namespace leat::client
