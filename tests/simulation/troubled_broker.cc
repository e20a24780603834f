#include "tests/simulation/troubled_broker.h"

#include <utility>

namespace leat::simulation {

using std::chrono::milliseconds;

TroubledBroker::TroubledBroker(World& world, SimShards& outside, std::uint64_t seed,
                               BrokerSettings settings, Lost lost)
    : world_{world},
      outside_{outside},
      disk_{world},
      wires_{world},
      store_{seed},
      machine_{world, disk_, wires_, store_, std::move(settings), {}},
      lost_{std::move(lost)} {
    store_.let_sessions_linger(outside_.at(0));
    plan_faults();
}

TroubledBroker::~TroubledBroker() {
    process_.reset();
}

// Each seed has its own mixture, some with much of one thing and little of the rest.
void TroubledBroker::plan_faults() {
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

void TroubledBroker::next_fault() {
    const auto pause = world_.random().between(milliseconds{20}, plan_.most_pause);
    outside_.at(0).after(pause, [this] {
        if (!faults_on_) return;
        fault();
        next_fault();
    });
}

void TroubledBroker::fault() {
    auto& random = world_.random();
    if (random.chance(plan_.cut)) wires_.cut_some(300);
    if (random.chance(plan_.slow_disk)) {
        world_.slowest_work = random.chance(500) ? milliseconds{600} : milliseconds{2};
        wires_.slowest = random.chance(500) ? milliseconds{80} : milliseconds{3};
    }
    if (random.chance(plan_.failing_disk)) disturb_disk();
    if (random.chance(plan_.store)) disturb_store();
    if (random.chance(plan_.clock)) set_wall_clock();
    if (!process_) return;
    if (random.chance(plan_.stop)) return stop_broker();
    if (random.chance(plan_.kill)) return end_process(false);
    if (random.chance(plan_.crash)) return end_process(true);
}

void TroubledBroker::disturb_disk() {
    auto& random = world_.random();
    disk_.faults = {};
    if (random.chance(400)) return;
    disk_.faults = {.no_space = static_cast<int>(random.below(300)),
                    .append_io = static_cast<int>(random.below(30)),
                    .flush_io = static_cast<int>(random.below(30)),
                    .open_io = static_cast<int>(random.below(100))};
}

void TroubledBroker::disturb_store() {
    auto& random = world_.random();
    store_.set_faults({.conflict = static_cast<int>(random.below(50)),
                       .lost_committed = static_cast<int>(random.below(50)),
                       .lost_uncommitted = static_cast<int>(random.below(50)),
                       .session_loss = static_cast<int>(random.below(20)),
                       .resync = static_cast<int>(random.below(50)),
                       .repeat = static_cast<int>(random.below(50)),
                       .most_delay = milliseconds{random.below(20)}});
    if (!process_ || !process_->serving()) return;
    switch (random.below(4)) {
        case 0:
            return process_->store_session().lose_session();
        case 1:
            return process_->store_session().suspend();
        case 2:
            return process_->store_session().resume();
        default:
            return;
    }
}

// By days or by moments, forward and back. The steady clock does not notice.
void TroubledBroker::set_wall_clock() {
    constexpr std::int64_t day_ms = 86'400'000;
    auto& random = world_.random();
    const auto most = static_cast<std::uint64_t>(random.chance(500) ? 10 * day_ms : 2000);
    const auto by =
        static_cast<std::int64_t>(random.below(2 * most)) - static_cast<std::int64_t>(most);
    world_.wall().set_forward(world_.now(), by);
    world_.note("world", "sets the broker's wall clock by " + std::to_string(by) + " ms");
}

void TroubledBroker::end_process(bool with_the_machine) {
    process_->kill(with_the_machine);
    process_.reset();
    lost_(with_the_machine ? disk_.machine_crashed() : disk_.process_ended(), with_the_machine);
    start(milliseconds{1}, milliseconds{400});
}

void TroubledBroker::stop_broker() {
    process_->stop();
    // Looks now and then whether it has stopped, as a service manager does.
    struct Watch {
        static void look(TroubledBroker& self, const BrokerProcess* process) {
            if (self.process_.get() != process) return;
            if (process->stopped()) {
                self.process_.reset();
                self.lost_(self.disk_.process_ended(), false);
                return self.start(milliseconds{1}, milliseconds{200});
            }
            self.outside_.at(0).after(milliseconds{5}, [&self, process] { look(self, process); });
        }
    };
    Watch::look(*this, process_.get());
}

void TroubledBroker::start(sdk::Instant least, sdk::Instant most) {
    outside_.at(0).after(world_.random().between(least, most), [this] {
        if (process_) return;
        ++starts_;
        world_.note("broker", "starts");
        process_ = std::make_unique<BrokerProcess>(machine_);
    });
}

void TroubledBroker::begin_faults() {
    faults_on_ = true;
    next_fault();
}

void TroubledBroker::end_faults() {
    world_.note("world", "is calm from now on");
    faults_on_ = false;
    disk_.faults = {};
    store_.set_faults({});
    world_.wall().set_right(world_.now());
    world_.slowest_work = milliseconds{2};
    wires_.slowest = milliseconds{3};
    if (process_) end_process(false);
}

}  // namespace leat::simulation
