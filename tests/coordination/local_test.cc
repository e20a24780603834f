// Stories of the `local` backend on a real folder.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "plugins/coordination/local/backend.h"

namespace leat::local {
namespace {

using sdk::CommitOutcome;
using sdk::Errc;
using sdk::Result;
using sdk::Revision;

class LocalTest : public testing::Test {
protected:
    LocalTest() {
        folder = std::filesystem::temp_directory_path() /
                 ("leat-local-" + std::to_string(::getpid()) + "-" +
                  testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
    }
    ~LocalTest() override {
        backend.reset();
        std::filesystem::remove_all(folder);
    }

    sdk::Status start(LocalOptions options = {}) {
        backend.reset();
        context = std::make_unique<sdk::testing::ManualContext>(shard, folder);
        backend = std::make_unique<LocalBackend>(*context, options, system_files());
        const sdk::Status status =
            backend->start({}, [this](sdk::SessionEvent event) { session.push_back(event); });
        shard.run_ready();
        return status;
    }
    Result<CommitOutcome> commit(sdk::Transaction transaction) {
        std::optional<Result<CommitOutcome>> answer;
        backend->commit(std::move(transaction), [&](auto outcome) { answer = std::move(outcome); });
        shard.run_ready();
        return answer ? *answer : sdk::Error{Errc::internal, "no answer"};
    }
    bool put(const std::string& key, const std::string& value, bool ephemeral = false) {
        const auto outcome = commit({{}, {sdk::Put{key, value, ephemeral}}});
        return outcome && std::holds_alternative<sdk::Committed>(*outcome);
    }
    std::string read(const std::string& prefix) {
        std::string text;
        backend->read(prefix, [&](Result<sdk::Snapshot> snapshot) {
            if (!snapshot) {
                text = "error: " + snapshot.error().what;
                return;
            }
            text = "@" + std::to_string(snapshot->revision.value);
            for (const auto& entry : snapshot->entries)
                text += " " + entry.key + "=" + entry.value + "@" +
                        std::to_string(entry.revision.value);
        });
        shard.run_ready();
        return text;
    }

    std::filesystem::path folder;
    sdk::testing::ManualShard shard;
    std::unique_ptr<sdk::testing::ManualContext> context;
    std::unique_ptr<LocalBackend> backend;
    std::vector<sdk::SessionEvent> session;
};

TEST_F(LocalTest, KeepsWhatWasCommittedOverARestart) {
    ASSERT_TRUE(start());
    EXPECT_TRUE(put("/a", "1"));
    EXPECT_TRUE(put("/b", "2"));
    EXPECT_TRUE(put("/a", "3"));
    EXPECT_EQ(read("/"), "@3 /a=3@3 /b=2@2");
    ASSERT_TRUE(start());
    EXPECT_EQ(read("/"), "@3 /a=3@3 /b=2@2");
    EXPECT_EQ(session.size(), 2u);
}

TEST_F(LocalTest, ForgetsEphemeralKeysAndWhatTheyReplacedAtARestartButNotTheirRevisions) {
    ASSERT_TRUE(start());
    EXPECT_TRUE(put("/a", "1"));
    EXPECT_TRUE(put("/a", "2", true));
    EXPECT_TRUE(put("/b", "3", true));
    EXPECT_EQ(read("/"), "@3 /a=2@2 /b=3@3");
    ASSERT_TRUE(start());
    EXPECT_EQ(read("/"), "@3");
}

TEST_F(LocalTest, ReplacesAJournalThatHasOutgrownItsSnapshot) {
    const LocalOptions small{.snapshot_after = 2000};
    ASSERT_TRUE(start(small));
    for (int i = 0; i < 300; ++i)
        EXPECT_TRUE(put("/k" + std::to_string(i % 7), std::string(50, 'x')));
    EXPECT_TRUE(put("/gone", "soon", true));
    EXPECT_TRUE(std::filesystem::exists(folder / "snapshot"));
    EXPECT_LT(std::filesystem::file_size(folder / "journal"), 3000u);
    const std::string before = read("/k");
    ASSERT_TRUE(start(small));
    EXPECT_EQ(read("/"), before);
}

TEST_F(LocalTest, RefusesAFolderThatIsInUse) {
    ASSERT_TRUE(start());
    LocalBackend second{*context, {}, system_files()};
    const sdk::Status status = second.start({}, [](sdk::SessionEvent) {});
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().what.find("is in use by another process"), std::string::npos);
}

TEST_F(LocalTest, StartsAndCommitsFastEnough) {
    using Clock = std::chrono::steady_clock;
    const auto ms = [](Clock::duration span) {
        return std::chrono::duration<double, std::milli>(span).count();
    };
    const std::string topic = "/partitions/0123456789abcdef0123456789abcdef/";
    auto begin = Clock::now();
    ASSERT_TRUE(start());
    const double fresh = ms(Clock::now() - begin);
    begin = Clock::now();
    int committed = 0;
    for (int t = 0; t < 100; ++t) {
        sdk::Transaction transaction;
        for (int i = 0; i < 100; ++i)
            transaction.operations.emplace_back(
                sdk::Put{topic + std::to_string(t * 100 + i), std::string(120, 'v')});
        backend->commit(std::move(transaction),
                        [&](auto outcome) { committed += outcome ? 1 : 0; });
    }
    shard.run_ready();
    const double commits = ms(Clock::now() - begin);
    EXPECT_EQ(committed, 100);
    begin = Clock::now();
    ASSERT_TRUE(start());
    const double again = ms(Clock::now() - begin);
    begin = Clock::now();
    read("/partitions");
    const double reading = ms(Clock::now() - begin);
    std::printf("fresh start %.2f ms, 10,000 puts %.1f ms, start with them %.1f ms, read %.1f ms\n",
                fresh, commits, again, reading);
    EXPECT_LT(commits, 1000);
}

}  // namespace
}  // namespace leat::local
