// Writes records to one topic: keeps them until a batch is full or flush() is called, sends them to
// the leaders of their partitions and waits for the answers. A batch that is refused as too large
// is sent again in halves. What can be repeated is repeated as Cluster::persist() says; an answer
// that was lost on the way makes records appear twice, for nothing here is idempotent. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/client/cluster.h"
#include "core/compression/codec.h"
#include "core/wire/messages/produce.h"

namespace leat::client {

struct OutgoingRecord {
    std::optional<std::string> key;
    std::optional<std::string> value;
    std::vector<std::pair<std::string, std::optional<std::string>>> headers;
    std::int64_t timestamp = 0;  // Milliseconds since 1970.
};

struct ProducerOptions {
    compression::Codec codec = compression::Codec::none;
    std::int16_t acks = -1;                     // 0: no answer, 1: the leader's, -1: all in sync.
    std::size_t batch_bytes = 256 * 1024;       // Of one partition, before compression.
    std::size_t held_bytes = 16 * 1024 * 1024;  // Of all partitions.
};

class Producer {
public:
    // The cluster is borrowed.
    Producer(Cluster& cluster, std::string topic, ProducerOptions options)
        : cluster_{cluster}, topic_{std::move(topic)}, options_{options} {}

    // Finds the topic's partitions. A topic that is not there is made by a broker that does so for
    // producers. Before anything else.
    sdk::Status open();
    std::int32_t partitions() const;

    // Without a partition: the one of its key (partitioner.h), without a key one after the other,
    // changing with each flush. Errc::invalid_argument for a partition that is not there; then
    // nothing was kept. Other errors are those of flush().
    sdk::Status add(OutgoingRecord record, std::optional<std::int32_t> partition = std::nullopt);

    // Returns when all that was added is acknowledged. After an error nothing more is to be asked
    // of it but how far it came.
    sdk::Status flush();

    std::uint64_t acknowledged() const { return acknowledged_; }  // Records; with acks=0: sent.
    std::uint64_t unacknowledged() const { return unacknowledged_; }
    std::uint64_t bytes() const { return bytes_; }  // Keys and values of the acknowledged.

private:
    struct Pending {
        std::vector<OutgoingRecord> records;
        std::size_t bytes = 0;
        std::size_t most_records = SIZE_MAX;  // In one batch: fewer after one was too large.
    };
    struct Batch {
        std::int32_t partition;
        std::size_t count;
        std::vector<std::byte> bytes;
    };

    sdk::Status send_round();
    sdk::Status send_to(Connection& leader, std::span<const std::int32_t> partitions);
    sdk::Result<Batch> next_batch(std::int32_t partition);
    sdk::Status take_answer(const Batch& batch, const wire::ProduceResponse::Partition& answer);
    sdk::Status send_unanswered(Connection& leader, const wire::ProduceRequest& request,
                                std::span<const Batch> batches);
    void acknowledge(const Batch& batch);

    Cluster& cluster_;
    std::string topic_;
    ProducerOptions options_;
    std::map<std::int32_t, Pending> pending_;
    std::size_t held_bytes_ = 0;
    std::int32_t keyless_ = 0;  // The partition of records without a key, until the next flush.
    std::uint64_t acknowledged_ = 0;
    std::uint64_t unacknowledged_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace leat::client
