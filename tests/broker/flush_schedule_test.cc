// When a log is synced, as stories of appends, syncs and time.
#include "core/broker/flush_schedule.h"

#include <gtest/gtest.h>

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using sdk::Offset;
using Kind = FlushPromise::Kind;

TEST(FlushSchedule, WithoutAPromiseNothingIsEverDue) {
    FlushSchedule schedule{{.kind = Kind::none}, Offset{0}};
    schedule.appended(Offset{1000}, 0s);
    EXPECT_FALSE(schedule.due(1h));
    EXPECT_FALSE(schedule.acknowledges_after_sync());
}

TEST(FlushSchedule, EachSyncsAtOnceAndSharesTheNextSyncAmongWhatCameMeanwhile) {
    FlushSchedule schedule{{.kind = Kind::each}, Offset{0}};
    EXPECT_TRUE(schedule.acknowledges_after_sync());
    schedule.appended(Offset{1}, 0s);
    ASSERT_TRUE(schedule.due(0s));
    schedule.started();
    schedule.appended(Offset{2}, 1ms);
    schedule.appended(Offset{3}, 1ms);
    EXPECT_FALSE(schedule.due(1ms)) << "one sync at a time";
    schedule.finished(Offset{1});
    EXPECT_EQ(schedule.durable(), Offset{1});
    ASSERT_TRUE(schedule.due(2ms)) << "one sync for both";
    schedule.started();
    schedule.finished(Offset{3});
    EXPECT_FALSE(schedule.due(1h));
}

TEST(FlushSchedule, AnIntervalCountsFromTheOldestUnsyncedAppend) {
    FlushSchedule schedule{{.kind = Kind::interval, .interval = 100ms}, Offset{0}};
    schedule.appended(Offset{1}, 50ms);
    schedule.appended(Offset{2}, 120ms);
    EXPECT_FALSE(schedule.due(149ms));
    EXPECT_EQ(schedule.ask_again_at(), sdk::Instant{150ms});
    EXPECT_TRUE(schedule.due(150ms));
    schedule.started();
    schedule.appended(Offset{3}, 160ms);
    EXPECT_EQ(schedule.ask_again_at(), std::nullopt) << "finished() comes first";
    schedule.finished(Offset{2});
    EXPECT_EQ(schedule.ask_again_at(), sdk::Instant{260ms});
}

TEST(FlushSchedule, SoManyMessagesAreDueWhateverTheTime) {
    FlushSchedule schedule{{.kind = Kind::none, .messages = 10}, Offset{0}};
    schedule.appended(Offset{9}, 0s);
    EXPECT_FALSE(schedule.due(0s));
    schedule.appended(Offset{10}, 0s);
    EXPECT_TRUE(schedule.due(0s));
}

}  // namespace
}  // namespace leat::broker
