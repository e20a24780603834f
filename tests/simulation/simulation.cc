#include "tests/simulation/simulation.h"

#include <algorithm>
#include <utility>

namespace leat::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr sdk::Instant under_faults = seconds{7};
constexpr sdk::Instant to_come_to_the_end = seconds{40};
constexpr std::int32_t partitions_per_topic = 2;

}  // namespace

RunResult run(std::uint64_t seed, bool readable) {
    return Simulation{seed, readable}.run();
}

Simulation::Simulation(std::uint64_t seed, bool readable)
    : seed_{seed},
      trace_{readable},
      world_{seed, trace_},
      outside_{world_, 1},
      checker_{world_},
      broker_{world_, outside_, seed, {}, [this](const std::vector<Loss>& losses, bool machine) {
                  checker_.lost(losses, machine);
              }} {}

Simulation::~Simulation() = default;

void Simulation::add_topics() {
    // Clients have clocks of their own: only "none" takes no timestamp far ahead of the broker's.
    const std::pair<std::string, std::string> any{"message.timestamp.after.max.ms",
                                                  "9223372036854775807"};
    const std::vector<TopicPlan> topics{
        {"each", partitions_per_topic, {{"flush.messages", "1"}, any}},
        {"none", partitions_per_topic, {}},
        {"stamped",
         partitions_per_topic,
         {{"message.timestamp.type", "LogAppendTime"}, {"flush.ms", "0"}, any}},
        {"timed", partitions_per_topic, {{"flush.ms", "150"}, any}}};
    const TopicPlan brief{"brief", partitions_per_topic, {{"flush.messages", "1"}, any}};
    using Kind = broker::FlushPromise::Kind;
    TopicLives& lives = checker_.lives();
    lives.add("each", {.promise = {.kind = Kind::each}});
    lives.add("none", {.promise = {.kind = Kind::none}, .any_timestamp = false});
    lives.add("stamped", {.promise = {.kind = Kind::each}, .log_append_time = true});
    lives.add("timed", {.promise = {.kind = Kind::interval, .interval = milliseconds{150}}});
    lives.add("brief", {.promise = {.kind = Kind::each}});
    const auto add = [this](const TopicPlan& topic) {
        for (std::int32_t i = 0; i < topic.partitions; ++i) partitions_.push_back({topic.name, i});
    };
    std::ranges::for_each(topics, add);
    lasting_ = partitions_.size();
    add(brief);
    const Environment environment{world_, broker_.wires(), checker_, outside_.shard(0)};
    maker_ = std::make_unique<TopicMaker>(environment, "maker", topics);
    maker_->connect();
    churner_ = std::make_unique<TopicChurner>(environment, brief);
    churner_->connect();
}

void Simulation::start_clients() {
    const Environment environment{world_, broker_.wires(), checker_, outside_.shard(0)};
    auto& random = world_.random();
    int number = 0;
    for (const TopicPartition& where : partitions_) {
        if (random.chance(750)) {
            idempotent_.push_back(std::make_unique<IdempotentProducer>(
                environment, ProducerPlan{.number = ++number, .to = where, .records = 150}));
        }
        if (random.chance(500)) continue;
        const auto acks = static_cast<std::int16_t>(static_cast<int>(random.below(3)) - 1);
        plain_.push_back(std::make_unique<PlainProducer>(
            environment,
            ProducerPlan{.number = ++number, .to = where, .records = 80, .acks = acks}));
    }
    for (int i = 0; i < 3; ++i) {
        ConsumerPlan plan{
            .name = "c" + std::to_string(i), .seeks = i == 0 ? 0 : 30, .ghosts = i == 0 ? 0 : 30};
        // One of them would wait for ever, if nobody woke it. A topic that it did not ask for, as
        // it was not there, does not.
        plan.longest_poll = i == 0 ? sdk::Instant{seconds{90}} : sdk::Instant{milliseconds{300}};
        const std::size_t most = i == 0 ? lasting_ : partitions_.size();
        for (std::size_t j = 0; j < most; ++j) {
            if (random.chance(600)) plan.from.push_back(partitions_[j]);
        }
        if (plan.from.empty()) plan.from.push_back(partitions_[0]);
        consumers_.push_back(std::make_unique<Consumer>(environment, std::move(plan)));
    }
    asker_ = std::make_unique<OffsetAsker>(environment, broker_.disk(), partitions_);
    asker_->connect();
    for (auto& producer : idempotent_) producer->connect();
    for (auto& producer : plain_) producer->connect();
    for (auto& consumer : consumers_) consumer->connect();
}

