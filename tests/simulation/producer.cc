#include "tests/simulation/producer.h"

#include <utility>

#include "core/wire/batch_builder.h"
#include "core/wire/messages/init_producer_id.h"

namespace leat::simulation {

using std::chrono::milliseconds;
using wire::ErrorCode;

namespace {

constexpr std::size_t window = 5;
constexpr std::size_t remembered = 12;  // Of what was acknowledged.

// What is wrong with a connection, a partition or a broker, and may be right later.
bool retriable(ErrorCode error) {
    switch (error) {
        case ErrorCode::not_leader_or_follower:
        case ErrorCode::request_timed_out:
        case ErrorCode::not_enough_replicas:
        case ErrorCode::kafka_storage_error:
        case ErrorCode::leader_not_available:
            return true;
        default:
            return false;
    }
}

std::string code(ErrorCode error) {
    return std::string{wire::name_of(error)};
}

// Of the one partition that was asked for; nothing if the answer is not one.
std::optional<wire::ProduceResponse::Partition> answer_in(std::span<const std::byte> body,
                                                          wire::Version version) {
    auto response = wire::decode<wire::ProduceResponse>(body, version);
    if (!response || response->responses.size() != 1) return std::nullopt;
    auto& topic = response->responses[0];
    if (topic.partition_responses.size() != 1) return std::nullopt;
    return std::move(topic.partition_responses[0]);
}

}  // namespace

void Producer::produce(std::vector<std::byte> batch, PartitionAnswered answered) {
    wire::ProduceRequest produce{.acks = plan_.acks, .timeout_ms = 1500};
    wire::ProduceRequest::Topic topic{.name = plan_.to.first};
    topic.partition_data.push_back(
        {.index = plan_.to.second, .records = wire::WritableRecords{batch}});
    produce.topic_data.push_back(std::move(topic));
    const auto version = static_cast<wire::Version>(3 + random().below(9));
    if (plan_.acks == 0) return request_without_answer(produce, version);
    request(produce, version,
            [this, version, answered = std::move(answered)](
                std::optional<std::span<const std::byte>> body) mutable {
                if (!body) return answered(std::nullopt);
                auto answer = answer_in(*body, version);
                if (!answer) return checker().violated("a Produce answer is none");
                answered(std::move(answer));
            });
}

sdk::Timestamp Producer::next_timestamp() {
    constexpr std::uint64_t about_ms = 3000, some_days_ms = 3 * 86'400'000;
    const std::int64_t now = environment_.world.client_clock().value;
    if (random().chance(20)) return {now - static_cast<std::int64_t>(random().below(some_days_ms))};
    return {now - static_cast<std::int64_t>(random().below(about_ms))};
}

void Producer::taken(const Life& life, sdk::Instant since, const Answer& answer,
                     std::vector<SentRecord> sent) {
    const World& world = environment_.world;
    const sdk::Timestamp stamped{answer.log_append_time_ms};
    if (!life.rules.log_append_time) {
        if (stamped.value != -1) checker().violated("an append time where none is stamped");
        for (const SentRecord& record : sent) {
            // In the broker's future by more than it takes, all the while.
            if (life.rules.any_timestamp) break;
            const sdk::Timestamp limit{record.timestamp.value - 3'600'000};
            if (world.wall().was_not_before(limit, since, world.now())) continue;
            checker().violated("a timestamp of the future was taken");
        }
    } else {
        if (!world.wall().showed(stamped, since, world.now())) {
            checker().violated("an append time that the clock did not show: " +
                               std::to_string(stamped.value));
        }
        for (SentRecord& record : sent) record.timestamp = stamped;
    }
    checker().acknowledged(place_in(life), answer.base_offset, sent);
}

bool Producer::may_be_refused(const Life& life, sdk::Instant since, const Answer& answer,
                              const std::vector<SentRecord>& sent) {
    const ErrorCode error = answer.error_code;
    if (retriable(error)) return true;
    if (error == ErrorCode::unknown_topic_or_partition) {
        if (!life.live()) return true;
        checker().violated("a partition of " + life.label + " was said to be unknown");
        return false;
    }
    if (error == ErrorCode::invalid_timestamp && !life.rules.any_timestamp) {
        const World& world = environment_.world;
        for (const SentRecord& record : sent) {
            const sdk::Timestamp limit{record.timestamp.value - 3'600'000};
            if (world.wall().was_before(limit, since, world.now())) return true;
        }
    }
    checker().violated("a producer got " + code(error) + " " + answer.error_message.value_or(""));
    return false;
}

IdempotentProducer::IdempotentProducer(Environment environment, ProducerPlan plan)
    : Producer{environment, "i" + std::to_string(plan.number), plan} {}

void IdempotentProducer::ready() {
    trouble_ = true;
    // The broker may have lost all that this id ever sent, and so know it no more.
    if (life_ != nullptr && checker().lossy(place_in(*life_))) known_ = false;
    recover();
    if (!making_) make_more();
}

// After trouble, when nothing is in flight.
void IdempotentProducer::recover() {
    if (!trouble_ || !is_connected() || in_flight() > 0) return;
    const Life* life = living();
    if (life == nullptr) return later(milliseconds{50}, [this] { recover(); });
    if (life != life_) follow_topic(*life);
    (id_ < 0 || needs_new_id_) ? get_id() : send_all_again();
}

// The topic was made anew: what is not acknowledged stays with the old one, if it got there.
void IdempotentProducer::follow_topic(const Life& life) {
    for (const Batch& batch : unacknowledged_) checker().gave_up(batch.records);
    unacknowledged_.clear();
    acknowledged_.clear();
    needs_new_id_ = true;
    known_ = false;
    life_ = &life;
    checker().begins(place_in(life), plan_.number, made_);
}

void IdempotentProducer::get_id() {
    request(wire::InitProducerIdRequest{.transaction_timeout_ms = 60'000}, 4,
            [this](std::optional<std::span<const std::byte>> body) {
                if (!body) return;
                auto answer = wire::decode<wire::InitProducerIdResponse>(*body, 4);
                if (!answer) return checker().violated("an InitProducerId answer is none");
                if (answer->error_code != ErrorCode::none) {
                    note("no producer id: " + code(answer->error_code));
                    return later(milliseconds{200}, [this] { recover(); });
                }
                sdk::ensure(answer->producer_id != id_, "a new id is another one");
                id_ = answer->producer_id;
                epoch_ = answer->producer_epoch;
                begin_anew();
            });
}

// Under a new id the sequence begins at 0, with what is not acknowledged yet.
void IdempotentProducer::begin_anew() {
    needs_new_id_ = false;
    known_ = false;
    next_sequence_ = 0;
    acknowledged_.clear();
    for (Batch& batch : unacknowledged_) {
        batch.sequence = next_sequence_;
        next_sequence_ += static_cast<std::int32_t>(batch.records.size());
    }
    send_all_again();
}

void IdempotentProducer::send_all_again() {
    trouble_ = false;
    sent_ = 0;
    for (const Batch& batch : unacknowledged_) {
        send(batch);
        if (!known_) break;
    }
}

void IdempotentProducer::make_more() {
    making_ = made_ < plan_.records;
    if (!making_) return;
    later(random().between(milliseconds{1}, plan_.most_pause), [this] { make_more(); });
    if (!is_connected() || trouble_ || id_ < 0 || needs_new_id_) return;
    if (living() != life_) {
        trouble_ = true;
        return recover();
    }
    if (random().chance(40)) send_twice();
    // A broker takes any sequence of an id that it does not know, as Kafka does (KIP-360): were the
    // first batch refused and the second not, they would change places.
    if (!known_ && !unacknowledged_.empty()) return;
    if (unacknowledged_.size() >= window || sent_ < unacknowledged_.size()) return;
    unacknowledged_.push_back(make_batch());
    send(unacknowledged_.back());
}

IdempotentProducer::Batch IdempotentProducer::make_batch() {
    Batch batch{.sequence = next_sequence_, .first_sent = environment_.world.now()};
    const auto most = std::min<std::uint64_t>(3, static_cast<std::uint64_t>(plan_.records - made_));
    for (std::uint64_t left = 1 + random().below(most); left > 0; --left) {
        batch.records.push_back({record_value(true, plan_.number, made_++), next_timestamp()});
    }
    next_sequence_ += static_cast<std::int32_t>(batch.records.size());
    return batch;
}

std::vector<std::byte> IdempotentProducer::bytes_of(const Batch& batch) const {
    wire::BatchBuilder builder{
        {.producer_id = id_, .producer_epoch = epoch_, .base_sequence = batch.sequence}};
    for (const auto& record : batch.records) {
        builder.add({.value = record.value, .timestamp = record.timestamp});
    }
    return builder.build();
}

void IdempotentProducer::send(const Batch& batch) {
    ++sent_;
    produce(bytes_of(batch), [this, sent_in = life_](std::optional<Answer> answer) {
        if (answer) answered(*sent_in, std::move(answer));  // Else ready() sends all again.
    });
}

void IdempotentProducer::answered(const Life& sent_in, std::optional<Answer> answer) {
    if (answer->error_code != ErrorCode::none) {
        failed(sent_in, *answer);
    } else if (!sent_in.live()) {
        trouble_ = true;  // Whose answer is it?
    } else if (!trouble_) {
        acknowledged(*answer);
    }
    settle();
}

void IdempotentProducer::acknowledged(const Answer& answer) {
    Batch batch = std::move(unacknowledged_.front());
    unacknowledged_.pop_front();
    --sent_;
    note("acknowledged " + batch.records.front().value + ".. at " +
         std::to_string(answer.base_offset));
    taken(*life_, batch.first_sent, answer, batch.records);
    batch.offset = answer.base_offset;
    batch.append_time = answer.log_append_time_ms;
    acknowledged_.push_back(std::move(batch));
    if (acknowledged_.size() > remembered) acknowledged_.pop_front();
    if (!std::exchange(known_, true)) send_all_again();
}

void IdempotentProducer::settle() {
    if (!trouble_ || in_flight() > 0) return;
    later(random().between(milliseconds{20}, milliseconds{200}), [this] { recover(); });
}

void IdempotentProducer::failed(const Life& sent_in, const Answer& answer) {
    const ErrorCode error = answer.error_code;
    note("failed: " + code(error) + " " + answer.error_message.value_or(""));
    const bool first = !std::exchange(trouble_, true);
    if (error != ErrorCode::out_of_order_sequence_number) {
        const auto& front = unacknowledged_.front();
        std::vector<SentRecord> all;  // Of which one was refused.
        for (const Batch& batch : unacknowledged_) {
            all.insert(all.end(), batch.records.begin(), batch.records.end());
        }
        may_be_refused(sent_in, front.first_sent, answer, all);
        return;
    }
    if (!first || !sent_in.live()) return;  // One before it is missing: of course.
    if (!checker().lossy(place_in(sent_in))) {
        return checker().violated("records of " + sent_in.label +
                                  " are out of sequence, though "
                                  "none was lost: " +
                                  answer.error_message.value_or(""));
    }
    needs_new_id_ = true;
}

// A batch that was acknowledged already, once more: of the last five it is known by its sequence;
// of one before them only that its sequence is over.
void IdempotentProducer::send_twice() {
    if (acknowledged_.empty()) return;
    const std::size_t back = random().below(acknowledged_.size());
    const Batch& batch = acknowledged_[acknowledged_.size() - 1 - back];
    const bool in_window = back + unacknowledged_.size() < window;
    // Those behind it have to be in the log before it is sure to be out of the window.
    if (!in_window && back < window) return;
    note("sends " + batch.records.front().value + " again");
    produce(bytes_of(batch), [this, sent_in = life_, batch, in_window](auto answer) {
        answered_again(*sent_in, batch, in_window, answer);
        settle();
    });
}

void IdempotentProducer::answered_again(const Life& sent_in, const Batch& batch, bool in_window,
                                        const std::optional<Answer>& answer) {
    if (!answer || !sent_in.live()) return;
    const ErrorCode error = answer->error_code;
    // It may be lost, and then be taken again; or not, if the one before it is lost too.
    const bool lossy = checker().lossy(place_in(sent_in));
    if (error == ErrorCode::out_of_order_sequence_number && (lossy || !in_window)) return;
    if (error == ErrorCode::none && lossy) {
        return taken(sent_in, batch.first_sent, *answer, batch.records);
    }
    if (error != ErrorCode::none) {
        may_be_refused(sent_in, batch.first_sent, *answer, batch.records);
        return;
    }
    const bool same =
        answer->base_offset == batch.offset && answer->log_append_time_ms == batch.append_time;
    if (same && in_window) return;
    checker().violated(batch.records.front().value + ", sent twice, was taken at " +
                       std::to_string(batch.offset) + " and at " +
                       std::to_string(answer->base_offset));
}

PlainProducer::PlainProducer(Environment environment, ProducerPlan plan)
    : Producer{environment, "p" + std::to_string(plan.number), plan} {}

void PlainProducer::ready() {
    if (!making_) make_more();
}

void PlainProducer::make_more() {
    making_ = made_ < plan_.records;
    if (!making_) return;
    later(random().between(milliseconds{1}, plan_.most_pause), [this] { make_more(); });
    const Life* life = living();
    if (!is_connected() || in_flight() > 10 || life == nullptr) return;
    std::vector<SentRecord> sent{{record_value(false, plan_.number, made_++), next_timestamp()}};
    // Of all sizes.
    sent[0].value.append(random().below(random().chance(100) ? 3000 : 40), '.');
    wire::BatchBuilder builder;
    builder.add({.value = sent[0].value, .timestamp = sent[0].timestamp});
    produce(builder.build(),
            [this, sent, life, since = environment_.world.now()](std::optional<Answer> answer) {
                if (!answer) return;
                if (answer->error_code != ErrorCode::none) {
                    may_be_refused(*life, since, *answer, sent);
                } else if (life->live()) {
                    taken(*life, since, *answer, sent);
                }
            });
}

}  // namespace leat::simulation
