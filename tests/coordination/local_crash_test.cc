// The local backend over a disk that forgets: a crash at every system call, an error at every one.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "plugins/coordination/local/backend.h"
#include "tests/coordination/forgetful_disk.h"

namespace leat::local {
namespace {

using sdk::CommitOutcome;
using sdk::Errc;
using sdk::Result;
using sdk::Revision;

using State = std::map<std::string, std::string>;

// The transactions of every run, in order; the n-th (from 1) gets revision n.
constexpr std::uint64_t transactions = 30;

sdk::Transaction transaction(std::uint64_t n) {
    const std::string own = std::to_string(n);
    sdk::Transaction some;
    some.operations.emplace_back(sdk::Put{"/key/" + std::to_string(n % 5), own});
    if (n % 4 == 0) some.operations.emplace_back(sdk::Put{"/long", std::string(700, own.back())});
    if (n % 6 == 0) some.operations.emplace_back(sdk::Put{"/session/" + own, "x", true});
    if (n % 7 == 0)
        some.operations.emplace_back(sdk::Delete{"/key/" + std::to_string((n + 1) % 5)});
    return some;
}

// What is there after a restart that follows the n-th.
State state_after(std::uint64_t n) {
    State state;
    for (std::uint64_t i = 1; i <= n; ++i)
        for (const auto& operation : transaction(i).operations) {
            if (const auto* put = std::get_if<sdk::Put>(&operation)) {
                if (!put->ephemeral) state[put->key] = put->value;
            } else {
                state.erase(std::get<sdk::Delete>(operation).key);
            }
        }
    return state;
}

// One life of the process.
class Life {
public:
    explicit Life(ForgetfulDisk& disk) {
        backend_ = std::make_unique<LocalBackend>(context_, LocalOptions{.snapshot_after = 600},
                                                  disk.files());
        started =
            backend_->start({}, [this](sdk::SessionEvent event) { session.push_back(event); });
        shard_.run_ready();
    }

    // Several that are under way together.
    std::vector<Result<CommitOutcome>> commit(std::uint64_t first, std::uint64_t last) {
        std::vector<Result<CommitOutcome>> outcomes;
        for (std::uint64_t n = first; n <= last; ++n)
            backend_->commit(transaction(n), [&](auto got) { outcomes.push_back(std::move(got)); });
        shard_.run_ready();
        return outcomes;
    }
    // The whole run. Returns the last transaction that was acknowledged, 0 if none was.
    std::uint64_t commit_all(std::uint64_t from = 1) {
        std::uint64_t acknowledged = from - 1;
        for (std::uint64_t n = from; n <= transactions; n += 3)
            for (const auto& outcome : commit(n, std::min(n + 2, transactions))) {
                const auto* yes = outcome ? std::get_if<sdk::Committed>(&*outcome) : nullptr;
                if (yes == nullptr) return acknowledged;
                EXPECT_EQ(yes->revision.value, ++acknowledged);
            }
        return acknowledged;
    }
    std::optional<sdk::Snapshot> read() {
        std::optional<sdk::Snapshot> snapshot;
        backend_->read("/", [&](Result<sdk::Snapshot> got) {
            if (got) snapshot = std::move(*got);
        });
        shard_.run_ready();
        return snapshot;
    }

