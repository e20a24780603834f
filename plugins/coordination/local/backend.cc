#include "backend.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "format.h"
#include "leat/sdk/transaction_rules.h"

namespace leat::local {

using sdk::Errc;
using sdk::Error;
using sdk::Revision;
using sdk::Status;

namespace {

Error not_started() { return {Errc::unavailable, "the coordination store is not started"}; }

std::size_t size_of(const sdk::Transaction& transaction) {
    std::size_t bytes = sizeof transaction;
    for (const auto& operation : transaction.operations) {
        bytes += sdk::key_of(operation).size();
        if (const auto* put = std::get_if<sdk::Put>(&operation)) bytes += put->value.size();
    }
    return bytes;
}

// Revisions as they will be once the members of a group before this one have been applied.
class Outlook {
public:
    explicit Outlook(const Store& store) : store_{store} {}

    std::optional<std::string> conflict(const sdk::Transaction& transaction) const {
        for (const sdk::Check& check : transaction.checks)
            if (revision_of(check.key) != check.revision) return check.key;
        return std::nullopt;
    }
    void add(const sdk::Transaction& transaction, Revision revision) {
        for (const auto& operation : transaction.operations)
            changed_[sdk::key_of(operation)] =
                std::holds_alternative<sdk::Put>(operation) ? revision : Revision{0};
    }

private:
    Revision revision_of(const std::string& key) const {
        const auto found = changed_.find(key);
        if (found != changed_.end()) return found->second;
        return store_.revision_of(key).value_or(Revision{0});
    }

