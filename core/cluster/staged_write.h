// Carries stages of transactions through the coordination store (topic_plan.h): the machine. Its
// owner commits what it is told to, looks where the outcome is unknown, and reports both.
//
// Unknown    The owner re-reads and reports whether the transaction shows; if it does not, it is
//            submitted again. Conflicts with keys of its own then mean that it had landed.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/cluster/topic_plan.h"
#include "leat/sdk/coordination.h"

namespace leat::cluster {

class StagedWrite {
public:
    enum class End {
        done,
        fenced,       // Another controller is at work now: it finishes or cleans up.
        conflict,     // What the stages were made from has changed: plan again from a fresh view.
        unavailable,  // Not now; what is done so far is a stray or a deletion in progress.
    };
    struct Orders {
        std::vector<std::size_t> commit;  // transaction(i), now.
        std::vector<std::size_t> look;    // Read anew, then call looked(i, ...).
        std::optional<End> end;           // Nothing is under way any more, and nothing will be.
    };

    explicit StagedWrite(Stages stages);

    Orders begin() { return next(); }
    Orders outcome(std::size_t i, const sdk::Result<sdk::CommitOutcome>& outcome);
    // Whether the effects of transaction i show in a read made after its outcome came.
    Orders looked(std::size_t i, bool shows);

    const sdk::Transaction& transaction(std::size_t i) const { return all_[i].transaction; }
    const std::string& why() const { return why_; }  // With End::unavailable and conflict.

    static constexpr std::size_t most_at_once = 8;
    static constexpr std::size_t most_attempts = 5;  // Of one transaction.

private:
    struct Item {
        sdk::Transaction transaction;
        std::size_t stage = 0;
        std::size_t attempts = 0;
        bool done = false;
        bool doubtful = false;  // An attempt had an unknown end.
    };

    Orders next();
    Orders fail(End end, std::string why);

    std::vector<Item> all_;       // In order of stages.
    std::size_t submitted_ = 0;   // Those before it have been committed at least once.
    std::size_t under_way_ = 0;
    std::size_t first_open_ = 0;  // Those before it are done.
    std::deque<std::size_t> again_;
    std::optional<End> ending_;
    std::string why_;
};

}  // namespace leat::cluster
