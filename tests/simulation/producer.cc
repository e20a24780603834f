#include "tests/simulation/producer.h"

#include <utility>

#include "core/wire/batch_builder.h"
#include "core/wire/messages/init_producer_id.h"
#include "core/wire/messages/produce.h"

namespace leat::simulation {

using std::chrono::milliseconds;
using wire::ErrorCode;

namespace {

constexpr wire::Version produce_version = 9;
constexpr std::size_t window = 5;

wire::ProduceRequest produce_request(const ProducerPlan& plan, std::vector<std::byte>& batch) {
    wire::ProduceRequest request{.acks = plan.acks, .timeout_ms = 1500};
    wire::ProduceRequest::Topic topic{.name = plan.to.first};
    topic.partition_data.push_back(
        {.index = plan.to.second, .records = wire::WritableRecords{batch}});
    request.topic_data.push_back(std::move(topic));
    return request;
}

// Of the one partition that was asked for; nothing if the answer is not one.
std::optional<wire::ProduceResponse::Partition> answer_in(std::span<const std::byte> body) {
    auto response = wire::decode<wire::ProduceResponse>(body, produce_version);
    if (!response || response->responses.size() != 1) return std::nullopt;
    auto& topic = response->responses[0];
    if (topic.partition_responses.size() != 1) return std::nullopt;
    return std::move(topic.partition_responses[0]);
}

bool retriable(ErrorCode error) {
    switch (error) {
        case ErrorCode::not_leader_or_follower:
        case ErrorCode::request_timed_out:
        case ErrorCode::not_enough_replicas:
        case ErrorCode::kafka_storage_error:
        case ErrorCode::unknown_topic_or_partition:
        case ErrorCode::leader_not_available: return true;
        default: return false;
    }
}

std::string code(ErrorCode error) { return std::string{wire::name_of(error)}; }

}  // namespace

IdempotentProducer::IdempotentProducer(Environment environment, ProducerPlan plan)
    : Client{environment, "i" + std::to_string(plan.number)}, plan_{std::move(plan)} {}

void IdempotentProducer::ready() {
    sent_ = 0;
    trouble_ = false;
    // The broker may have lost all that this id ever sent, and so know it no more.
    if (checker().lossy(plan_.to)) known_ = false;
    if (id_ < 0 || needs_new_id_) return get_id();
    send_all_again();
}

void IdempotentProducer::get_id() {
    request(wire::InitProducerIdRequest{.transaction_timeout_ms = 60'000}, 4,
            [this](std::optional<std::span<const std::byte>> body) {
                if (!body) return;
                auto answer = wire::decode<wire::InitProducerIdResponse>(*body, 4);
                if (!answer) return checker().violated("an InitProducerId answer is none");
                if (answer->error_code != ErrorCode::none) {
                    note("no producer id: " + code(answer->error_code));
                    return later(milliseconds{200}, [this] {
                        if (is_connected() && in_flight() == 0) get_id();
                    });
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
    for (Batch& batch : unacknowledged_) {
        batch.sequence = next_sequence_;
        next_sequence_ += static_cast<std::int32_t>(batch.values.size());
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
    if (!making_) make_more();
}

void IdempotentProducer::make_more() {
    making_ = made_ < plan_.records;
    if (!making_) return;
    later(random().between(milliseconds{1}, plan_.most_pause), [this] { make_more(); });
    if (!is_connected() || trouble_ || id_ < 0 || needs_new_id_) return;
    // A broker takes any sequence of an id that it does not know, as Kafka does (KIP-360): were the
    // first batch refused and the second not, they would change places.
    if (!known_ && !unacknowledged_.empty()) return;
    if (unacknowledged_.size() >= window || sent_ < unacknowledged_.size()) return;
    Batch batch{.sequence = next_sequence_, .timestamp = environment_.world.wall_clock()};
    const auto most = std::min<std::uint64_t>(3, static_cast<std::uint64_t>(plan_.records - made_));
    for (std::uint64_t left = 1 + random().below(most); left > 0; --left) {
        batch.values.push_back(record_value(true, plan_.number, made_++));
    }
    next_sequence_ += static_cast<std::int32_t>(batch.values.size());
    unacknowledged_.push_back(std::move(batch));
    send(unacknowledged_.back());
}

void IdempotentProducer::send(const Batch& batch) {
    wire::BatchBuilder builder{{.producer_id = id_,
                                .producer_epoch = epoch_,
                                .base_sequence = batch.sequence}};
    for (const auto& value : batch.values) {
        builder.add({.value = value, .timestamp = batch.timestamp});
    }
    auto bytes = builder.build();
    ++sent_;
    request(produce_request(plan_, bytes), produce_version,
            [this](std::optional<std::span<const std::byte>> body) { answered(body); });
}

void IdempotentProducer::answered(std::optional<std::span<const std::byte>> body) {
    if (!body) return;  // ready() sends all again.
    const auto answer = answer_in(*body);
    if (!answer) return checker().violated("a Produce answer is none");
    if (answer->error_code != ErrorCode::none) {
        failed(answer->error_code, answer->error_message.value_or(""));
    } else if (!trouble_) {
        const Batch batch = std::move(unacknowledged_.front());
        unacknowledged_.pop_front();
        --sent_;
        note("acknowledged " + batch.values.front() + ".. at " +
             std::to_string(answer->base_offset));
        checker().acknowledged(plan_.to, answer->base_offset, batch.values);
        if (!std::exchange(known_, true)) send_all_again();
    }
    if (!trouble_ || in_flight() > 0) return;
    later(random().between(milliseconds{20}, milliseconds{200}), [this] {
        if (!trouble_ || !is_connected() || in_flight() > 0) return;
        needs_new_id_ ? get_id() : send_all_again();
    });
}

void IdempotentProducer::failed(ErrorCode error, const std::string& message) {
    note("failed: " + code(error) + " " + message);
    const bool first = !std::exchange(trouble_, true);
    if (retriable(error)) return;
    if (error != ErrorCode::out_of_order_sequence_number) {
        return checker().violated("an idempotent producer got " + code(error));
    }
    if (!first) return;  // One before it is missing: of course.
    if (!checker().lossy(plan_.to)) {
        return checker().violated("records of " + plan_.to.first + " are out of sequence, though "
                                  "none was lost: " + message);
    }
    needs_new_id_ = true;
}

PlainProducer::PlainProducer(Environment environment, ProducerPlan plan)
    : Client{environment, "p" + std::to_string(plan.number)}, plan_{std::move(plan)} {}

void PlainProducer::ready() {
    if (!making_) make_more();
}

void PlainProducer::make_more() {
    making_ = made_ < plan_.records;
    if (!making_) return;
    later(random().between(milliseconds{1}, plan_.most_pause), [this] { make_more(); });
    if (!is_connected() || in_flight() > 10) return;
    wire::BatchBuilder builder;
    std::vector<std::string> values{record_value(false, plan_.number, made_++)};
    // Of all sizes.
    values[0].append(random().below(random().chance(100) ? 3000 : 40), '.');
    builder.add({.value = values[0], .timestamp = environment_.world.wall_clock()});
    auto bytes = builder.build();
    auto produce = produce_request(plan_, bytes);
    if (plan_.acks == 0) return request_without_answer(produce, produce_version);
    using Body = std::optional<std::span<const std::byte>>;
    request(produce, produce_version, [this, values](Body body) {
        if (!body) return;
        const auto answer = answer_in(*body);
        if (!answer) return checker().violated("a Produce answer is none");
        if (answer->error_code == ErrorCode::none) {
            checker().acknowledged(plan_.to, answer->base_offset, values);
        } else if (!retriable(answer->error_code)) {
            checker().violated("a producer got " + code(answer->error_code));
        }
    });
}

}  // namespace leat::simulation