void Simulation::calm_down() {
    churner_->calm_down();
    for (auto& consumer : consumers_) consumer->stop_seeking();
    broker_.end_faults();
    const Environment environment{world_, broker_.wires(), checker_, outside_.shard(0)};
    verifier_ = std::make_unique<Consumer>(environment,
                                           ConsumerPlan{.name = "verifier", .from = partitions_});
    verifier_->connect();
}

template <class Condition>
bool Simulation::run_until(Condition condition, sdk::Instant within) {
    const sdk::Instant until = world_.now() + within;
    while (!checker_.violation() && world_.now() < until) {
        if (condition()) return true;
        if (!world_.step()) return false;
    }
    return false;
}

bool Simulation::everything_read() const {
    const auto at_end = [this](const auto& consumer) {
        return consumer->at_end([this](const Life& life, std::int32_t index) {
            return broker_.disk().end(life.id, index).value;
        });
    };
    const auto done = [](const auto& client) { return client->done(); };
    return done(churner_) && std::ranges::all_of(idempotent_, done) &&
           std::ranges::all_of(plain_, done) && std::ranges::all_of(consumers_, at_end) &&
           at_end(verifier_);
}

std::string Simulation::unfinished() const {
    std::string who;
    if (!churner_->done()) who += " churner";
    for (const auto& producer : idempotent_) {
        if (!producer->done()) who += " an idempotent producer";
    }
    for (const auto& producer : plain_) {
        if (!producer->done()) who += " a producer";
    }
    return who;
}

void Simulation::compare_all() {
    for (const TopicPartition& where : partitions_) {
        const Life* life = checker_.lives().living(where.first);
        if (life != nullptr) compare(where, *life);
    }
}

void Simulation::compare(const TopicPartition& where, const Life& life) {
    std::vector<SeenRecord> stored;
    if (const StoredLog* log = broker_.disk().log(life.id, where.second)) {
        for (const StoredBatch& batch : log->batches) {
            std::ranges::move(records_in(*batch.bytes), std::back_inserter(stored));
        }
    }
    checker_.compare({life.label, where.second}, stored);
    if (verifier_->seen(where) != stored) {
        checker_.violated("what was read of " + life.label + " is not what is stored");
    }
}

RunResult Simulation::run() {
    broker_.start({}, {});
    add_topics();
    if (run_until([this] { return maker_->done() && churner_->done(); }, seconds{20})) {
        start_clients();
        broker_.begin_faults();
        run_until([] { return false; }, under_faults);
        if (!checker_.violation()) calm_down();
        int steps = 0;
        bool end = false;
        run_until([&] { return end = ++steps % 64 == 0 && everything_read(); }, to_come_to_the_end);
        if (end) {
            compare_all();
        } else if (!checker_.violation()) {
            checker_.violated("not everything came to its end:" + unfinished());
        }
    } else if (!checker_.violation()) {
        checker_.violated("topics cannot be made");
    }
    return {.seed = seed_,
            .trace = trace_.hash(),
            .violation = checker_.violation(),
            .records = checker_.told_records(),
            .offsets = asker_ ? asker_->compared() : 0,
            .topics = checker_.lives().all().size(),
            .restarts = broker_.starts(),
            .virtual_seconds = static_cast<double>(world_.now().count()) / 1e9};
}

}  // namespace leat::simulation
