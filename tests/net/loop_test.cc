#include "core/net/loop.h"

#include "core/net/timers.h"
#include "core/net/workers.h"
#include "tests/net/running.h"

namespace leat::net {
namespace {

using std::chrono::milliseconds;

TEST(Timers, RunInTheOrderOfTheirTimesAndThenOfTheirBeginning) {
    Timers timers;
    std::string order;
    timers.add(milliseconds{30}, [&] { order += 'c'; });
    timers.add(milliseconds{10}, [&] { order += 'a'; });
    timers.add(milliseconds{30}, [&] { order += 'd'; });
    timers.add(milliseconds{20}, [&] { order += 'b'; });
    timers.run_due(milliseconds{5});
    EXPECT_EQ(order, "");
    EXPECT_EQ(timers.next_due(), milliseconds{10});
    timers.run_due(milliseconds{30});
    EXPECT_EQ(order, "abcd");
    EXPECT_EQ(timers.next_due(), std::nullopt);
}

TEST(Timers, ACancelledOneDoesNotRunEvenWhenItIsDueInTheSameMoment) {
    Timers timers;
    int ran = 0;
    sdk::TimerId second{};
    timers.add(milliseconds{1}, [&] { timers.cancel(second); });
    second = timers.add(milliseconds{1}, [&] { ++ran; });
    timers.run_due(milliseconds{1});
    EXPECT_EQ(ran, 0);
}

TEST(Timers, AnOldNumberDoesNotCancelANewTimerInItsPlace) {
    Timers timers;
    int ran = 0;
    const auto first = timers.add(milliseconds{1}, [] {});
    timers.run_due(milliseconds{1});
    timers.add(milliseconds{2}, [&] { ++ran; });
    timers.cancel(first);
    timers.cancel(sdk::TimerId::none);
    timers.run_due(milliseconds{2});
    EXPECT_EQ(ran, 1);
}

TEST(Timers, OneThatAddsItselfWithoutDelayLeavesRoomForOthers) {
    Timers timers;
    int ran = 0;
    std::function<void()> again = [&] {
        ++ran;
        timers.add(milliseconds{0}, [&] { again(); });
    };
    again();
    timers.run_due(milliseconds{1});
    EXPECT_EQ(ran, 2);
}

TEST(Timers, AHundredThousandCancelledOnesAreNotKept) {
    Timers timers;
    for (int i = 0; i < 100'000; ++i) timers.cancel(timers.add(std::chrono::hours{1}, [] {}));
    EXPECT_EQ(timers.next_due(), std::nullopt);
}

TEST(Loop, TasksOfOneThreadRunInTheirOrderOnTheShard) {
    Running running{2};
    running.start();
    std::vector<int> order;
    for (int i = 0; i < 10'000; ++i) {
        running.runtime.at(1).post([&order, i] { order.push_back(i); });
    }
    running.on_shard(1, [] {});
    ASSERT_EQ(order.size(), 10'000u);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Loop, TwoShardsThatAskEachOtherAllTheTimeBothGetOn) {
    Running running{2};
    running.start();
    std::atomic<int> passes{0};
    std::function<void(std::size_t)> pass = [&](std::size_t to) {
        if (++passes < 20'000) running.runtime.at(to).post([&, to] { pass(1 - to); });
    };
    for (std::size_t i = 0; i < 8; ++i) running.runtime.at(i % 2).post([&] { pass(1); });
    EXPECT_TRUE(eventually([&] { return passes >= 20'000; }));
    running.stop();
}

TEST(Loop, ATimerWakesASleepingShardAndNotBefore) {
    Running running;
    running.start();
    sdk::Shard& shard = running.runtime.at(0);
    std::promise<sdk::Instant> ran;
    sdk::Instant begun{};
    running.on_shard(0, [&] {
        begun = shard.now();
        shard.after(milliseconds{20}, [&] { ran.set_value(shard.now()); });
    });
    EXPECT_GE(ran.get_future().get() - begun, milliseconds{20});
}

TEST(Loop, OffloadedWorkRunsElsewhereAndItsEndOnTheShard) {
    Running running;
    running.start();
    std::thread::id shard_thread;
    std::thread::id work_thread;
    std::promise<std::thread::id> done;
    running.on_shard(0, [&] {
        shard_thread = std::this_thread::get_id();
        running.runtime.at(0).offload([&] { work_thread = std::this_thread::get_id(); },
                                      [&] { done.set_value(std::this_thread::get_id()); });
    });
    EXPECT_EQ(done.get_future().get(), shard_thread);
    EXPECT_NE(work_thread, shard_thread);
}

TEST(Workers, AreNoMoreThanAllowedAndDoAllBeforeTheyStop) {
    std::atomic<int> at_once{0};
    std::atomic<int> most{0};
    std::atomic<int> done{0};
    Workers workers{3};
    for (int i = 0; i < 1000; ++i) {
        workers.run([&] {
            const int now = ++at_once;
            int seen = most;
            while (seen < now && !most.compare_exchange_weak(seen, now)) {
            }
            std::this_thread::yield();
            --at_once;
            ++done;
        });
    }
    workers.stop();
    EXPECT_EQ(done, 1000);
    EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace leat::net
