// Clients that produce.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/wire/error_code.h"
#include "core/wire/messages/produce.h"
#include "tests/simulation/client.h"

namespace leat::simulation {

struct ProducerPlan {
    int number = 0;
    TopicPartition to;
    int records = 200;
    std::int16_t acks = -1;
    sdk::Instant most_pause = std::chrono::milliseconds{60};
};

// What both kinds of producer know about one partition of one topic.
class Producer : public Client {
public:
    Producer(Environment environment, std::string name, ProducerPlan plan)
        : Client{environment, std::move(name)}, plan_{std::move(plan)} {}

protected:
    using Answer = wire::ProduceResponse::Partition;
    using PartitionAnswered = sdk::Function<void(std::optional<Answer>)>;

    // In any version of Produce. `answered` gets nothing if the connection was lost.
    void produce(std::vector<std::byte> batch, PartitionAnswered answered);
    // The timestamp of the next record: about now, now and then of another day.
    sdk::Timestamp next_timestamp();
    const Life* living() const { return checker().lives().living(plan_.to.first); }
    Place place_in(const Life& life) const { return {life.label, plan_.to.second}; }

    // A batch that was first sent at `since` was taken: with the timestamps that it got there.
    void taken(const Life& life, sdk::Instant since, const Answer& answer,
               std::vector<SentRecord> sent);
    // May a batch that was sent at `since` in this life be answered so? If not, that is violated.
    bool may_be_refused(const Life& life, sdk::Instant since, const Answer& answer,
                        const std::vector<SentRecord>& sent);

    const ProducerPlan plan_;
};

// As a careful client does it: up to five batches in flight, each sent again with its sequence
// until it is acknowledged, in order after anything went wrong. It also sends again what was
// acknowledged long ago, as a network does that delivers twice.
class IdempotentProducer final : public Producer {
public:
    IdempotentProducer(Environment environment, ProducerPlan plan);

    bool done() const { return made_ == plan_.records && unacknowledged_.empty(); }
    std::size_t waiting() const { return unacknowledged_.size(); }

private:
    struct Batch {
        std::vector<SentRecord> records;
        std::int32_t sequence = 0;
        sdk::Instant first_sent{0};
        std::int64_t offset = -1;  // Once acknowledged.
        std::int64_t append_time = -1;
    };

    void ready() override;
    void get_id();
    void make_more();
    Batch make_batch();
    void send(const Batch& batch);
    std::vector<std::byte> bytes_of(const Batch& batch) const;
    void answered(const Life& sent_in, std::optional<Answer> answer);
    void failed(const Life& sent_in, const Answer& answer);
    void acknowledged(const Answer& answer);
    void settle();
    void recover();
    void send_all_again();
    void begin_anew();
    void follow_topic(const Life& life);
    void send_twice();
    void answered_again(const Life& sent_in, const Batch& batch, bool in_window,
                        const std::optional<Answer>& answer);

    const Life* life_ = nullptr;  // Of the topic: all that is unacknowledged was sent in it.
    std::int64_t id_ = -1;
    std::int16_t epoch_ = -1;
    std::int32_t next_sequence_ = 0;
    int made_ = 0;
    std::deque<Batch> unacknowledged_;
    std::deque<Batch> acknowledged_;  // The latest few of this id.
    std::size_t sent_ = 0;            // Of those, on this connection since the last trouble.
    bool trouble_ = false;            // Waits until nothing is in flight, then sends all again.
    bool needs_new_id_ = false;
    bool known_ = false;  // A batch under this id was acknowledged.
    bool making_ = false;
};

// Sends and forgets: acks 0, 1 or all, no second attempt.
class PlainProducer final : public Producer {
public:
    PlainProducer(Environment environment, ProducerPlan plan);

    bool done() const { return made_ == plan_.records && in_flight() == 0; }

private:
    void ready() override;
    void make_more();

    int made_ = 0;
    bool making_ = false;
};

}  // namespace leat::simulation
