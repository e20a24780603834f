// The parts of a simulated world, each by itself: time and shards, wires, a disk that forgets, a
// wall clock that is set. What they get wrong, no seed would show.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/wire/batch_builder.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/network.h"
#include "tests/simulation/world.h"

namespace leat::simulation {
namespace {

using namespace std::chrono_literals;

class Parts : public testing::Test {
protected:
    void all_that_happens() {
        while (world_.step()) {
        }
    }

    Trace trace_{false};
    World world_{7, trace_};
};

class VirtualShard : public Parts {};

TEST_F(VirtualShard, TimeStandsStillBetweenEvents) {
    SimShards process{world_, 1};
    std::vector<sdk::Instant> seen;
    process.at(0).after(10s, [&] { seen.push_back(world_.now()); });
    process.at(0).after(1h, [&] { seen.push_back(world_.now()); });
    all_that_happens();
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_GE(seen[0], 10s);
    EXPECT_LT(seen[0], 11s);
    EXPECT_GE(seen[1], 1h);
}

TEST_F(VirtualShard, WhatOneShardPostsToAnotherKeepsItsOrder) {
    SimShards process{world_, 2};
    std::string order;
    process.at(0).post([&] {
        for (char c = 'a'; c <= 'z'; ++c) process.at(1).post([&order, c] { order += c; });
    });
    all_that_happens();
    EXPECT_EQ(order, "abcdefghijklmnopqrstuvwxyz");
}

TEST_F(VirtualShard, WhatTwoShardsPostArrivesInAnyOrder) {
    SimShards process{world_, 3};
    std::string order;
    for (int i = 0; i < 20; ++i) {
        process.at(0).post([&] { process.at(2).post([&] { order += '0'; }); });
        process.at(1).post([&] { process.at(2).post([&] { order += '1'; }); });
    }
    all_that_happens();
    EXPECT_NE(order.find("00"), std::string::npos);
    EXPECT_NE(order.find("11"), std::string::npos);
}

TEST_F(VirtualShard, ATimerThatIsCancelledNeverCalls) {
    SimShards process{world_, 1};
    const auto timer = process.at(0).after(1s, [] { FAIL(); });
    process.at(0).after(500ms, [&] { process.at(0).cancel(timer); });
    all_that_happens();
}

TEST_F(VirtualShard, WorkIsDoneLaterAndItsEndComesAfterIt) {
    SimShards process{world_, 1};
    std::string order;
    process.at(0).post([&] {
        process.at(0).offload([&] { order += "work "; }, [&] { order += "done"; });
        order += "first ";
    });
    all_that_happens();
    EXPECT_EQ(order, "first work done");
}

TEST_F(VirtualShard, AProcessThatWasKilledDoesNothingMoreInTheWorld) {
    auto process = std::make_unique<SimShards>(world_, 1);
    int timers = 0, tasks = 0;
    process->at(0).after(1s, [&] { ++timers; });
    process->at(0).post([&] { ++tasks; });
    process->kill();
    EXPECT_FALSE(world_.step()) << "nothing of it is left";
    process->run_severed();
    EXPECT_EQ(tasks, 1) << "for its own end its tasks run";
    process.reset();
    EXPECT_EQ(timers, 0);
}

class SimulatedWires : public Parts {
protected:
    struct Ended final : ClientEnd {
        void connected() override { log += "connected "; }
        void received(Bytes frame) override { log += std::to_string(frame.size()) + " "; }
        void closed() override { log += "closed "; }
        std::string log;
    };
    struct Echo final : sdk::ConnectionHandler {
        explicit Echo(sdk::Connection& to) : connection{to} {}
        void received(std::span<sdk::Frame> frames) override {
            for (const sdk::Frame& frame : frames) {
                auto bytes = std::make_shared<Bytes>(frame.bytes.size() + 4);
                std::vector<sdk::Slice> slices;
                slices.push_back(sdk::MemorySlice{bytes, *bytes});
                connection.send(std::move(slices));
            }
        }
        void drained() override {}
        void misbehaved(const std::string&) override {}
        void closed(const std::string&) override {}
        sdk::Connection& connection;
    };

