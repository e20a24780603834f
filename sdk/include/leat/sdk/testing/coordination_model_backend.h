// One session of a CoordinationModel. Include coordination_model.h.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/testing/coordination_model.h"

namespace leat::sdk::testing {

class ModelBackend final : public CoordinationBackend {
public:
    enum class Injected { conflict, lost_committed, lost_uncommitted, unavailable };

    ModelBackend(CoordinationModel& model, Shard& shard) : model_{model}, shard_{shard} {
        model_.backends_.push_back(this);
    }
    ~ModelBackend() override {
        std::erase(model_.backends_, this);
        if (session_ == 0) return;
        if (model_.world_ == nullptr) {
            model_.end_session(session_);
            return;
        }
        model_.world_->after(options_.timeout, [model = &model_, session = session_] {
            model->end_session(session);
        });
    }

    Status start(SessionOptions options, Function<void(SessionEvent)> on_session) override {
        options_ = options;
        on_session_ = std::move(on_session);
        later(model_.delay(), [this] { establish(); });
        return {};
    }

    void commit(Transaction transaction, Function<void(Result<CommitOutcome>)> done) override;
    void read(std::string prefix, Function<void(Result<Snapshot>)> done) override;
    void watch(std::string prefix, Revision after, Watcher watcher) override;

    // What happens to the next commit that is not refused.
    void inject(Injected what) { injected_.push_back(what); }

    // The connection is gone: commits and reads that are under way are lost, later ones refused.
    void suspend() {
        if (session_ == 0 || suspended_) return;
        suspended_ = true;
        tell(SessionEvent::suspended);
    }
    // It is back, in time.
    void resume() {
        if (session_ == 0 || !std::exchange(suspended_, false)) return;
        tell(SessionEvent::established);
        resync();
    }
    // The store has ended the session. A new one follows, if `come_back`, after a tenth of the
    // session's timeout.
    void lose_session(bool come_back = true) {
        if (session_ == 0) return;
        suspended_ = false;
        model_.end_session(std::exchange(session_, 0));
        tell(SessionEvent::lost);
        if (come_back) later(options_.timeout / 10, [this] { establish(); });
    }
    void resync() {
        for (auto& [prefix, watch] : watches_) deliver(prefix, {Resync{}});
    }
    // Every watcher hears the last of what it heard once more.
    void repeat_events() {
        for (auto& [prefix, watch] : watches_)
            if (!watch.last.empty()) deliver(prefix, watch.last);
    }

private:
    friend class CoordinationModel;
    using Answer = Result<CommitOutcome>;

    struct Watch {
        std::shared_ptr<Watcher> watcher;  // The map and a call that is running own it.
        std::vector<WatchEvent> last;
    };
    struct Delivery {
        std::string prefix;
        std::shared_ptr<Watcher> watcher;
        std::vector<WatchEvent> events;
    };

    void later(std::chrono::nanoseconds delay, Task task) {
        auto guarded = [alive = std::weak_ptr{alive_}, task = std::move(task)]() mutable {
            if (!alive.expired()) task();
        };
        if (delay.count() == 0) shard_.post(std::move(guarded));
        else shard_.after(delay, std::move(guarded));
    }
    void tell(SessionEvent event) {
        later({}, [this, event] { on_session_(event); });
    }
    void establish() {
        session_ = ++model_.last_session_;
        if (model_.last_session_ > 1) resync();
        on_session_(SessionEvent::established);
    }
    bool connected() const { return session_ != 0 && !suspended_; }
    static Error no_session() { return {Errc::unavailable, "no session with the store"}; }
    std::optional<Injected> next_injected() {
        if (injected_.empty()) return std::nullopt;
        const Injected what = injected_.front();
        injected_.pop_front();
        return what;
    }
    Answer perform(const Transaction& transaction, CoordinationModel::Session session);
    void hear(const std::vector<WatchEvent>& events);
    void deliver(const std::string& prefix, std::vector<WatchEvent> events);
    void deliver_next();

