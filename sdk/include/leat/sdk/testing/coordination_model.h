// A coordination store in memory that misbehaves as real ones may: for the conformance kit, for
// tests of what uses a store, and for the simulation.
//
//   CoordinationModel model{seed};
//   ModelBackend backend{model, shard};            // One session; several may share the model.
//   model.set_faults({.lost_committed = 20, .most_delay = 5ms});   // From the seed, or
//   backend.inject(ModelBackend::Injected::lost_committed);        // on demand.
//
// Threads    All backends of one model, and whoever calls it, are on one thread. Time and order
//            come from the shards alone, so the same seed and the same calls give the same history.
// Lifetime   The model outlives its backends, and the timers of `world`.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "leat/sdk/coordination.h"
#include "leat/sdk/shard.h"
#include "leat/sdk/transaction_rules.h"

namespace leat::sdk::testing {

class ModelBackend;

// What every session shares.
class CoordinationModel {
public:
    // Chances in a thousand.
    struct Faults {
        int conflict = 0;          // Somebody else puts the first checked key again, just before.
        int lost_committed = 0;    // Unknown, though it happened.
        int lost_uncommitted = 0;  // Unknown, and it did not happen.
        int session_loss = 0;      // After a commit.
        int resync = 0;            // Instead of the events of a transaction.
        int repeat = 0;            // Events come twice.
        std::chrono::nanoseconds most_delay{0};  // Of a request, of an answer, of an event.
    };
    using Session = std::uint64_t;  // 0: nobody's; the key is there to stay.

    explicit CoordinationModel(std::uint64_t seed = 1) : random_{seed} {}
    CoordinationModel(const CoordinationModel&) = delete;
    CoordinationModel& operator=(const CoordinationModel&) = delete;

    void set_faults(Faults faults) { faults_ = faults; }
    // From now on a backend that is destroyed leaves its session behind, as a process that dies
    // does, until the session's timeout has passed on `world`.
    void let_sessions_linger(Shard& world) { world_ = &world; }

    Revision revision() const { return revision_; }
    std::vector<KeyValue> entries(std::string_view prefix = "") const {
        std::vector<KeyValue> found;
        for (auto at = items_.lower_bound(prefix); at != items_.end(); ++at) {
            if (!at->first.starts_with(prefix)) break;
            found.push_back({at->first, at->second.value, at->second.revision});
        }
        return found;
    }

    // What the store itself does, without any fault.
    CommitOutcome commit(const Transaction& transaction, Session session);
    void end_session(Session session);

private:
    friend class ModelBackend;

    struct Item {
        std::string value;
        Revision revision;
        Session session = 0;
    };
    static constexpr std::size_t most_history = 20'000;  // Events; whoever asks for older resyncs.

    bool happens(int chance) {
        return chance > 0 && random_() % 1000 < static_cast<unsigned>(chance);
    }
    std::chrono::nanoseconds delay() {
        const auto most = static_cast<std::uint64_t>(faults_.most_delay.count());
        return std::chrono::nanoseconds{most == 0 ? 0 : random_() % (most + 1)};
    }
    void touch(const Transaction& transaction);
    void publish(std::vector<WatchEvent> events, Revision revision);

    std::mt19937_64 random_;
    Faults faults_;
    Shard* world_ = nullptr;
    std::map<std::string, Item, std::less<>> items_;
    Revision revision_;
    Revision forgotten_;  // Events up to here are no longer in the history.
    std::deque<std::pair<Revision, WatchEvent>> history_;
    std::vector<ModelBackend*> backends_;
    Session last_session_ = 0;
};

}  // namespace leat::sdk::testing

#include "leat/sdk/testing/coordination_model_backend.h"
