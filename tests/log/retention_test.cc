// What retention lets go, and when: as Kafka's UnifiedLog.deleteOldSegments, with traps L14, L15.
#include "core/log/retention.h"

#include <gtest/gtest.h>

#include <random>

namespace leat::log {
namespace {

using namespace std::chrono_literals;
using sdk::Extent;

constexpr std::int64_t hour = 3'600'000;
constexpr std::int64_t day = 24 * hour;
constexpr Timestamp noon{1'700'000'000'000};

Timestamp noon_and(std::int64_t ms) {
    return {noon.value + ms};
}

// Extents of ten offsets and a hundred bytes.
struct Log {
    std::vector<Extent> extents;
    Offset begin{0};
    Offset high_watermark{INT64_MAX};

    explicit Log(const std::vector<Timestamp>& times) {
        Offset base{0};
        for (const Timestamp time : times) {
            extents.push_back({base, base + 10, 100, time});
            base = base + 10;
        }
    }
    RetainedLog view() const { return {extents, begin, high_watermark}; }
};

std::int64_t trimmed(Retention& retention, const RetentionLimits& limits, const Log& log,
                     Timestamp now) {
    return retention.trim_point(limits, log.view(), now).value;
}
std::int64_t trimmed(const RetentionLimits& limits, const Log& log, Timestamp now = noon) {
    Retention retention;
    return trimmed(retention, limits, log, now);
}

TEST(Retention, LetsGoWhatIsOlderThanItsTimeAndNotWhatIsExactlyAsOld) {
    const Log log{{noon_and(-day - 1), noon_and(-day), noon}};
    EXPECT_EQ(trimmed({.ms = day}, log), 10);
    EXPECT_EQ(trimmed({.ms = day}, log, noon_and(1)), 20);
}

TEST(Retention, AnOldExtentBehindAYoungOneStays) {
    EXPECT_EQ(trimmed({.ms = day}, Log{{noon, noon_and(-9 * day), noon}}), 0);
}

TEST(Retention, TheLastExtentGoesLikeAnyOther) {
    EXPECT_EQ(trimmed({.ms = hour}, Log{{noon_and(-day), noon_and(-day)}}), 20);
    EXPECT_EQ(trimmed({.bytes = 0}, Log{{noon, noon}}), 20);
}

TEST(Retention, KeepsAtLeastItsBytesAndNoExtentMoreThanThat) {
    const Log log{{noon, noon, noon, noon}};
    EXPECT_EQ(trimmed({.bytes = 400}, log), 0);
    EXPECT_EQ(trimmed({.bytes = 301}, log), 0);
    EXPECT_EQ(trimmed({.bytes = 300}, log), 10);
    EXPECT_EQ(trimmed({.bytes = 150}, log), 20);
    EXPECT_EQ(trimmed({.bytes = 5000}, log), 0);
}

TEST(Retention, WhatSizeLeavesTimeMayStillTake) {
    const Log log{{noon_and(-day), noon_and(-day), noon_and(-day), noon}};
    EXPECT_EQ(trimmed({.ms = hour, .bytes = 300}, log), 30);
}

TEST(Retention, NothingGoesThatReachesAboveTheHighWatermark) {
    Log log{{noon_and(-day), noon_and(-day), noon_and(-day)}};
    log.high_watermark = {19};
    EXPECT_EQ(trimmed({.ms = hour, .bytes = 0}, log), 10);
    log.high_watermark = {20};
    EXPECT_EQ(trimmed({.ms = hour, .bytes = 0}, log), 20);
}

TEST(Retention, WithoutLimitsOrWithoutDeleteNothingGoes) {
    const Log log{{noon_and(-900 * day)}};
    EXPECT_EQ(trimmed({}, log), 0);
    EXPECT_EQ(trimmed({.deletes = false, .ms = 1, .bytes = 0}, log), 0);
    EXPECT_EQ(trimmed({.ms = 1}, Log{{}}), 0);
}

TEST(Retention, WhereALogThatWasTrimmedInsideAnExtentBeginsIsNotLowered) {
    Log log{{noon_and(-day), noon}};
    log.begin = {5};
    EXPECT_EQ(trimmed({.ms = hour}, log), 10);
    EXPECT_EQ(trimmed({.ms = 2 * day}, log), 5);
}

// Trap L14.
TEST(Retention, ATimestampFromTheFarFutureDoesNotStopIt) {
    Retention retention;
    const Log log{{noon_and(90'000 * day), noon_and(-hour), noon_and(hour)}};
    EXPECT_EQ(trimmed(retention, {.ms = day}, log, noon), 0);
    EXPECT_EQ(trimmed(retention, {.ms = day}, log, noon_and(day)), 0);
    EXPECT_EQ(trimmed(retention, {.ms = day}, log, noon_and(day + 1)), 20);
}

TEST(Retention, NeitherDoRecordsThatHaveNoTimestamp) {
    Retention retention;
    const Log log{{{-1}, {-1}}};
    EXPECT_EQ(trimmed(retention, {.ms = day}, log, noon), 0);
    EXPECT_EQ(trimmed(retention, {.ms = day}, log, noon_and(day + 1)), 20);
}

TEST(Retention, AnExtentThatStillGrowsIsYoung) {
    Retention retention;
    Log log{{noon_and(90'000 * day)}};
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(trimmed(retention, {.ms = day}, log, noon_and(i * day)), 0);
        log.extents.back().next = log.extents.back().next + 1;
    }
}

// After a restart counting begins anew; a broker that restarts each week is not to keep all.
TEST(Retention, AfterARestartItGoesWithTheOldExtentBehindItWithinADay) {
    Retention retention;
    const Log log{{noon_and(90'000 * day), noon_and(-8 * day), noon}};
    EXPECT_EQ(trimmed(retention, {.ms = 7 * day}, log, noon), 0);
    EXPECT_EQ(trimmed(retention, {.ms = 7 * day}, log, noon_and(day)), 0);
    EXPECT_EQ(trimmed(retention, {.ms = 7 * day}, log, noon_and(day + 1)), 20);
}

TEST(Retention, TimestampsAtTheEndsOfTheirRangeOverflowNothing) {
    const Log log{{{INT64_MIN}, {INT64_MAX}}};
    EXPECT_EQ(trimmed({.ms = INT64_MAX, .bytes = INT64_MAX}, log), 0);
    EXPECT_EQ(trimmed({.ms = 0}, Log{{{0}}}), 10);
}

// A clock on a wall and one that nobody can set.
struct Clocks {
    sdk::Instant now{1s};
    std::int64_t ahead = 0;
    RetentionClock clock;

    Timestamp right() const {
        return noon_and(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
    }
};

// How far what is believed is from what is right.
std::int64_t off(Clocks& clocks) {
    return clocks.clock.read({clocks.right().value + clocks.ahead}, clocks.now).time.value -
           clocks.right().value;
}

TEST(RetentionClock, FollowsAClockThatIsSlewed) {
    Clocks clocks;
    EXPECT_EQ(off(clocks), 0);
    for (int i = 0; i < 100; ++i) {
        clocks.now += 5min;
        clocks.ahead += 200;
        EXPECT_EQ(off(clocks), clocks.ahead);
    }
}

// Trap L15.
TEST(RetentionClock, AJumpByDaysIsNotBelievedBeforeItHasStoodForADay) {
    Clocks clocks;
    off(clocks);
    clocks.ahead = 3 * day;
    for (int minutes = 0; minutes < 24 * 60; minutes += 5) {
        EXPECT_EQ(off(clocks), 0);
        clocks.now += 5min;
    }
    EXPECT_EQ(off(clocks), 3 * day);
}

TEST(RetentionClock, AJumpIsNewsOnce) {
    Clocks clocks;
    const auto read = [&] {
        clocks.now += 5min;
        return clocks.clock.read({clocks.right().value + clocks.ahead}, clocks.now).jumped_by_ms;
    };
    EXPECT_EQ(read(), std::nullopt);
    clocks.ahead = 2 * day;
    EXPECT_EQ(read(), 2 * day);
    EXPECT_EQ(read(), std::nullopt);
    clocks.ahead = 9 * day;
    EXPECT_EQ(read(), 9 * day);
}

TEST(RetentionClock, AShortJumpIsBelievedWhenItHasStoodAsLongAsItIsLarge) {
    Clocks clocks;
    off(clocks);
    clocks.ahead = 600'000;
    EXPECT_EQ(off(clocks), 0);
    clocks.now += 9min;
    EXPECT_EQ(off(clocks), 0);
    clocks.now += 1min;
    EXPECT_EQ(off(clocks), 600'000);
}

TEST(RetentionClock, AClockThatIsSetBackIsFollowedAndMayComeBack) {
    Clocks clocks;
    off(clocks);
    clocks.ahead = -3 * day;
    EXPECT_EQ(off(clocks), -3 * day);
    clocks.now += 1h;
    clocks.ahead = 0;
    EXPECT_EQ(off(clocks), 0);
    clocks.ahead = -3 * day;
    for (int i = 0; i < 30; ++i) {
        EXPECT_EQ(off(clocks), -3 * day);
        clocks.now += 1h;
    }
    clocks.ahead = 0;
    EXPECT_EQ(off(clocks), -3 * day) << "by now that is a jump forward like any other";
}

TEST(RetentionClock, WhateverSomebodyDoesToTheClockForHoursNothingIsEarly) {
    std::mt19937 random{20};
    for (int story = 0; story < 50; ++story) {
        Clocks clocks;
        off(clocks);
        for (int jump = 0; jump < 50; ++jump) {
            clocks.ahead = static_cast<std::int64_t>(random() % 1440) * hour - 30 * day;
            for (int check = 0; check < 6; ++check) {
                EXPECT_LE(off(clocks), 0);
                clocks.now += 5min;
            }
        }
        clocks.ahead = 0;
        off(clocks);
        clocks.now += 25h;
        EXPECT_EQ(off(clocks), 0) << "and when it is right again it is believed again";
    }
}

}  // namespace
}  // namespace leat::log