    sdk::Status started;
    std::vector<sdk::SessionEvent> session;

private:
    sdk::testing::ManualShard shard_;
    sdk::testing::ManualContext context_{shard_, "/data"};
    std::unique_ptr<LocalBackend> backend_;
};

// Opens the disk and checks that it holds the state after some transaction from `least` to `most`.
std::uint64_t recovered(ForgetfulDisk& disk, std::uint64_t least, std::uint64_t most) {
    Life life{disk};
    if (!life.started) {
        ADD_FAILURE() << life.started.error().what;
        return 0;
    }
    const auto snapshot = life.read();
    if (!snapshot) {
        ADD_FAILURE() << "no read after recovery";
        return 0;
    }
    const std::uint64_t at = snapshot->revision.value;
    EXPECT_GE(at, least) << "what was acknowledged is lost";
    EXPECT_LE(at, most);
    State state;
    for (const auto& entry : snapshot->entries) {
        state[entry.key] = entry.value;
        EXPECT_LE(entry.revision, snapshot->revision);
    }
    EXPECT_EQ(state, state_after(at));
    return at;
}

constexpr World worlds[] = {World::all_written, World::only_synced, World::mixture};

std::uint64_t calls_of_a_whole_run() {
    ForgetfulDisk disk;
    Life life{disk};
    EXPECT_EQ(life.commit_all(), transactions);
    return disk.calls();
}

TEST(LocalCrashTest, NothingAcknowledgedIsLostWhicheverSystemCallIsTheLast) {
    const std::uint64_t calls = calls_of_a_whole_run();
    EXPECT_GT(calls, 60u) << "the run includes several snapshots";
    for (const World world : worlds)
        for (std::uint64_t call = 1; call <= calls; ++call)
            for (std::uint64_t seed = 1; seed <= (world == World::mixture ? 20 : 1); ++seed) {
                SCOPED_TRACE(testing::Message() << "world " << static_cast<int>(world) << " call "
                                                << call << " seed " << seed);
                ForgetfulDisk disk;
                disk.crash_at(call);
                std::uint64_t acknowledged = 0;
                {
                    Life life{disk};
                    if (life.started) acknowledged = life.commit_all();
                }
                disk.reboot(world, seed);
                const std::uint64_t at = recovered(disk, acknowledged, acknowledged + 3);
                {
                    Life life{disk};
                    EXPECT_EQ(life.commit_all(at + 1), transactions) << "and it goes on";
                }
                disk.reboot(World::only_synced);
                recovered(disk, transactions, transactions);
                if (HasFailure()) return;
            }
}

TEST(LocalCrashTest, WhatARecoveryHasShownIsNotLostByACrashWithinOrAfterIt) {
    const std::uint64_t calls = calls_of_a_whole_run();
    for (const World world : worlds)
        for (std::uint64_t call = 1; call <= calls; ++call)
            for (std::uint64_t second = 1; second <= 8; ++second) {
                SCOPED_TRACE(testing::Message() << "world " << static_cast<int>(world) << " call "
                                                << call << " then " << second);
                ForgetfulDisk disk;
                disk.crash_at(call);
                std::uint64_t acknowledged = 0;
                {
                    Life life{disk};
                    if (life.started) acknowledged = life.commit_all();
                }
                disk.reboot(world, call);
                disk.crash_at(second);
                {
                    Life life{disk};
                    const auto shown = life.started ? life.read() : std::nullopt;
                    if (shown) acknowledged = shown->revision.value;
                }
                disk.reboot(World::only_synced);
                recovered(disk, acknowledged, acknowledged + 3);
                if (HasFailure()) return;
            }
}

// A transaction that was written when the process was killed, but not synced yet, is in the page
// cache and comes up at the next start. Whoever has seen it may rely on it.
TEST(LocalCrashTest, WhatIsShownAfterAKillSurvivesAPowerCut) {
    const std::uint64_t calls = calls_of_a_whole_run();
    for (std::uint64_t call = 1; call <= calls; ++call) {
        SCOPED_TRACE(testing::Message() << "call " << call);
        ForgetfulDisk disk;
        disk.crash_at(call);
        std::uint64_t acknowledged = 0;
        {
            Life life{disk};
            if (life.started) acknowledged = life.commit_all();
        }
        disk.restart();
        const std::uint64_t shown = recovered(disk, acknowledged, acknowledged + 3);
        disk.reboot(World::only_synced);
        recovered(disk, shown, shown);
        if (HasFailure()) return;
    }
}

// "fsyncgate": the kernel forgets the pages, so a second sync would succeed over lost bytes.
TEST(LocalCrashTest, AfterAFailedSyncNothingIsCommittedAnyMore) {
    const std::uint64_t calls = calls_of_a_whole_run();
    int syncs = 0;
    for (std::uint64_t call = 1; call <= calls; ++call) {
        SCOPED_TRACE(testing::Message() << "call " << call);
        ForgetfulDisk disk;
        disk.fail_at(call, Errc::io);
        std::uint64_t acknowledged = 0;
        {
            Life life{disk};
            if (!life.started) continue;
            acknowledged = life.commit_all();
            if (disk.failed() == Call::sync || disk.failed() == Call::sync_folder) {
                ++syncs;
                for (int again = 0; again < 3; ++again) {
                    const auto outcome = life.commit(1, 1);
                    ASSERT_EQ(outcome.size(), 1u);
                    ASSERT_FALSE(outcome[0]);
                    EXPECT_EQ(outcome[0].error().code, Errc::io);
                }
                EXPECT_FALSE(life.read()) << "nobody can tell what is true";
                EXPECT_EQ(life.session.back(), sdk::SessionEvent::suspended);
            }
        }
        disk.reboot(World::only_synced);
        recovered(disk, acknowledged, transactions);
        if (HasFailure()) return;
    }
    EXPECT_GT(syncs, 20);
}

TEST(LocalCrashTest, AFullDeviceRefusesAndIsForgivenWhenThereIsRoom) {
    const std::uint64_t calls = calls_of_a_whole_run();
    int refused = 0;
    for (std::uint64_t call = 1; call <= calls; ++call) {
        ForgetfulDisk disk;
        disk.fail_at(call, Errc::no_space);
        Life life{disk};
        if (!life.started) continue;
        const std::uint64_t acknowledged = life.commit_all();
        if (disk.failed() != Call::write && disk.failed() != Call::create) continue;
        ++refused;
        EXPECT_EQ(life.commit_all(acknowledged + 1), transactions);
        disk.reboot(World::only_synced);
        recovered(disk, transactions, transactions);
    }
    EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace leat::local
