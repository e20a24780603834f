// Clients that produce.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/wire/error_code.h"
#include "tests/simulation/client.h"

namespace leat::simulation {

struct ProducerPlan {
    int number = 0;
    TopicPartition to;
    int records = 200;
    std::int16_t acks = -1;
    sdk::Instant most_pause = std::chrono::milliseconds{60};
};

// As a careful client does it: up to five batches in flight, each sent again with its sequence
// until it is acknowledged, in order after anything went wrong.
class IdempotentProducer final : public Client {
public:
    IdempotentProducer(Environment environment, ProducerPlan plan);

    bool done() const { return made_ == plan_.records && unacknowledged_.empty(); }
    std::size_t waiting() const { return unacknowledged_.size(); }

private:
    struct Batch {
        std::vector<std::string> values;
        std::int32_t sequence = 0;
        sdk::Timestamp timestamp;
    };

    void ready() override;
    void get_id();
    void make_more();
    void send(const Batch& batch);
    void answered(std::optional<std::span<const std::byte>> body);
    void failed(wire::ErrorCode error, const std::string& message);
    void send_all_again();
    void begin_anew();

    const ProducerPlan plan_;
    std::int64_t id_ = -1;
    std::int16_t epoch_ = -1;
    std::int32_t next_sequence_ = 0;
    int made_ = 0;
    std::deque<Batch> unacknowledged_;
    std::size_t sent_ = 0;      // Of those, on this connection since the last trouble.
    bool trouble_ = false;      // Waits until nothing is in flight, then sends all again.
    bool needs_new_id_ = false;
    bool known_ = false;        // A batch under this id was acknowledged.
    bool making_ = false;
};

// Sends and forgets: acks 0, 1 or all, no second attempt.
class PlainProducer final : public Client {
public:
    PlainProducer(Environment environment, ProducerPlan plan);

    bool done() const { return made_ == plan_.records && in_flight() == 0; }

private:
    void ready() override;
    void make_more();

    const ProducerPlan plan_;
    int made_ = 0;
    bool making_ = false;
};

}  // namespace leat::simulation