    CoordinationModel& model_;
    Shard& shard_;
    SessionOptions options_;
    Function<void(SessionEvent)> on_session_;
    CoordinationModel::Session session_ = 0;
    bool suspended_ = false;
    std::deque<Injected> injected_;
    std::map<std::string, Watch> watches_;
    std::deque<Delivery> deliveries_;  // In order, whenever their timers fire.
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

inline void ModelBackend::commit(Transaction transaction,
                                 Function<void(Result<CommitOutcome>)> done) {
    std::optional<Error> error = refused(transaction);
    if (!error && !connected()) error = no_session();
    if (error) {
        later({}, [done = std::move(done), error = std::move(*error)]() mutable { done(error); });
        return;
    }
    later(model_.delay(), [this, session = session_, transaction = std::move(transaction),
                           done = std::move(done)]() mutable {
        Answer answer = perform(transaction, session);
        later(model_.delay(), [this, session, answer = std::move(answer),
                               done = std::move(done)]() mutable {
            const bool lost = session != session_ || suspended_;
            if (lost && answer) answer = CommitOutcome{Unknown{"the connection was lost"}};
            done(std::move(answer));
        });
        if (model_.happens(model_.faults_.session_loss)) lose_session();
    });
}

// At the store.
inline ModelBackend::Answer ModelBackend::perform(const Transaction& transaction,
                                                  CoordinationModel::Session session) {
    if (session != session_ || suspended_) return CommitOutcome{Unknown{"the connection was lost"}};
    const auto injected = next_injected();
    const auto& faults = model_.faults_;
    const auto is = [&](Injected what, int chance) {
        return injected ? *injected == what : model_.happens(chance);
    };
    if (is(Injected::unavailable, 0)) return no_session();
    if (is(Injected::lost_uncommitted, faults.lost_uncommitted))
        return CommitOutcome{Unknown{"the request was lost"}};
    if (is(Injected::conflict, faults.conflict)) model_.touch(transaction);
    CommitOutcome outcome = model_.commit(transaction, session);
    if (is(Injected::lost_committed, faults.lost_committed))
        return CommitOutcome{Unknown{"the answer was lost"}};
    return outcome;
}

inline void ModelBackend::read(std::string prefix, Function<void(Result<Snapshot>)> done) {
    // Entries may be newer than the revision that is promised, as when a store reads key by key.
    const Revision promised = model_.revision();
    later(model_.delay(), [this, promised, prefix = std::move(prefix),
                           done = std::move(done)]() mutable {
        if (!connected()) return done(no_session());
        done(Snapshot{.revision = promised, .entries = model_.entries(prefix)});
    });
}

inline void ModelBackend::watch(std::string prefix, Revision after, Watcher watcher) {
    std::vector<WatchEvent> events;
    if (after < model_.forgotten_) {
        events.emplace_back(Resync{});
    } else {
        for (const auto& [revision, event] : model_.history_) {
            const auto* changed = std::get_if<KeyChanged>(&event);
            const auto* deleted = std::get_if<KeyDeleted>(&event);
            const std::string& key = changed != nullptr ? changed->entry.key : deleted->key;
            if (revision > after && key.starts_with(prefix)) events.push_back(event);
        }
    }
    watches_.insert_or_assign(prefix, Watch{std::make_shared<Watcher>(std::move(watcher)), {}});
    if (!events.empty()) deliver(prefix, std::move(events));
}

inline void ModelBackend::hear(const std::vector<WatchEvent>& events) {
    if (!connected()) return;  // resume() and establish() say so.
    for (auto& [prefix, watch] : watches_) {
        std::vector<WatchEvent> mine;
        for (const WatchEvent& event : events) {
            const auto* changed = std::get_if<KeyChanged>(&event);
            const auto* deleted = std::get_if<KeyDeleted>(&event);
            const std::string& key = changed != nullptr ? changed->entry.key : deleted->key;
            if (key.starts_with(prefix)) mine.push_back(event);
        }
        if (mine.empty()) continue;
        if (model_.happens(model_.faults_.resync)) {
            deliver(prefix, {Resync{}});
            continue;
        }
        watch.last = mine;
        if (model_.happens(model_.faults_.repeat)) deliver(prefix, mine);
        deliver(prefix, std::move(mine));
    }
}

inline void ModelBackend::deliver(const std::string& prefix, std::vector<WatchEvent> events) {
    deliveries_.push_back({prefix, watches_.at(prefix).watcher, std::move(events)});
    later(model_.delay(), [this] { deliver_next(); });
}

inline void ModelBackend::deliver_next() {
    const Delivery next = std::move(deliveries_.front());
    deliveries_.pop_front();
    const auto found = watches_.find(next.prefix);
    if (found != watches_.end() && found->second.watcher == next.watcher)
        (*next.watcher)(next.events);
}

inline CommitOutcome CoordinationModel::commit(const Transaction& transaction, Session session) {
    for (const Check& check : transaction.checks) {
        const auto found = items_.find(check.key);
        const Revision is = found == items_.end() ? Revision{0} : found->second.revision;
        if (is != check.revision) return Conflict{check.key};
    }
    const Revision revision{revision_.value + 1};
    std::vector<WatchEvent> events;
    for (const Operation& operation : transaction.operations) {
        if (const auto* put = std::get_if<Put>(&operation)) {
            items_.insert_or_assign(put->key,
                                    Item{put->value, revision, put->ephemeral ? session : 0});
            events.emplace_back(KeyChanged{{put->key, put->value, revision}});
        } else if (items_.erase(key_of(operation)) != 0) {
            events.emplace_back(KeyDeleted{key_of(operation), revision});
        }
    }
    publish(std::move(events), revision);
    return Committed{revision};
}

inline void CoordinationModel::end_session(Session session) {
    ensure(session != 0, "only a session ends, not what is nobody's");
    const Revision revision{revision_.value + 1};
    std::vector<WatchEvent> events;
    for (auto at = items_.begin(); at != items_.end();) {
        if (at->second.session != session) {
            ++at;
            continue;
        }
        events.emplace_back(KeyDeleted{at->first, revision});
        at = items_.erase(at);
    }
    if (!events.empty()) publish(std::move(events), revision);
}

// Somebody else puts the first checked key that exists, with the value that it has.
inline void CoordinationModel::touch(const Transaction& transaction) {
    for (const Check& check : transaction.checks) {
        const auto found = items_.find(check.key);
        if (found == items_.end()) continue;
        found->second.revision = {revision_.value + 1};
        return publish({KeyChanged{{check.key, found->second.value, found->second.revision}}},
                       found->second.revision);
    }
}

inline void CoordinationModel::publish(std::vector<WatchEvent> events, Revision revision) {
    revision_ = revision;
    for (const WatchEvent& event : events) history_.emplace_back(revision, event);
    while (history_.size() > most_history) {
        forgotten_ = history_.front().first;
        history_.pop_front();
    }
    for (ModelBackend* backend : backends_) backend->hear(events);
}

}  // namespace leat::sdk::testing
