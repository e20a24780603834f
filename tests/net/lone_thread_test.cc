#include "core/net/lone_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace leat::net {
namespace {

TEST(ALoneThread, RunsOneAfterTheOtherElsewhere) {
    LoneThread thread;
    std::vector<int> order;
    std::promise<std::thread::id> where;
    thread.run([&] { order.push_back(1); });
    thread.run([&] {
        order.push_back(2);
        where.set_value(std::this_thread::get_id());
    });
    EXPECT_NE(where.get_future().get(), std::this_thread::get_id());
    EXPECT_TRUE(thread.end());
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(ALoneThread, ThatHangsIsLeftBehindAndAnotherGoesOn) {
    std::promise<void> let_go;
    std::promise<void> begun;
    {
        LoneThread thread;
        thread.run([released = let_go.get_future().share(), &begun] {
            begun.set_value();
            released.wait();
        });
        bool dropped = true;
        thread.run([&dropped] { dropped = false; });
        begun.get_future().wait();
        thread.leave_behind();
        std::promise<void> next;
        thread.run([&next] { next.set_value(); });
        next.get_future().wait();
        EXPECT_TRUE(dropped);
        EXPECT_FALSE(thread.end()) << "one still runs";
        let_go.set_value();
        while (!thread.end()) std::this_thread::yield();
    }
}

TEST(ALoneThread, IsNotWaitedForForEverWhenItEnds) {
    std::promise<void> let_go;
    std::promise<void> begun;
    LoneThread thread;
    thread.run([released = let_go.get_future().share(), &begun] {
        begun.set_value();
        released.wait();
    });
    begun.get_future().wait();
    EXPECT_FALSE(thread.end());
    let_go.set_value();
    while (!thread.end()) std::this_thread::yield();
}

TEST(ALoneThread, ThatHasNothingToDoIsNone) {
    LoneThread thread;
    thread.leave_behind();
    EXPECT_TRUE(thread.end());
}

}  // namespace
}  // namespace leat::net
