// What the coordination kit's rules are written with: the bed that an author provides, a client
// that speaks to one instance and waits for answers, and the verdict that collects complaints.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "leat/sdk/coordination.h"
#include "leat/sdk/plugin.h"
#include "leat/sdk/testing/manual_shard.h"

namespace leat::sdk::testing {

// A fresh, empty store for one rule. It outlives the instances that it makes.
class CoordinationBed {
public:
    virtual ~CoordinationBed() = default;

    // Time::real if the backend has threads or sockets of its own.
    virtual ManualShard& shard() = 0;
    // An instance over this bed's store, not started yet. If capabilities().multi_node, several
    // live at once; else one after the other.
    virtual std::unique_ptr<CoordinationBackend> make() = 0;
    virtual CoordinationCapabilities capabilities() const = 0;
    // Makes the store end the session of `instance`, as after a long silence; false if this kind of
    // store cannot. A new session is to follow.
    virtual bool end_session(CoordinationBackend& instance) { return (void)instance, false; }
};

using MakeBed = std::function<std::unique_ptr<CoordinationBed>()>;

class Verdict {
public:
    // Returns `holds`, so that a rule can stop where going on makes no sense.
    bool expect(bool holds, const std::string& complaint) {
        if (!holds) complaints_.push_back(complaint);
        return holds;
    }
    std::string text() const {
        std::string all;
        for (const std::string& complaint : complaints_) all += complaint + "\n";
        return all;
    }

private:
    std::vector<std::string> complaints_;
};

// What one watcher has heard, kept as the core keeps it: what is not newer is dropped, a resync is
// for the client to answer. Notes what no watch may do.
class Heard {
public:
    explicit Heard(std::string prefix) : prefix_{std::move(prefix)} {}

    void take(const std::vector<WatchEvent>& events) {
        for (const WatchEvent& event : events) {
            if (const auto* changed = std::get_if<KeyChanged>(&event))
                note(changed->entry.key, changed->entry.revision, changed->entry.value);
            else if (const auto* deleted = std::get_if<KeyDeleted>(&event))
                note(deleted->key, deleted->revision, std::nullopt);
            else
                resync = true;
        }
    }
    // After a resync: the whole prefix as it was read.
    void take(const Snapshot& snapshot) {
        std::set<std::string, std::less<>> present;
        for (const KeyValue& entry : snapshot.entries) {
            present.insert(entry.key);
            State& state = states[entry.key];
            if (entry.revision <= state.revision) continue;
            state.value = entry.value;
            state.revision = entry.revision;
        }
        for (auto& [key, state] : states)
            if (!present.contains(key) && state.revision <= snapshot.revision) state.value.reset();
    }
    std::optional<std::string> value(const std::string& key) const {
        const auto found = states.find(key);
        return found == states.end() ? std::nullopt : found->second.value;
    }

    struct State {
        std::optional<std::string> value;
        Revision revision;              // The newest that was heard of.
        std::set<Revision> heard;       // All of them.
    };
    std::map<std::string, State> states;
    bool resync = false;
    std::string wrong;  // The first thing that should not have come.

private:
    void note(const std::string& key, Revision revision, std::optional<std::string> value) {
        if (!key.starts_with(prefix_)) complain(key + " is not under " + prefix_);
        State& state = states[key];
        const bool first_time = state.heard.insert(revision).second;
        if (first_time && revision < state.revision)
            complain("an older change of " + key + " came after a newer one");
        if (revision <= state.revision) return;
        state.revision = revision;
        state.value = std::move(value);
    }
    void complain(std::string what) {
        if (wrong.empty()) wrong = std::move(what);
    }

    const std::string prefix_;
};

// One instance and whoever uses it. Every call waits for its answer.
class Client {
public:
    using Answer = Result<CommitOutcome>;

