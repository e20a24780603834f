// What the checks of an examination are made of. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/client/cluster.h"
#include "core/client/examination.h"
#include "core/compression/codec.h"
#include "core/wire/batch_builder.h"
#include "core/wire/messages/fetch.h"
#include "core/wire/messages/produce.h"
#include "leat/sdk/uuid.h"

namespace leat::client {

using Bytes = std::vector<std::byte>;

// One partition of the topic of an examination.
class Probe {
public:
    // The largest batch that the topic takes, if the broker takes that config.
    static constexpr std::int32_t largest_batch = 100'000;

    // `time`: of the first record of every batch, milliseconds since 1970.
    Probe(Cluster& cluster, std::string topic, std::int64_t time, Examination& to)
        : cluster_{cluster}, topic_{std::move(topic)}, time_{time}, to_{to} {}

    // Once the topic is there.
    void set_id(sdk::Uuid id) { id_ = id; }
    bool has_id() const { return !id_.is_zero(); }
    std::int64_t time() const { return time_; }

    Cluster& cluster() { return cluster_; }
    const std::string& topic() const { return topic_; }
    bool serves(wire::ApiKey key) const;
    const ServedApi* served(wire::ApiKey key) const;

    // To the leader, anew.
    sdk::Result<std::unique_ptr<Connection>> connect();

    struct Target {
        std::string_view topic{};  // This one if empty.
        std::int32_t partition = 0;
        std::int16_t acks = -1;
        wire::Version version = 12;  // Or the highest below it that both know.
    };
    // What the broker says of the one batch. With acks=0: that it was sent.
    sdk::Result<wire::ProduceResponse::Partition> produce(Connection& on, Bytes batch,
                                                          const Target& target);
    sdk::Result<wire::ProduceResponse::Partition> produce(Connection& on, Bytes batch) {
        return produce(on, std::move(batch), Target{});
    }
    wire::ProduceRequest produce_request(Bytes& batch, const Target& target) const;

    struct Fetched {
        wire::ErrorCode error;
        Bytes records;
    };
    sdk::Result<Fetched> fetch(Connection& on, std::int64_t offset, wire::Version version = 12);

    // Runs a check: ok is "works" with what it returns as the detail, Errc::conflict "differs", any
    // other error "fails". False when the watch ended it: then nothing more is to be asked.
    using Check = sdk::Function<sdk::Result<std::string>()>;
    bool check(std::string area, std::string what, Check act, bool essential = true);
    void add(Finding finding) { to_.findings.push_back(std::move(finding)); }

private:
    Cluster& cluster_;
    std::string topic_;
    std::int64_t time_;
    sdk::Uuid id_;
    Examination& to_;
};

// Three records, a second apart: with key and headers, with empty fields, with nulls.
inline constexpr std::int32_t records_in_batch = 3;
inline constexpr std::int64_t between_records_ms = 1000;
Bytes probe_batch(std::int64_t time, compression::Codec codec = compression::Codec::none,
                  const wire::BatchFields& fields = {});

// Each returns false when the watch ended it.
bool examine_records(Probe& probe);
bool examine_offsets(Probe& probe);
bool examine_errors(Probe& probe, bool limited);  // Whether the topic has largest_batch.

// "NAME", or "error code N".
std::string code_text(wire::ErrorCode code);
sdk::Error differs(std::string what);

}  // namespace leat::client
