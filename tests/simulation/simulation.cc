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
      disk_{world_},
      wires_{world_},
      store_{seed},
      checker_{world_},
      machine_{world_, disk_, wires_, store_, {}} {
    store_.let_sessions_linger(outside_.at(0));
    plan_faults();
}

Simulation::~Simulation() {
    broker_.reset();
}

// Each seed has its own mixture, some with much of one thing and little of the rest.
void Simulation::plan_faults() {
    auto& random = world_.random();
    const auto some = [&random](int most) {
        return random.chance(400) ? 0 : static_cast<int>(random.below(static_cast<unsigned>(most)));
    };
    plan_ = {.kill = some(400),
             .crash = some(400),
             .stop = some(300),
             .cut = some(600),
             .slow_disk = some(400),
             .failing_disk = some(300),
             .store = some(200),
             .clock = some(200),
             .most_pause = random.between(milliseconds{100}, milliseconds{1500})};
}

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
    const Environment environment{world_, wires_, checker_, outside_.shard(0)};
    maker_ = std::make_unique<TopicMaker>(environment, "maker", topics);
    maker_->connect();
    churner_ = std::make_unique<TopicChurner>(environment, brief);
    churner_->connect();
}

void Simulation::start_clients() {
    const Environment environment{world_, wires_, checker_, outside_.shard(0)};
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
    asker_ = std::make_unique<OffsetAsker>(environment, disk_, partitions_);
    asker_->connect();
    for (auto& producer : idempotent_) producer->connect();
    for (auto& producer : plain_) producer->connect();
    for (auto& consumer : consumers_) consumer->connect();
}

void Simulation::next_fault() {
    const auto pause = world_.random().between(milliseconds{20}, plan_.most_pause);
    outside_.at(0).after(pause, [this] {
        if (!faults_on_) return;
        fault();
        next_fault();
    });
}

void Simulation::fault() {
    auto& random = world_.random();
    if (random.chance(plan_.cut)) wires_.cut_some(300);
    if (random.chance(plan_.slow_disk)) {
        world_.slowest_work = random.chance(500) ? milliseconds{600} : milliseconds{2};
        wires_.slowest = random.chance(500) ? milliseconds{80} : milliseconds{3};
    }
    if (random.chance(plan_.failing_disk)) disturb_disk();
    if (random.chance(plan_.store)) disturb_store();
    if (random.chance(plan_.clock)) set_wall_clock();
    if (!broker_) return;
    if (random.chance(plan_.stop)) return stop_broker();
    if (random.chance(plan_.kill)) return end_process(false);
    if (random.chance(plan_.crash)) return end_process(true);
}

void Simulation::disturb_disk() {
    auto& random = world_.random();
    disk_.faults = {};
    if (random.chance(400)) return;
    disk_.faults = {.no_space = static_cast<int>(random.below(300)),
                    .append_io = static_cast<int>(random.below(30)),
                    .flush_io = static_cast<int>(random.below(30)),
                    .open_io = static_cast<int>(random.below(100))};
}

void Simulation::disturb_store() {
    auto& random = world_.random();
    store_.set_faults({.conflict = static_cast<int>(random.below(50)),
                       .lost_committed = static_cast<int>(random.below(50)),
                       .lost_uncommitted = static_cast<int>(random.below(50)),
                       .session_loss = static_cast<int>(random.below(20)),
                       .resync = static_cast<int>(random.below(50)),
                       .repeat = static_cast<int>(random.below(50)),
                       .most_delay = milliseconds{random.below(20)}});
    if (!broker_ || !broker_->serving()) return;
    switch (random.below(4)) {
        case 0:
            return broker_->store_session().lose_session();
        case 1:
            return broker_->store_session().suspend();
        case 2:
            return broker_->store_session().resume();
        default:
            return;
    }
}

// By days or by moments, forward and back. The steady clock does not notice.
void Simulation::set_wall_clock() {
    constexpr std::int64_t day_ms = 86'400'000;
    auto& random = world_.random();
    const auto most = static_cast<std::uint64_t>(random.chance(500) ? 10 * day_ms : 2000);
    const auto by =
        static_cast<std::int64_t>(random.below(2 * most)) - static_cast<std::int64_t>(most);
    world_.wall().set_forward(world_.now(), by);
    world_.note("world", "sets the broker's wall clock by " + std::to_string(by) + " ms");
}

void Simulation::end_process(bool with_the_machine) {
    broker_->kill(with_the_machine);
    broker_.reset();
    checker_.lost(with_the_machine ? disk_.machine_crashed() : disk_.process_ended(),
                  with_the_machine);
    start_broker(milliseconds{1}, milliseconds{400});
}

void Simulation::stop_broker() {
    broker_->stop();
    // Looks now and then whether it has stopped, as a service manager does.
    struct Watch {
        static void look(Simulation& self, const BrokerProcess* process) {
            if (self.broker_.get() != process) return;
            if (process->stopped()) {
                self.broker_.reset();
                self.checker_.lost(self.disk_.process_ended(), false);
                return self.start_broker(milliseconds{1}, milliseconds{200});
            }
            self.outside_.at(0).after(milliseconds{5}, [&self, process] { look(self, process); });
        }
    };
    Watch::look(*this, broker_.get());
}

void Simulation::start_broker(sdk::Instant least, sdk::Instant most) {
    outside_.at(0).after(world_.random().between(least, most), [this] {
        if (broker_) return;
        ++restarts_;
        world_.note("broker", "starts");
        broker_ = std::make_unique<BrokerProcess>(machine_);
    });
}

void Simulation::calm_down() {
    world_.note("world", "is calm from now on");
    faults_on_ = false;
    disk_.faults = {};
    store_.set_faults({});
    world_.wall().set_right(world_.now());
    churner_->calm_down();
    world_.slowest_work = milliseconds{2};
    wires_.slowest = milliseconds{3};
    for (auto& consumer : consumers_) consumer->stop_seeking();
    // Logs that are offline stay so until a restart.
    if (broker_) end_process(false);
    const Environment environment{world_, wires_, checker_, outside_.shard(0)};
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
            return disk_.end(life.id, index).value;
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
    if (const StoredLog* log = disk_.log(life.id, where.second)) {
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
    start_broker({}, {});
    add_topics();
    if (run_until([this] { return maker_->done() && churner_->done(); }, seconds{20})) {
        start_clients();
        faults_on_ = true;
        next_fault();
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
            .restarts = restarts_,
            .virtual_seconds = static_cast<double>(world_.now().count()) / 1e9};
}

}  // namespace leat::simulation
