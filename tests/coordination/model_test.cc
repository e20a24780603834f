// Stories of the model: what a test can make it do.
#include "leat/sdk/testing/coordination_model.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/sdk/testing/manual_shard.h"

namespace leat::sdk::testing {
namespace {

using Injected = ModelBackend::Injected;
using std::chrono::milliseconds;

class ModelStories : public ::testing::Test {
protected:
    ModelStories() {
        EXPECT_TRUE(backend.start({}, [this](SessionEvent event) { session.push_back(event); }));
        shard.run_ready();
        backend.watch("/", Revision{0}, [this](const std::vector<WatchEvent>& some) {
            events.insert(events.end(), some.begin(), some.end());
        });
    }
    // "committed 3", "conflict /k", "unknown", "error".
    std::string commit(Transaction transaction) {
        std::string text = "no answer";
        backend.commit(std::move(transaction), [&](Result<CommitOutcome> answer) {
            if (!answer) text = "error";
            else if (const auto* yes = std::get_if<Committed>(&*answer))
                text = "committed " + std::to_string(yes->revision.value);
            else if (const auto* no = std::get_if<Conflict>(&*answer)) text = "conflict " + no->key;
            else text = "unknown";
        });
        shard.run_ready();
        return text;
    }

    CoordinationModel model{7};
    ManualShard shard;
    std::vector<SessionEvent> session;
    std::vector<WatchEvent> events;
    ModelBackend backend{model, shard};
};

TEST_F(ModelStories, ALostAnswerMayHideACommit) {
    backend.inject(Injected::lost_committed);
    EXPECT_EQ(commit({{}, {Put{"/k", "1"}}}), "unknown");
    EXPECT_EQ(model.entries().size(), 1u);
    backend.inject(Injected::lost_uncommitted);
    EXPECT_EQ(commit({{}, {Put{"/k", "2"}}}), "unknown");
    EXPECT_EQ(model.entries()[0].value, "1");
}

TEST_F(ModelStories, AnInjectedConflictIsARealOne) {
    EXPECT_EQ(commit({{}, {Put{"/k", "1"}}}), "committed 1");
    backend.inject(Injected::conflict);
    EXPECT_EQ(commit({{{"/k", Revision{1}}}, {Put{"/k", "2"}}}), "conflict /k");
    EXPECT_EQ(model.entries()[0], (KeyValue{"/k", "1", Revision{2}}));
    EXPECT_EQ(commit({{{"/k", Revision{2}}}, {Put{"/k", "2"}}}), "committed 3");
}

TEST_F(ModelStories, ASuspendedSessionKeepsItsKeysAndMissesEvents) {
    EXPECT_EQ(commit({{}, {Put{"/mine", "1", true}}}), "committed 1");
    backend.suspend();
    EXPECT_EQ(commit({{}, {Put{"/k", "1"}}}), "error");
    (void)model.commit({{}, {Put{"/theirs", "1"}}}, 0);
    shard.run_ready();
    EXPECT_EQ(events.size(), 1u);
    backend.resume();
    shard.run_ready();
    EXPECT_TRUE(std::holds_alternative<Resync>(events.back()));
    EXPECT_EQ(model.entries("/mine").size(), 1u);
    EXPECT_EQ(session, (std::vector{SessionEvent::established, SessionEvent::suspended,
                                    SessionEvent::established}));
}

TEST_F(ModelStories, ALostSessionTakesItsKeysAndWhatIsUnderWay) {
    EXPECT_EQ(commit({{}, {Put{"/mine", "1", true}}}), "committed 1");
    std::string answer;
    backend.commit({{}, {Put{"/k", "1"}}}, [&](Result<CommitOutcome> got) {
        answer = got && std::holds_alternative<Unknown>(*got) ? "unknown" : "known";
    });
    backend.lose_session();
    shard.run_ready();
    EXPECT_EQ(answer, "unknown");
    EXPECT_TRUE(model.entries().empty());
    EXPECT_EQ(session.back(), SessionEvent::lost);
    shard.advance(SessionOptions{}.timeout);
    EXPECT_EQ(session.back(), SessionEvent::established);
}

TEST_F(ModelStories, EventsComeAgainWhenToldTo) {
    commit({{}, {Put{"/k", "1"}}});
    backend.repeat_events();
    shard.run_ready();
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(std::get<KeyChanged>(events[0]).entry, std::get<KeyChanged>(events[1]).entry);
}

TEST_F(ModelStories, AnAbandonedSessionLingersForItsTimeout) {
    model.let_sessions_linger(shard);
    auto other = std::make_unique<ModelBackend>(model, shard);
    EXPECT_TRUE(other->start({.timeout = milliseconds{500}}, [](SessionEvent) {}));
    shard.run_ready();
    other->commit({{}, {Put{"/theirs", "1", true}}}, [](Result<CommitOutcome>) {});
    shard.run_ready();
    other.reset();
    shard.advance(milliseconds{499});
    EXPECT_EQ(model.entries().size(), 1u);
    shard.advance(milliseconds{1});
    EXPECT_TRUE(model.entries().empty());
}

std::string history(std::uint64_t seed) {
    CoordinationModel model{seed};
    model.set_faults({.conflict = 100, .lost_committed = 100, .session_loss = 50,
                      .most_delay = milliseconds{20}});
    ManualShard shard;
    std::string trace;
    ModelBackend backend{model, shard};
    EXPECT_TRUE(backend.start({}, [&](SessionEvent) { trace += "s"; }));
    for (int i = 0; i < 100; ++i) {
        backend.commit({{}, {Put{"/k", "v"}}}, [&](Result<CommitOutcome> got) {
            trace += std::to_string(shard.now().count()) + (got ? "+" : "-");
        });
        shard.advance(milliseconds{7});
    }
    return trace;
}

TEST(ModelDeterminism, TheSameSeedGivesTheSameHistory) {
    EXPECT_EQ(history(5), history(5));
    EXPECT_NE(history(5), history(6));
}

}  // namespace
}  // namespace leat::sdk::testing
