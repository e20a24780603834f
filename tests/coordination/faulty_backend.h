// A backend with one planted fault, so that the kit can be seen to find it. It sits on the model
// and bends one thing of what passes through.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/testing/coordination_model.h"
#include "leat/sdk/testing/manual_shard.h"

namespace leat::sdk::testing {

enum class Fault {
    never_established,
    established_twice,
    start_calls_inside,
    refusal_calls_inside,
    watch_calls_inside,
    outlived_by_its_callbacks,
    deaf_inside_callbacks,
    ephemeral_keys_stay,
    session_ends_by_itself,
    everything_is_ephemeral,
    loss_is_not_told,
    no_new_session,
    last_commit_is_forgotten,
    revisions_restart,
    hears_only_itself,
    loses_and_says_committed,
    retries_without_checks,
    revision_is_one_off,
    one_revision_per_operation,
    deletes_nothing,
    delete_needs_a_key,
    conflict_does_the_first_half,
    last_failing_check_is_named,
    newer_revision_passes,
    absence_is_not_checked,
    checks_before_its_turn,
    forgets_one_of_many,
    takes_too_many_operations,
    takes_too_few_operations,
    cuts_large_values,
    takes_too_large_values,
    takes_a_key_twice,
    takes_absence_without_put,
    values_end_at_zero,
    prefix_is_a_folder,
    reads_out_of_order,
    read_says_too_new,
    read_is_old,
    watch_misses_puts,
    watch_misses_deletes,
    watch_misses_what_was_before,
    watch_hears_too_much,
    watch_swaps_changes,
    watch_misses_the_crowd,
    old_watcher_stays,
};

class FaultyBackend final : public CoordinationBackend {
public:
    // `graveyard` takes what the fault outlived_by_its_callbacks leaves behind.
    FaultyBackend(Fault fault, CoordinationModel& model, ManualShard& shard,
                  std::vector<std::unique_ptr<ModelBackend>>& graveyard)
        : fault_{fault}, model_{model}, shard_{shard}, graveyard_{graveyard},
          inner_{std::make_unique<ModelBackend>(model, shard)}, first_revision_{model.revision()} {}
    ~FaultyBackend() override;

    Status start(SessionOptions options, Function<void(SessionEvent)> on_session) override;
    void commit(Transaction transaction, Function<void(Result<CommitOutcome>)> done) override;
    void read(std::string prefix, Function<void(Result<Snapshot>)> done) override;
    void watch(std::string prefix, Revision after, Watcher watcher) override;

    void lose_session() { inner_->lose_session(fault_ != Fault::no_new_session); }

private:
    using Done = Function<void(Result<CommitOutcome>)>;

    bool is(Fault fault) const { return fault_ == fault; }
    Revision revision_of(const std::string& key) const;
    void bend(Transaction& transaction);
    void bend_checks(Transaction& transaction);
    void bend_answer(Result<CommitOutcome>& answer, const Transaction& transaction);
    void bend_snapshot(Snapshot& snapshot, const std::string& prefix);
    std::vector<WatchEvent> bend_events(std::vector<WatchEvent> events);

    const Fault fault_;
    CoordinationModel& model_;
    ManualShard& shard_;
    std::vector<std::unique_ptr<ModelBackend>>& graveyard_;
    std::unique_ptr<ModelBackend> inner_;
    const Revision first_revision_;
    int commits_ = 0;
    bool in_callback_ = false;
    std::vector<Revision> mine_;
    std::vector<Snapshot> old_;
    std::vector<WatchEvent> held_back_;
    std::vector<std::shared_ptr<Watcher>> all_watchers_;
};

}  // namespace leat::sdk::testing