    explicit Client(CoordinationBed& bed) : bed_{bed}, backend_{bed.make()} {
        started = backend_->start(SessionOptions{.timeout = session_timeout},
                                  [this](SessionEvent event) { session.push_back(event); });
        if (started) bed_.shard().run_until([&] { return established(); });
    }

    static constexpr std::chrono::milliseconds session_timeout{2000};

    bool established() const {
        return !session.empty() && session.back() == SessionEvent::established;
    }
    CoordinationBackend& backend() { return *backend_; }
    void close() { backend_.reset(); }

    Answer commit(Transaction transaction) {
        std::optional<Answer> answer;
        backend_->commit(std::move(transaction), [&](Answer got) { answer = std::move(got); });
        wait([&] { return answer.has_value(); });
        return answer ? std::move(*answer) : Error{Errc::timed_out, "commit never answered"};
    }
    // The revision at which the operations were committed, after the checks; nothing if they were
    // not.
    std::optional<Revision> put(std::string key, std::string value, bool ephemeral = false) {
        return committed(commit({{}, {Put{std::move(key), std::move(value), ephemeral}}}));
    }
    std::optional<Revision> remove(std::string key) {
        return committed(commit({{}, {Delete{std::move(key)}}}));
    }
    static std::optional<Revision> committed(const Answer& answer) {
        if (!answer) return std::nullopt;
        const auto* yes = std::get_if<Committed>(&*answer);
        return yes == nullptr ? std::nullopt : std::optional{yes->revision};
    }
    static std::string conflict(const Answer& answer) {
        if (!answer) return "error: " + answer.error().what;
        const auto* no = std::get_if<Conflict>(&*answer);
        return no == nullptr ? "no conflict" : no->key;
    }

    Result<Snapshot> read(std::string prefix) {
        std::optional<Result<Snapshot>> answer;
        backend_->read(std::move(prefix), [&](Result<Snapshot> got) { answer = std::move(got); });
        wait([&] { return answer.has_value(); });
        return answer ? std::move(*answer) : Error{Errc::timed_out, "read never answered"};
    }
    // "key=value key=value", in the order of the answer.
    std::string text(const std::string& prefix) {
        const auto snapshot = read(prefix);
        if (!snapshot) return "error: " + snapshot.error().what;
        std::string all;
        for (const KeyValue& entry : snapshot->entries)
            all += (all.empty() ? "" : " ") + entry.key + "=" + entry.value;
        return all;
    }
    std::optional<KeyValue> get(const std::string& key) {
        const auto snapshot = read(key);
        if (!snapshot) return std::nullopt;
        for (const KeyValue& entry : snapshot->entries)
            if (entry.key == key) return entry;
        return std::nullopt;
    }

    // The watcher keeps what it hears alive by itself.
    std::shared_ptr<Heard> watch(std::string prefix, Revision after) {
        auto heard = std::make_shared<Heard>(prefix);
        backend_->watch(std::move(prefix), after,
                        [heard](const std::vector<WatchEvent>& events) { heard->take(events); });
        return heard;
    }
    // Waits until what `heard` knows satisfies `condition`, reading again when told to.
    template <class Condition>
    bool hears(Heard& heard, const std::string& prefix, Condition&& condition) {
        for (int rounds = 0; rounds < 1000; ++rounds) {
            wait([&] { return heard.resync || condition(); });
            if (!std::exchange(heard.resync, false)) return condition();
            if (const auto snapshot = read(prefix)) heard.take(*snapshot);
        }
        return false;
    }
    template <class Condition>
    bool wait(Condition&& condition) {
        return bed_.shard().run_until(std::forward<Condition>(condition));
    }

    Status started;
    std::vector<SessionEvent> session;

private:
    CoordinationBed& bed_;
    std::unique_ptr<CoordinationBackend> backend_;
};

// A rule that every backend keeps. It needs a bed of its own.
struct CoordinationRule {
    const char* name;  // A sentence.
    void (*run)(CoordinationBed& bed, Verdict& verdict);
};

}  // namespace leat::sdk::testing
