// The judge can say no: each thing that must never happen is told to it once, and so is what looks
// like it and may happen.

#include "tests/simulation/checker.h"

#include <gtest/gtest.h>

#include "core/wire/batch_builder.h"
#include "tests/simulation/offset_model.h"

namespace leat::simulation {
namespace {

using namespace std::chrono_literals;
using Kind = broker::FlushPromise::Kind;

class Judge : public testing::Test {
protected:
    Judge() {
        auto& lives = checker_.lives();
        lives.add("each", {.promise = {.kind = Kind::each}});
        lives.add("none", {.promise = {.kind = Kind::none}});
        lives.add("timed", {.promise = {.kind = Kind::interval, .interval = 100ms}});
        lives.add("stamped", {.promise = {.kind = Kind::each}, .log_append_time = true});
        std::uint8_t number = 0;
        for (const char* name : {"each", "none", "timed", "stamped"})
            lives.born(name, {{++number}});
    }

    Place place(const std::string& topic) { return {checker_.lives().latest(topic)->label, 0}; }
    void acknowledged(const std::string& topic, std::int64_t offset, const std::string& value) {
        checker_.acknowledged(place(topic), offset, {{value, {5}}});
    }
    void shown(const std::string& topic, std::int64_t offset, const std::string& value) {
        checker_.shown(place(topic), {offset, value, {5}});
    }
    void crash(const std::string& topic, std::int64_t kept, bool disk_failed = false) {
        const sdk::PartitionId id{checker_.lives().latest(topic)->id, topic, 0};
        checker_.lost({{id, {10}, {kept}, disk_failed}}, !disk_failed);
    }
    void passes(sdk::Instant time) {
        world_.schedule(world_.now() + time, 0, false, [] {});
        world_.step();
    }
    void stored(const std::string& topic, const std::vector<std::string>& values) {
        std::vector<SeenRecord> records;
        for (const auto& value : values) {
            records.push_back({static_cast<std::int64_t>(records.size()), value, {5}});
        }
        checker_.compare(place(topic), records);
    }
    // The complaint has these words in it; none: there is no complaint.
    void says(const std::string& words) {
        const std::string said = checker_.violation().value_or("");
        EXPECT_NE(said.find(words), std::string::npos) << said;
        EXPECT_EQ(said.empty(), words.empty()) << said;
    }