    const Store& store_;
    std::map<std::string, Revision, std::less<>> changed_;
};

}  // namespace

LocalBackend::LocalBackend(sdk::PluginContext& context, LocalOptions options,
                           std::unique_ptr<Files> files)
    : context_{context}, options_{options},
      disk_{std::make_shared<Disk>(std::move(files), context.data_folder())} {}

LocalBackend::~LocalBackend() { disk_->journal.close(); }

Status LocalBackend::start(sdk::SessionOptions, sdk::Function<void(sdk::SessionEvent)> on_session) {
    sdk::ensure(!started_, "a backend is started once");
    const auto recovery = disk_->journal.open(disk_->store);
    if (!recovery) return recovery.error();
    if (recovery->bytes_cut != 0)
        context_.log(sdk::LogLevel::warn, "cut off a transaction that was never acknowledged",
                     {{"bytes", std::to_string(recovery->bytes_cut)}});
    started_ = true;
    watches_.forget_deletions_up_to(disk_->store.revision());
    on_session_ = std::move(on_session);
    later([this] { on_session_(sdk::SessionEvent::established); });
    return {};
}

void LocalBackend::commit(sdk::Transaction transaction, Done done) {
    const std::size_t bytes = size_of(transaction);
    if (auto refused = refusal(transaction, bytes)) {
        later([done = std::move(done), error = std::move(*refused)]() mutable { done(error); });
        return;
    }
    waiting_bytes_ += bytes;
    waiting_.push_back({std::move(transaction), std::move(done), bytes});
    schedule();
}

std::optional<Error> LocalBackend::refusal(const sdk::Transaction& transaction,
                                           std::size_t bytes) const {
    if (auto fault = sdk::refused(transaction)) return fault;
    if (failure_) return failure_;
    if (!started_) return not_started();
    if (waiting_.size() >= most_waiting || waiting_bytes_ + bytes > most_waiting_bytes)
        return Error{Errc::unavailable, "too many transactions wait for the coordination store"};
    return std::nullopt;
}

void LocalBackend::read(std::string prefix, sdk::Function<void(sdk::Result<sdk::Snapshot>)> done) {
    later([this, prefix = std::move(prefix), done = std::move(done)]() mutable {
        if (failure_) return done(*failure_);
        if (!started_) return done(not_started());
        sdk::Snapshot snapshot{.revision = disk_->store.revision(), .entries = {}};
        disk_->store.for_each(prefix, [&](const Entry& entry) {
            snapshot.entries.push_back({.key = std::string{entry.key()},
                                        .value = std::string{entry.value()},
                                        .revision = entry.revision()});
        });
        done(std::move(snapshot));
    });
}

void LocalBackend::watch(std::string prefix, Revision after, sdk::Watcher watcher) {
    const bool missed = watches_.may_miss_deletions(after);
    auto handle = watches_.add(prefix, std::move(watcher));
    later([this, prefix = std::move(prefix), after, missed, handle = std::move(handle)] {
        if (!watches_.has(prefix, handle)) return;
        std::vector<sdk::WatchEvent> events;
        if (missed) events.emplace_back(sdk::Resync{});
        else events = changes_since(disk_->store, prefix, after);
        if (!events.empty()) (*handle)(events);
    });
}

void LocalBackend::later(sdk::Task task) {
    context_.shard().post([alive = std::weak_ptr{alive_}, task = std::move(task)]() mutable {
        if (!alive.expired()) task();
    });
}

void LocalBackend::schedule() {
    if (scheduled_ || busy_ || waiting_.empty()) return;
    scheduled_ = true;
    later([this] {
        scheduled_ = false;
        write_next();
    });
}

void LocalBackend::write_next() {
    if (busy_ || waiting_.empty()) return;
    busy_ = true;
    auto group = next_group();
    if (group->unit.empty()) return written(*group);
    context_.shard().offload(
        [disk = disk_, group] { group->written = disk->journal.append(group->unit, disk->store); },
        [this, alive = std::weak_ptr{alive_}, group] {
            if (!alive.expired()) written(*group);
        });
}

std::shared_ptr<LocalBackend::Group> LocalBackend::next_group() {
    auto group = std::make_shared<Group>();
    Outlook outlook{disk_->store};
    const Revision before = disk_->store.revision();
    std::uint64_t winners = 0;
    while (!waiting_.empty() && group->unit.size() < enough_for_a_unit) {
        Judged judged{.waiting = std::move(waiting_.front()), .conflict = {}};
        waiting_.pop_front();
        waiting_bytes_ -= judged.waiting.bytes;
        const sdk::Transaction& transaction = judged.waiting.transaction;
        judged.conflict = outlook.conflict(transaction);
        if (!judged.conflict) {
            judged.revision = Revision{before.value + ++winners};
            outlook.add(transaction, judged.revision);
            if (winners == 1) group->unit = begin_unit(judged.revision);
            add_transaction(group->unit, transaction);
        }
        group->members.push_back(std::move(judged));
    }
    if (winners != 0) finish_unit(group->unit, winners);
    return group;
}

void LocalBackend::written(Group& group) {
    busy_ = false;
    const std::weak_ptr alive{alive_};
    if (group.written) {
        for (Watches::Delivery& delivery : watches_.sort(apply(group))) {
            if (watches_.has(delivery.prefix, delivery.watcher))
                (*delivery.watcher)(delivery.events);
            if (alive.expired()) return;
        }
    } else if (group.written.error().code == Errc::io) {
        fail(group.written.error());
        if (alive.expired()) return;
    }
    answer(group);
    if (alive.expired()) return;
    rotate_if_outgrown();
    schedule();
}

std::vector<sdk::WatchEvent> LocalBackend::apply(const Group& group) {
    std::vector<sdk::WatchEvent> events;
    Store& store = disk_->store;
    for (const Judged& judged : group.members) {
        if (judged.conflict) continue;
        const Revision revision = judged.revision;
        for (const auto& operation : judged.waiting.transaction.operations) {
            if (const auto* put = std::get_if<sdk::Put>(&operation)) {
                store.put(put->key, put->value, revision, put->ephemeral);
                events.emplace_back(sdk::KeyChanged{{put->key, put->value, revision}});
            } else if (const std::string& key = sdk::key_of(operation); store.remove(key)) {
                watches_.forget_deletions_up_to(revision);
                events.emplace_back(sdk::KeyDeleted{key, revision});
            }
        }
        store.set_revision(revision);
    }
    return events;
}

void LocalBackend::answer(Group& group) {
    const std::weak_ptr alive{alive_};
    for (Judged& judged : group.members) {
        sdk::Result<sdk::CommitOutcome> outcome =
            judged.conflict ? sdk::CommitOutcome{sdk::Conflict{*judged.conflict}}
                            : sdk::CommitOutcome{sdk::Committed{judged.revision}};
        if (!group.written) {
            const Error& error = group.written.error();
            if (error.code != Errc::io || judged.conflict) outcome = error;
            else outcome = sdk::CommitOutcome{sdk::Unknown{error.what}};
        }
        judged.waiting.done(std::move(outcome));
        if (alive.expired()) return;
    }
}

void LocalBackend::rotate_if_outgrown() {
    if (failure_ || busy_ || !disk_->journal.outgrown(options_.snapshot_after)) return;
    busy_ = true;
    auto status = std::make_shared<Status>();
    context_.shard().offload(
        [disk = disk_, status] { *status = disk->journal.rotate(disk->store); },
        [this, alive = std::weak_ptr{alive_}, status] {
            if (alive.expired()) return;
            busy_ = false;
            if (!*status && status->error().code == Errc::io) fail(status->error());
            else if (!*status)
                context_.log(sdk::LogLevel::warn, "the coordination snapshot has to wait",
                             {{"reason", status->error().what}});
            if (!alive.expired()) schedule();
        });
}

void LocalBackend::fail(const Error& error) {
    failure_ = Error{Errc::io, "the coordination store takes nothing any more since it failed: " +
                                   error.what};
    context_.log(sdk::LogLevel::error, "the coordination journal failed",
                 {{"reason", error.what}, {"what to do", "mend the device and start again"}});
    for (Waiting& waiting : std::exchange(waiting_, {}))
        later([done = std::move(waiting.done), refused = *failure_]() mutable { done(refused); });
    waiting_bytes_ = 0;
    on_session_(sdk::SessionEvent::suspended);
}

}  // namespace leat::local