    void listen() {
        ASSERT_TRUE(network_.listen(
            {.name = "plain", .limits = {.unsent_bytes = 1000}},
            [](sdk::Connection& connection) { return std::make_unique<Echo>(connection); }));
    }

    SimShards shards_{world_, 2};
    Wires wires_{world_};
    SimNetwork network_{world_, wires_, shards_};
    Ended client_;
};

TEST_F(SimulatedWires, FramesOfAConnectionKeepTheirOrderBothWays) {
    listen();
    wires_.slowest = 80ms;
    const LinkRef link = wires_.dial(client_);
    while (client_.log.empty()) ASSERT_TRUE(world_.step());
    for (std::size_t size = 5; size < 12; ++size) wires_.send(link, Bytes(size));
    all_that_happens();
    EXPECT_EQ(client_.log, "connected 5 6 7 8 9 10 11 ");
    wires_.hang_up(link);
    all_that_happens();
}

TEST_F(SimulatedWires, NobodyListensIsAClosedConnection) {
    wires_.dial(client_);
    all_that_happens();
    EXPECT_EQ(client_.log, "closed ");
}

TEST_F(SimulatedWires, ACutLosesWhatIsUnderWay) {
    listen();
    const LinkRef link = wires_.dial(client_);
    while (client_.log.empty()) ASSERT_TRUE(world_.step());
    wires_.send(link, Bytes(5));
    wires_.cut(link);
    all_that_happens();
    EXPECT_EQ(client_.log, "connected closed ");
    EXPECT_EQ(network_.connections(), 0u);
}

TEST_F(SimulatedWires, WhatAProcessSentStillArrivesUnlessItsMachineCrashed) {
    for (const bool machine : {false, true}) {
        client_.log.clear();
        listen();
        const LinkRef link = wires_.dial(client_);
        while (client_.log.empty()) ASSERT_TRUE(world_.step());
        bool answered = false;
        wires_.send(link, Bytes(5));
        // Until the answer is on its way.
        while (!answered && client_.log == "connected ") {
            answered = link->to_client > world_.now() && link->to_server <= world_.now();
            if (answered) break;
            ASSERT_TRUE(world_.step());
        }
        network_.die(machine);
        all_that_happens();
        EXPECT_EQ(client_.log, machine ? "connected closed " : "connected 5 closed ");
    }
}

class ForgetfulDisk : public Parts {
protected:
    void append(sdk::Log& log, std::int64_t timestamp = 1000) {
        const sdk::Offset base = log.bounds().end;
        auto bytes = wire::BatchBuilder{wire::BatchFields{.base_offset = base}}
                         .add({.value = "v", .timestamp = {timestamp}})
                         .build();
        const sdk::StampedBatch batch{base, base + 1, {timestamp}, bytes};
        ASSERT_TRUE(log.append({&batch, 1}));
    }
    std::unique_ptr<sdk::Log> open() { return *engine_.open(id_, {}); }

