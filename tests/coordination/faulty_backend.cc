#include "tests/coordination/faulty_backend.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace leat::sdk::testing {

namespace {

Put* as_put(Operation& operation) { return std::get_if<Put>(&operation); }

bool is_put(const WatchEvent& event) { return std::holds_alternative<KeyChanged>(event); }

Revision revision_of(const WatchEvent& event) {
    if (const auto* changed = std::get_if<KeyChanged>(&event)) return changed->entry.revision;
    return std::get<KeyDeleted>(event).revision;
}

}  // namespace

FaultyBackend::~FaultyBackend() {
    if (is(Fault::outlived_by_its_callbacks)) graveyard_.push_back(std::move(inner_));
    if (is(Fault::last_commit_is_forgotten)) {
        const auto entries = model_.entries("/k/");
        if (!entries.empty()) (void)model_.commit({{}, {Delete{entries.back().key}}}, 0);
    }
}

Status FaultyBackend::start(SessionOptions options, Function<void(SessionEvent)> on_session) {
    if (is(Fault::outlived_by_its_callbacks)) return inner_->start(options, std::move(on_session));
    if (is(Fault::start_calls_inside)) on_session(SessionEvent::established);
    if (is(Fault::session_ends_by_itself))
        shard_.after(options.timeout, [model = &model_] { model->end_session(1); });
    return inner_->start(options, [this, tell = std::move(on_session)](SessionEvent event) mutable {
        if (is(Fault::never_established)) return;
        if (is(Fault::loss_is_not_told) && event == SessionEvent::lost) return;
        if (is(Fault::established_twice)) tell(event);
        tell(event);
    });
}

void FaultyBackend::commit(Transaction transaction, Done done) {
    if (is(Fault::outlived_by_its_callbacks)) {
        inner_->commit(std::move(transaction), std::move(done));
        return;
    }
    ++commits_;
    if (is(Fault::deaf_inside_callbacks) && in_callback_) return;
    if (is(Fault::forgets_one_of_many) && commits_ == 250) return;
    if (is(Fault::refusal_calls_inside)) {
        if (auto error = refused(transaction)) return done(*error);
    }
    if (is(Fault::takes_too_few_operations) && transaction.operations.size() >= most_operations)
        return done(Error{Errc::invalid_argument, "too many"});
    if (is(Fault::delete_needs_a_key) && !transaction.operations.empty() &&
        std::holds_alternative<Delete>(transaction.operations[0]) &&
        revision_of(key_of(transaction.operations[0])) == Revision{0})
        return done(Error{Errc::not_found, "no such key"});
    bend_checks(transaction);
    bend(transaction);
    if (is(Fault::loses_and_says_committed) && commits_ % 7 == 0) {
        shard_.post([this, done = std::move(done)]() mutable {
            done(CommitOutcome{Committed{{model_.revision().value + 1}}});
        });
        return;
    }
    if (is(Fault::retries_without_checks))
        inner_->commit({{}, transaction.operations}, [](Result<CommitOutcome>) {});
    if (is(Fault::one_revision_per_operation)) {
        while (transaction.operations.size() > 1 && !refused(transaction)) {
            inner_->commit({{}, {transaction.operations.back()}}, [](Result<CommitOutcome>) {});
            transaction.operations.pop_back();
        }
    }
    inner_->commit(transaction, [this, transaction, done = std::move(done)](
                                    Result<CommitOutcome> answer) mutable {
        bend_answer(answer, transaction);
        in_callback_ = true;
        done(std::move(answer));
        in_callback_ = false;
    });
}

Revision FaultyBackend::revision_of(const std::string& key) const {
    for (const KeyValue& entry : model_.entries(key))
        if (entry.key == key) return entry.revision;
    return Revision{0};
}

void FaultyBackend::bend_checks(Transaction& transaction) {
    auto& checks = transaction.checks;
    if (is(Fault::last_failing_check_is_named)) std::ranges::reverse(checks);
    if (is(Fault::absence_is_not_checked))
        std::erase_if(checks, [](const Check& check) { return check.revision == Revision{0}; });
    if (is(Fault::takes_absence_without_put) && refused(transaction))
        std::erase_if(checks, [](const Check& check) { return check.revision == Revision{0}; });
    if (is(Fault::newer_revision_passes))
        for (Check& check : checks)
            check.revision = std::min(check.revision, revision_of(check.key));
    if (is(Fault::checks_before_its_turn))
        std::erase_if(checks, [&](const Check& check) {
            return check.revision == revision_of(check.key);
        });
}

