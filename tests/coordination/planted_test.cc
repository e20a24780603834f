// Who guards the guards: for each rule of the coordination kit there is a backend that breaks it,
// and the kit says so.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "leat/sdk/testing/coordination_rules.h"
#include "tests/coordination/faulty_backend.h"

namespace leat::sdk::testing {
namespace {

class FaultyBed final : public CoordinationBed {
public:
    explicit FaultyBed(Fault fault) : fault_{fault} {}

    ManualShard& shard() override { return shard_; }
    std::unique_ptr<CoordinationBackend> make() override {
        return std::make_unique<FaultyBackend>(fault_, model_, shard_, graveyard_);
    }
    CoordinationCapabilities capabilities() const override {
        return {.durable = true, .multi_node = true};
    }
    bool end_session(CoordinationBackend& instance) override {
        static_cast<FaultyBackend&>(instance).lose_session();
        return true;
    }

private:
    const Fault fault_;
    CoordinationModel model_;
    ManualShard shard_;
    std::vector<std::unique_ptr<ModelBackend>> graveyard_;
};

struct Planted {
    Fault fault;
    std::string found_by;
};

const std::vector<Planted>& planted() {
    static const std::vector<Planted> all{
        {Fault::never_established, "TheSessionIsEstablished"},
        {Fault::established_twice, "TheSessionIsEstablished"},
        {Fault::start_calls_inside, "NothingIsCalledInsideTheCall"},
        {Fault::refusal_calls_inside, "NothingIsCalledInsideTheCall"},
        {Fault::watch_calls_inside, "NothingIsCalledInsideTheCall"},
        {Fault::outlived_by_its_callbacks, "NothingIsCalledAfterDestruction"},
        {Fault::deaf_inside_callbacks, "CallbacksMayCallAgain"},
        {Fault::ephemeral_keys_stay, "EphemeralKeysGoWithTheSession"},
        {Fault::session_ends_by_itself, "EphemeralKeysGoWithTheSession"},
        {Fault::everything_is_ephemeral, "EphemeralKeysGoWithTheSession"},
        {Fault::loss_is_not_told, "ALostSessionIsToldAndReplaced"},
        {Fault::no_new_session, "ALostSessionIsToldAndReplaced"},
        {Fault::last_commit_is_forgotten, "WhatWasCommittedSurvives"},
        {Fault::revisions_restart, "RevisionsGoOnAfterReopening"},
        {Fault::hears_only_itself, "ClientsHearEachOther"},
        {Fault::loses_and_says_committed, "ACarefulClientCountsRight"},
        {Fault::retries_without_checks, "AConflictLeavesNothing"},
        {Fault::revision_is_one_off, "APutIsReadWithItsRevision"},
        {Fault::one_revision_per_operation, "OneTransactionHasOneRevision"},
        {Fault::deletes_nothing, "ADeletedKeyIsGone"},
        {Fault::delete_needs_a_key, "ADeletedKeyIsGone"},
        {Fault::conflict_does_the_first_half, "AConflictLeavesNothing"},
        {Fault::last_failing_check_is_named, "TheFirstFailingCheckIsNamed"},
        {Fault::newer_revision_passes, "OnlyTheExactRevisionPasses"},
        {Fault::absence_is_not_checked, "AbsenceCanBeChecked"},
        {Fault::checks_before_its_turn, "OfTwoWithOneCheckOneWins"},
        {Fault::forgets_one_of_many, "ManyAtOnceAreAllAnswered"},
        {Fault::takes_too_many_operations, "LimitsAreKept"},
        {Fault::takes_too_few_operations, "LimitsAreKept"},
        {Fault::cuts_large_values, "LimitsAreKept"},
        {Fault::takes_too_large_values, "LimitsAreKept"},
        {Fault::takes_a_key_twice, "NonsenseIsRefused"},
        {Fault::takes_absence_without_put, "NonsenseIsRefused"},
        {Fault::values_end_at_zero, "ValuesAreAnyBytes"},
        {Fault::prefix_is_a_folder, "APrefixNamesExactlyItsKeys"},
        {Fault::reads_out_of_order, "APrefixNamesExactlyItsKeys"},
        {Fault::read_says_too_new, "AReadIsAsNewAsItSays"},
        {Fault::read_is_old, "AReadIsAsNewAsItSays"},
        {Fault::watch_misses_puts, "AWatcherHearsPutsAndDeletes"},
        {Fault::watch_misses_deletes, "AWatcherHearsPutsAndDeletes"},
        {Fault::watch_misses_what_was_before, "AWatcherHearsWhatHappenedBeforeIt"},
        {Fault::watch_hears_too_much, "AWatcherHearsOnlyItsPrefix"},
        {Fault::watch_swaps_changes, "ChangesOfAKeyComeInOrder"},
        {Fault::watch_misses_the_crowd, "ChangesOfAKeyComeInOrder"},
        {Fault::old_watcher_stays, "TheLatestWatcherHasThePrefix"},
    };
    return all;
}

TEST(PlantedTest, TheKitFindsEveryPlantedFaultByTheRuleThatForbidsIt) {
    for (const auto& [fault, found_by] : planted()) {
        const auto make_bed = [fault = fault] { return std::make_unique<FaultyBed>(fault); };
        bool found = false;
        for (const CoordinationRule& rule : all_coordination_rules())
            if (rule.name == found_by) found = !complaints_about(make_bed, rule).empty();
        EXPECT_TRUE(found) << "fault " << static_cast<int>(fault) << " passes " << found_by;
    }
}

TEST(PlantedTest, EveryRuleHasAFaultThatBreaksIt) {
    std::set<std::string> broken;
    for (const auto& [fault, found_by] : planted()) broken.insert(found_by);
    for (const CoordinationRule& rule : all_coordination_rules())
        EXPECT_TRUE(broken.contains(rule.name)) << rule.name;
}

}  // namespace
}  // namespace leat::sdk::testing