    SimShards process_{world_, 1};
    SimDisk disk_{world_};
    SimEngine engine_{disk_, process_};
    const sdk::PartitionId id_{{{1}}, "t", 0};
};

TEST_F(ForgetfulDisk, AProcessThatEndsLosesNothing) {
    auto log = open();
    for (int i = 0; i < 5; ++i) append(*log);
    log.reset();
    EXPECT_EQ(disk_.process_ended().front().kept, sdk::Offset{5});
    EXPECT_EQ(open()->bounds().end, sdk::Offset{5});
}

TEST_F(ForgetfulDisk, ACrashKeepsWhatWasSyncedAndAnyPrefixOfTheRest) {
    std::vector<bool> kept(9);
    for (int round = 0; round < 300; ++round) {
        auto log = open();
        for (int i = 0; i < 3; ++i) append(*log);
        ASSERT_TRUE(log->flush());
        for (int i = 0; i < 5; ++i) append(*log);
        log.reset();
        const Loss loss = disk_.machine_crashed().front();
        EXPECT_EQ(loss.had, sdk::Offset{8});
        ASSERT_GE(loss.kept, sdk::Offset{3});
        ASSERT_LE(loss.kept, sdk::Offset{8});
        kept[static_cast<std::size_t>(loss.kept.value)] = true;
        ASSERT_TRUE(engine_.remove(id_));
    }
    EXPECT_EQ(kept, (std::vector<bool>{false, false, false, true, true, true, true, true, true}));
}

TEST_F(ForgetfulDisk, ASyncThatFailedTakesBackWhatItShouldHaveCovered) {
    bool lost = false, kept = false;
    for (int round = 0; round < 100; ++round) {
        auto log = open();
        append(*log);
        disk_.faults = {.flush_io = 1000};
        EXPECT_FALSE(log->flush());
        EXPECT_TRUE(disk_.a_sync_failed());
        disk_.faults = {};
        log.reset();
        const Loss loss = disk_.process_ended().front();
        EXPECT_TRUE(loss.disk_failed);
        (loss.kept < loss.had ? lost : kept) = true;
        ASSERT_TRUE(engine_.remove(id_));
    }
    EXPECT_TRUE(lost && kept) << "either may happen";
}

TEST_F(ForgetfulDisk, AFullOneKeepsNothingOfAnAppend) {
    auto log = open();
    disk_.faults = {.no_space = 1000};
    const auto bytes = wire::BatchBuilder{}.add({.value = "v"}).build();
    const sdk::StampedBatch batch{{0}, {1}, {0}, bytes};
    EXPECT_EQ(log->append({&batch, 1}).error().code, sdk::Errc::no_space);
    EXPECT_EQ(log->bounds().end, sdk::Offset{0});
    log.reset();
    EXPECT_EQ(disk_.machine_crashed().front().kept, sdk::Offset{0});
}

TEST_F(ForgetfulDisk, ItsTimeIndexMayAnswerTooEarlyAndNeverTooLate) {
    auto log = open();
    for (const std::int64_t timestamp : {10, 30, 20, 50, 40}) append(*log, timestamp);
    bool exact = false, early = false;
    for (int i = 0; i < 200; ++i) {
        const auto at = log->seek({45});
        ASSERT_TRUE(at && *at <= sdk::Offset{3});
        (*at == sdk::Offset{3} ? exact : early) = true;
    }
    EXPECT_TRUE(exact && early);
    EXPECT_FALSE(log->seek({51}));
}

TEST_F(ForgetfulDisk, AKilledProcessReachesItNoMore) {
    auto log = open();
    append(*log);
    process_.kill();
    EXPECT_FALSE(log->flush());
    EXPECT_FALSE(log->truncate({0}));
    EXPECT_FALSE(engine_.remove(id_));
    EXPECT_EQ(disk_.end(id_.topic_id, 0), sdk::Offset{1});
}

TEST(SimulatedWallClock, RemembersWhatItShowed) {
    WallClock clock;
    const std::int64_t noon = WallClock::began_ms;
    clock.set_forward(10s, 1'000'000);
    clock.set_forward(20s, -2'000'000);
    EXPECT_EQ(clock.at(30s).value, noon + 30'000 - 1'000'000);
    EXPECT_EQ(clock.set_back(), 1);
    EXPECT_TRUE(clock.showed({noon + 9'000}, 8s, 12s));
    EXPECT_TRUE(clock.showed({noon + 11'000 + 1'000'000}, 8s, 12s));
    EXPECT_FALSE(clock.showed({noon + 11'000}, 8s, 12s));
    EXPECT_TRUE(clock.was_before({noon}, 19s, 21s));
    EXPECT_FALSE(clock.was_before({noon}, 1s, 19s));
    EXPECT_FALSE(clock.was_not_before({noon + 1'000'000}, 1s, 9s));
    clock.set_right(40s);
    EXPECT_EQ(clock.at(40s), WallClock::unset(40s));
}

}  // namespace
}  // namespace leat::simulation