void FaultyBackend::bend(Transaction& transaction) {
    auto& operations = transaction.operations;
    if (is(Fault::takes_too_many_operations) && operations.size() > most_operations)
        operations.resize(most_operations);
    if (is(Fault::deletes_nothing))
        std::erase_if(operations, [](const Operation& operation) {
            return std::holds_alternative<Delete>(operation);
        });
    if (is(Fault::takes_a_key_twice) && operations.size() == 2 &&
        key_of(operations[0]) == key_of(operations[1]))
        operations.pop_back();
    for (Operation& operation : operations) {
        Put* put = as_put(operation);
        if (put == nullptr) continue;
        if (is(Fault::ephemeral_keys_stay)) put->ephemeral = false;
        if (is(Fault::everything_is_ephemeral)) put->ephemeral = true;
        if (is(Fault::cuts_large_values)) put->value = put->value.substr(0, 65536);
        if (is(Fault::takes_too_large_values)) put->value = put->value.substr(0, most_value_bytes);
        if (is(Fault::values_end_at_zero)) put->value = put->value.c_str();
    }
}

void FaultyBackend::bend_answer(Result<CommitOutcome>& answer, const Transaction& transaction) {
    if (!answer) return;
    if (std::holds_alternative<Conflict>(*answer) && is(Fault::conflict_does_the_first_half))
        (void)model_.commit({{}, {transaction.operations.front()}}, 0);
    auto* committed = std::get_if<Committed>(&*answer);
    if (committed == nullptr) return;
    mine_.push_back(committed->revision);
    if (is(Fault::revision_is_one_off)) ++committed->revision.value;
    if (is(Fault::revisions_restart)) committed->revision.value -= first_revision_.value;
}

void FaultyBackend::read(std::string prefix, Function<void(Result<Snapshot>)> done) {
    if (is(Fault::deaf_inside_callbacks) && in_callback_) return;
    if (is(Fault::outlived_by_its_callbacks)) return inner_->read(prefix, std::move(done));
    inner_->read(prefix, [this, prefix, done = std::move(done)](Result<Snapshot> answer) mutable {
        if (answer) bend_snapshot(*answer, prefix);
        done(std::move(answer));
    });
}

void FaultyBackend::bend_snapshot(Snapshot& snapshot, const std::string& prefix) {
    if (is(Fault::prefix_is_a_folder))
        std::erase_if(snapshot.entries, [&](const KeyValue& entry) {
            const auto rest = std::string_view{entry.key}.substr(prefix.size());
            return !prefix.ends_with("/") && !rest.empty() && !rest.starts_with("/");
        });
    if (is(Fault::reads_out_of_order)) std::ranges::reverse(snapshot.entries);
    if (!is(Fault::read_says_too_new) && !is(Fault::read_is_old)) return;
    old_.push_back(snapshot);
    if (old_.size() < 6) return;
    const Revision now = snapshot.revision;
    snapshot = old_[old_.size() - 6];
    if (is(Fault::read_says_too_new)) snapshot.revision = now;
}

void FaultyBackend::watch(std::string prefix, Revision after, Watcher watcher) {
    if (is(Fault::deaf_inside_callbacks) && in_callback_) return;
    if (is(Fault::watch_calls_inside)) watcher({Resync{}});
    if (is(Fault::watch_misses_what_was_before)) after = model_.revision();
    if (is(Fault::watch_hears_too_much)) prefix = "/";
    if (is(Fault::outlived_by_its_callbacks))
        return inner_->watch(prefix, after, std::move(watcher));
    auto kept = std::make_shared<Watcher>(std::move(watcher));
    all_watchers_.push_back(kept);
    inner_->watch(prefix, after, [this, kept](const std::vector<WatchEvent>& events) {
        const auto bent = bend_events(events);
        if (bent.empty()) return;
        if (!is(Fault::old_watcher_stays)) return (*kept)(bent);
        for (const auto& one : all_watchers_) (*one)(bent);
    });
}

std::vector<WatchEvent> FaultyBackend::bend_events(std::vector<WatchEvent> events) {
    const bool resync = std::ranges::any_of(
        events, [](const WatchEvent& event) { return std::holds_alternative<Resync>(event); });
    if (resync) return events;
    if (is(Fault::watch_misses_puts)) std::erase_if(events, is_put);
    if (is(Fault::watch_misses_deletes))
        std::erase_if(events, [](const WatchEvent& event) { return !is_put(event); });
    if (is(Fault::watch_misses_the_crowd))
        std::erase_if(events, [](const WatchEvent& event) {
            return testing::revision_of(event).value % 200 == 198;
        });
    if (is(Fault::hears_only_itself))
        std::erase_if(events, [&](const WatchEvent& event) {
            return std::ranges::find(mine_, testing::revision_of(event)) == mine_.end();
        });
    if (is(Fault::watch_swaps_changes)) {
        held_back_.insert(held_back_.begin(), events.begin(), events.end());
        const auto* last = std::get_if<KeyChanged>(&events.back());
        if (held_back_.size() < 12 && (last == nullptr || !last->entry.key.ends_with("/last")))
            return {};
        return std::exchange(held_back_, {});
    }
    return events;
}

}  // namespace leat::sdk::testing
