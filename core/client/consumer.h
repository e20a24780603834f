// Reads records of one topic from offsets that are given, without a group: asks the leaders of the
// partitions in turn and hands out what came, record by record, once a batch's checksum is right.
// Control batches (the marks of transactions) are passed over; records of transactions that are
// open or were aborted are handed out, as `isolation.level=read_uncommitted` has it. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/client/cluster.h"
#include "core/wire/messages/fetch.h"
#include "core/wire/record_batch.h"
#include "core/wire/record_reader.h"
#include "leat/sdk/function.h"

namespace leat::client {

// Views into the answer; good until the call that hands it out returns.
struct IncomingRecord {
    std::int32_t partition = 0;
    std::int64_t offset = 0;
    std::int64_t timestamp = -1;  // Milliseconds since 1970, the producer's or, where the topic has
                                  // it so, the broker's; -1: none.
    wire::Record record;
};

struct ConsumerOptions {
    std::chrono::milliseconds wait{500};  // How long a broker may hold an answer back for records.
    std::int32_t partition_bytes = 1024 * 1024;
    std::int32_t answer_bytes = 16 * 1024 * 1024;
};

class Consumer {
public:
    // Returns whether to go on.
    using Take = sdk::Function<bool(const IncomingRecord&)>;

    // The cluster is borrowed, and knows the partitions of the topic.
    Consumer(Cluster& cluster, std::string topic, ConsumerOptions options = {})
        : cluster_{cluster}, topic_{std::move(topic)}, options_{options} {}

    // Reads the partition from `offset` on. With an `end`: nothing from there on, and the partition
    // is done when that is reached or the log ends before it (an end that compaction took away).
    void assign(std::int32_t partition, std::int64_t offset,
                std::optional<std::int64_t> end = std::nullopt);
    bool done() const { return positions_.empty(); }  // All partitions with an `end` are.

    // One round over the leaders; false when `take` said so. No records within `wait` is fine. What
    // can be repeated is, as Cluster::persist() says, from the next record on. Errc::out_of_range
    // for an offset that is not there, Errc::corrupt for a damaged batch.
    sdk::Result<bool> poll(Take& take);

    // Records that retention or DeleteRecords took away before they were read.
    struct Skipped {
        std::int32_t partition;
        std::int64_t from;
        std::int64_t to;
    };
    std::vector<Skipped> take_skipped() { return std::exchange(skipped_, {}); }

private:
    struct Position {
        std::int64_t offset = 0;
        std::optional<std::int64_t> end;
        bool started = false;  // A record or an empty answer has shown that the offset is right.
    };
    using Positions = std::map<std::int32_t, Position>;

    sdk::Result<bool> round(Take& take);
    sdk::Result<bool> fetch_from(Connection& leader, std::span<const std::int32_t> partitions,
                                 Take& take);
    sdk::Result<bool> take_partition(const wire::FetchResponse::Partition& answer, Take& take);
    sdk::Result<bool> take_batch(const wire::BatchView& batch, std::int32_t partition,
                                 Position& position, Take& take);
    sdk::Status out_of_range(std::int32_t partition, Position& position);
    std::string name_of(std::int32_t partition) const;

    Cluster& cluster_;
    std::string topic_;
    ConsumerOptions options_;
    Positions positions_;
    std::int32_t first_ = 0;  // Where the next round begins: a broker serves in our order.
    std::vector<Skipped> skipped_;
};

}  // namespace leat::client