    Trace trace_{false};
    World world_{1, trace_};
    Checker checker_{world_};
};

TEST_F(Judge, IsContentWithWhatIsThere) {
    acknowledged("each", 0, "i1-0");
    shown("each", 1, "i1-1");
    stored("each", {"i1-0", "i1-1", "p2-0"});
    says("");
}

TEST_F(Judge, SeesAnAcknowledgedRecordThatIsGone) {
    acknowledged("none", 1, "p1-1");
    stored("none", {"p1-0"});
    says("is gone");
}

TEST_F(Judge, SeesAnOffsetThatChangesItsMeaning) {
    shown("each", 4, "p1-1");
    shown("each", 4, "p1-2");
    says("was p1-1 and now is p1-2");
}

TEST_F(Judge, SeesATimestampThatChanges) {
    acknowledged("each", 4, "p1-1");
    checker_.shown(place("each"), {4, "p1-1", {6}});
    says("was of 5 and now is of 6");
}

TEST_F(Judge, SeesARecordTwice) {
    acknowledged("each", 4, "i1-1");
    shown("each", 5, "i1-1");
    says("i1-1 is at");
}

TEST_F(Judge, SeesTheOldTopicInTheNewOne) {
    acknowledged("none", 0, "p1-0");
    checker_.died(place("none"));
    checker_.lives().condemned("none");
    checker_.lives().died("none");
    ASSERT_NE(checker_.lives().born("none", {{77}}), nullptr);
    shown("none", 0, "p2-0");
    says("");
    shown("none", 1, "p1-0");
    says("p1-0 is at none#2");
}

TEST_F(Judge, LetsARetryReachTheNextTopicIfItsProducerGaveUp) {
    shown("none", 0, "i1-0");
    checker_.gave_up({{"i1-0", {5}}});
    checker_.lives().condemned("none");
    checker_.lives().died("none");
    checker_.lives().born("none", {{77}});
    shown("none", 0, "i1-0");
    says("");
}

TEST_F(Judge, KnowsAnIdThatIsUsedAgain) {
    checker_.lives().condemned("none");
    checker_.lives().died("none");
    EXPECT_EQ(checker_.lives().born("none", {{1}}), nullptr);
}

TEST_F(Judge, HoldsEachToItsPromiseAndExcusesNone) {
    acknowledged("none", 5, "p1-5");
    crash("none", 3);
    says("");
    EXPECT_TRUE(checker_.lossy(place("none")));
    EXPECT_TRUE(checker_.may_end_below(place("none"), 5));
    EXPECT_FALSE(checker_.may_end_below(place("none"), 3));
    acknowledged("each", 5, "p1-6");
    crash("each", 5);
    says("was acknowledged and is lost");
}

TEST_F(Judge, ExcusesNoFailingDiskForEach) {
    acknowledged("timed", 5, "p1-5");
    passes(10s);
    crash("timed", 3, true);
    says("");
    acknowledged("each", 5, "p1-6");
    crash("each", 3, true);
    says("was acknowledged and is lost");
}

TEST_F(Judge, HoldsAnIntervalToItsTime) {
    acknowledged("timed", 5, "p1-5");
    passes(1s);
    crash("timed", 3);
    says("");
    acknowledged("timed", 5, "p1-6");
    passes(2s);
    crash("timed", 3);
    says("was acknowledged and is lost");
}

TEST_F(Judge, LetsWhatOnlyWasShownBeLostInACrash) {
    shown("each", 5, "p1-5");
    crash("each", 3);
    shown("each", 5, "p1-7");
    says("");
    EXPECT_FALSE(checker_.lossy(place("each")));
}

TEST_F(Judge, SeesAnIdempotentProducersRecordsOutOfOrder) {
    stored("each", {"i1-0", "i1-2"});
    says("records are missing before i1-2");
}

TEST_F(Judge, SeesAnIdempotentProducersRecordsChangePlaces) {
    stored("each", {"i1-0", "i1-2", "i1-1"});
    says("missing before i1-2");
}

TEST_F(Judge, SeesWhereAProducerBegan) {
    checker_.begins(place("each"), 1, 7);
    stored("each", {"i1-7", "i1-8"});
    says("");
    checker_.begins(place("none"), 1, 9);
    stored("none", {"i1-10"});
    says("missing before i1-10");
}

TEST_F(Judge, SeesAGapInTheOffsets) {
    checker_.compare(place("each"), {{0, "p1-0", {5}}, {2, "p1-1", {5}}});
    says("a gap before each#1-0 offset 2");
}

TEST_F(Judge, LetsAppendTimesGoBackOnlyWithTheClock) {
    const std::vector<SeenRecord> back{{0, "p1-0", {9}}, {1, "p1-1", {5}}};
    world_.wall().set_forward(world_.now(), -100);
    checker_.compare(place("stamped"), back);
    says("");
    Checker strict{world_};
    strict.lives().add("stamped", {.promise = {.kind = Kind::each}, .log_append_time = true});
    strict.lives().born("stamped", {{1}});
    auto twice = back;
    twice.push_back({2, "p1-2", {3}});
    strict.compare({"stamped#1", 0}, twice);
    EXPECT_EQ(strict.violation(), "append times went back by themselves");
}

TEST_F(Judge, SeesADamagedBatch) {
    auto bytes = wire::BatchBuilder{}.add({.value = "i1-0", .timestamp = {5}}).build();
    EXPECT_EQ(records_in(bytes), (std::vector<SeenRecord>{{0, "i1-0", {5}}}));
    bytes.back() ^= std::byte{1};
    EXPECT_EQ(records_in(bytes).front().offset, -1);
}

class OffsetModel : public testing::Test {
protected:
    void batch(std::int32_t epoch, const std::vector<std::int64_t>& timestamps) {
        wire::BatchBuilder builder{{.base_offset = log_.end, .leader_epoch = {epoch}}};
        for (const auto timestamp : timestamps) {
            builder.add({.value = "v", .timestamp = {timestamp}});
        }
        const sdk::Offset base = log_.end;
        log_.end = base + static_cast<std::int64_t>(timestamps.size());
        // The engine's own index is not believed.
        log_.batches.push_back(
            {.base = base,
             .next = log_.end,
             .max_timestamp = {0},
             .bytes = std::make_shared<const std::vector<std::byte>>(builder.build())});
    }

    StoredLog log_;
};

TEST_F(OffsetModel, FindsTheFirstRecordThatIsNotOlder) {
    batch(1, {10, 40, 20});
    batch(2, {30, 50});
    EXPECT_EQ(first_not_older(log_, 15, log_.end), (FoundRecord{1, 40, 1}));
    EXPECT_EQ(first_not_older(log_, 41, log_.end), (FoundRecord{4, 50, 2}));
    EXPECT_EQ(first_not_older(log_, 41, {3}), std::nullopt);
    EXPECT_EQ(first_not_older(log_, 51, log_.end), std::nullopt);
    EXPECT_EQ(first_epoch(log_), 1);
}

TEST_F(OffsetModel, FindsTheNewestForEachEndThatTheLogHad) {
    batch(1, {10, 40, 20});
    batch(2, {30});
    batch(3, {50, 50});
    using All = std::vector<std::optional<FoundRecord>>;
    EXPECT_EQ(newest_between(log_, {0}, {6}), (All{std::nullopt, FoundRecord{1, 40, 1},
                                                   FoundRecord{1, 40, 1}, FoundRecord{4, 50, 3}}));
    EXPECT_EQ(newest_between(log_, {4}, {5}), (All{FoundRecord{1, 40, 1}}));
}

}  // namespace
}  // namespace leat::simulation
