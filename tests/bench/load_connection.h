// One connection of the load generator: keeps so many copies of its request in flight, takes the
// answers, checks that they come in order and carry no error.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/net/descriptor.h"
#include "tests/bench/group_frames.h"
#include "tests/bench/kafka_frames.h"
#include "tests/bench/measure.h"

namespace leat::bench {

enum class Call { produce, fetch, fetch_session, api_versions, metadata, heartbeat, commit };

// Shared by all connections.
struct Totals {
    Histogram latency;
    std::uint64_t requests = 0;
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;  // Of batches, as they are on the wire.
    std::int64_t failures = 0;
    std::string first_failure;

    void fail(const std::string& why) {
        if (failures++ == 0) first_failure = why;
    }
};

struct LoadShape {
    Call call = Call::produce;
    std::int16_t acks = 1;
    int in_flight = 1;
    BatchShape batch;
    FetchShape fetch;
    SessionShape session;
    Membership member;  // Of this connection, which has joined.
};

class LoadConnection {
public:
    // Goes round the partitions `first`, `first + step` and so on below `count`.
    struct Partitions {
        std::int32_t first = 0;
        std::int32_t step = 1;
        std::int32_t count = 1;
    };
    LoadConnection(net::Descriptor socket, const LoadShape& shape, const std::string& topic,
                   const Partitions& partitions);

    int socket() const { return socket_.get(); }
    bool dead() const { return dead_; }
    // Sends as much as may be in flight; false when the socket takes no more.
    bool send(Totals& totals);
    void receive(Totals& totals);

private:
    Bytes request(std::int32_t partition, std::string_view batch) const;
    bool push();
    void answered(std::string_view answer, Totals& totals);
    void fetched_session(std::string_view answer, Totals& totals);
    void begin_round();

    net::Descriptor socket_;
    LoadShape shape_;
    Target target_;
    std::size_t frame_size_ = 0;
    std::size_t batch_size_ = 0;
    int frames_ = 1;  // In outgoing_, of one size: small ones go out together.
    int next_frame_ = 0;
    Bytes outgoing_;
    std::size_t at_ = 0;     // What of outgoing_ is sent,
    std::size_t until_ = 0;  // and until where it shall be.
    std::deque<std::int64_t> sent_at_;
    std::int32_t next_id_ = 0;
    std::int32_t expected_id_ = 0;
    Bytes incoming_;
    std::size_t have_ = 0;
    bool dead_ = false;
};

}  // namespace leat::bench
