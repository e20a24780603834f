// Rules of append, read, seek, seal and extents. Included by storage_conformance.h.
#pragma once

#include "leat/sdk/testing/storage_conformance.h"

namespace leat::sdk::testing {

TEST_P(StorageConformance, IsEmptyAtFirst) {
    EXPECT_EQ(log_->bounds(), (LogBounds{{0}, {0}, {0}}));
    EXPECT_TRUE(log_->extents().empty());
    EXPECT_TRUE(read({0}, {100}, 1000).empty());
    EXPECT_EQ(log_->seek({0}), std::nullopt);
    EXPECT_TRUE(log_->flush());
    EXPECT_TRUE(log_->seal());
    EXPECT_TRUE(log_->append({}));
    EXPECT_EQ(log_->bounds(), (LogBounds{{0}, {0}, {0}}));
}

TEST_P(StorageConformance, ServesWholeBatchesByteForByte) {
    append_some(50);
    append(1, {.value_bytes = 0});
    append(1, {.value_bytes = 300'000});
    append(2000, {.value_bytes = 1});
    EXPECT_EQ(log_->bounds().end, make_.next());
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, TakesManyBatchesOfAllSizesInOneAppend) {
    for (int i = 0; i < 3000; ++i) written_.push_back(make_(1));
    written_.push_back(make_(1, {.value_bytes = 1'500'000}));
    for (int i = 0; i < 100; ++i) written_.push_back(make_(2, {.value_bytes = 9000}));
    ASSERT_TRUE(log_->append(stamped(written_)));
    EXPECT_EQ(log_->bounds().end, make_.next());
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, KeepsNoReferenceToTheBytesOfAnAppend) {
    TestBatch batch = make_(3);
    const TestBatch copy = batch;
    const StampedBatch one = batch.stamped();
    ASSERT_TRUE(log_->append({&one, 1}));
    std::fill(batch.bytes.begin(), batch.bytes.end(), std::byte{0xEE});
    EXPECT_TRUE(same(read_all(), as_seen({&copy, 1})));
}

TEST_P(StorageConformance, TakesGapsBetweenOffsets) {
    append(2);
    append(1, {.gap = 10});
    append(1, {.gap = 5'000'000'000});  // More than an offset within a segment can say.
    EXPECT_EQ(log_->bounds().end, make_.next());
    EXPECT_TRUE(same(read_all(), expected()));
    for (const std::int64_t in_the_gap : {2, 7, 11}) {
        EXPECT_TRUE(same(read({in_the_gap}, make_.next(), 1), as_seen({&written_[1], 1})));
    }
    EXPECT_TRUE(same(read({4'000'000'000}, make_.next(), 1), as_seen({&written_[2], 1})));
}

TEST_P(StorageConformance, ServesTheFirstBatchWholeHoweverLargeItIs) {
    append(1);
    append(1, {.value_bytes = 100'000});
    append(1);
    for (const std::size_t max_bytes : {std::size_t{0}, std::size_t{1}, std::size_t{99'999}}) {
        EXPECT_TRUE(same(read({1}, {3}, max_bytes), as_seen({&written_[1], 1})));
    }
}

TEST_P(StorageConformance, ServesAsManyWholeBatchesAsFit) {
    append_some(40);
    ASSERT_TRUE(log_->flush());
    for (std::size_t first = 0; first < written_.size(); first += 7) {
        std::size_t bytes = 0;
        for (std::size_t count = 1; first + count <= written_.size(); ++count) {
            bytes += written_[first + count - 1].bytes.size();
            const Offset from = written_[first].base;
            const auto wanted = as_seen(std::span{written_}.subspan(first, count));
            EXPECT_TRUE(same(read(from, make_.next(), bytes), wanted));
            EXPECT_TRUE(same(read(from, make_.next(), bytes + 60), wanted));
        }
    }
}

TEST_P(StorageConformance, BeginsNothingAtOrAboveTheLimit) {
    append_some(20);
    for (std::size_t i = 1; i < written_.size(); ++i) {
        const auto before = as_seen(std::span{written_}.first(i));
        EXPECT_TRUE(same(read({0}, written_[i].base, 1u << 20), before));
    }
    EXPECT_TRUE(read(written_[5].base, written_[5].base, 1u << 20).empty());
}

TEST_P(StorageConformance, ReadsFromInsideABatch) {
    append(10);
    append(10);
    for (std::int64_t from = 0; from < 20; ++from) {
        const auto& holder = written_[from < 10 ? 0 : 1];
        EXPECT_TRUE(same(read({from}, {20}, 1), as_seen({&holder, 1}))) << from;
    }
}

TEST_P(StorageConformance, AnswersNothingAtTheEndAndOutOfRangeBeyond) {
    append_some(5);
    const Offset end = log_->bounds().end;
    EXPECT_TRUE(read(end, end, 1000).empty());
    const auto beyond = log_->read(end + 1, end + 2, 1000);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().code, Errc::out_of_range);
    const auto before = log_->read({-1}, end, 1000);
    ASSERT_FALSE(before);
    EXPECT_EQ(before.error().code, Errc::out_of_range);
}

TEST_P(StorageConformance, SealsAnExtentButNeverAnEmptyOne) {
    ASSERT_TRUE(log_->seal());
    append_some(3);
    ASSERT_TRUE(log_->seal());
    ASSERT_TRUE(log_->seal());
    const auto first = log_->extents();
    append(1, {.timestamp = {5}});
    const auto both = log_->extents();
    ASSERT_EQ(both.size(), first.size() + 1);
    EXPECT_EQ(both.front(), first.front());
    EXPECT_EQ(both.back().next, log_->bounds().end);
    EXPECT_EQ(both.back().bytes, written_.back().bytes.size());
    EXPECT_EQ(both.back().max_timestamp, Timestamp{5});
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, TellsItsExtentsInOrderAndWithNothingLeftOut) {
    for (int i = 0; i < 10; ++i) {
        append_some(4);
        ASSERT_TRUE(log_->seal());
    }
    std::uint64_t bytes = 0;
    for (const TestBatch& batch : written_) bytes += batch.bytes.size();
    Offset end{0};
    for (const Extent& extent : log_->extents()) {
        EXPECT_GE(extent.base, end);
        EXPECT_GT(extent.next, extent.base);
        end = extent.next;
        bytes -= extent.bytes;
    }
    EXPECT_EQ(end, log_->bounds().end);
    EXPECT_EQ(bytes, 0u);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, SeeksNeverTooLateWhateverTheTimestamps) {
    const unsigned seed = ::testing::UnitTest::GetInstance()->random_seed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    std::uniform_int_distribution<std::int64_t> pick{0, 99};
    for (int i = 0; i < 300; ++i) {
        append(1, {.value_bytes = random() % 200, .timestamp = {1000 + i * 3 + pick(random)}});
        if (random() % 40 == 0) {
            ASSERT_TRUE(log_->seal());
        }
    }
    for (std::int64_t time = 900; time < 2200; time += 7) {
        const auto found = log_->seek({time});
        const auto first = std::find_if(written_.begin(), written_.end(), [&](const TestBatch& b) {
            return b.max_timestamp.value >= time;
        });
        ASSERT_EQ(found.has_value(), first != written_.end()) << time;
        if (found) {
            EXPECT_LE(*found, first->base) << time;
        }
        if (found) {
            EXPECT_FALSE(read(*found, make_.next(), 1).empty());
        }
    }
}

TEST_P(StorageConformance, KeepsPartitionsApart) {
    auto other = open({.topic_id = id_.topic_id, .topic = id_.topic, .index = 8});
    append_some(5);
    BatchMaker make{Offset{0}};
    const TestBatch batch = make(4, {.value_bytes = 33});
    const StampedBatch one = batch.stamped();
    ASSERT_TRUE(other->append({&one, 1}));
    EXPECT_TRUE(same(read_all(), expected()));
    EXPECT_TRUE(same(read_all(*other), as_seen({&batch, 1})));
}

TEST_P(StorageConformance, RaisesFlushedToWhatWasAppendedBeforeTheFlush) {
    append_some(3);
    EXPECT_LE(log_->bounds().flushed, log_->bounds().end);
    ASSERT_TRUE(log_->flush());
    EXPECT_EQ(log_->bounds().flushed, log_->bounds().end);
    ASSERT_TRUE(log_->seal());
    append_some(3);
    ASSERT_TRUE(log_->flush());
    EXPECT_EQ(log_->bounds().flushed, log_->bounds().end);
}

TEST_P(StorageConformance, GoesOnWithOtherOptions) {
    append_some(5);
    for (const std::uint32_t interval : {0u, 1'000'000'000u, 1u}) {
        LogOptions other = GetParam().log_options;
        other.index_interval_bytes = interval;
        log_->options_changed(other);
        append_some(20);
        EXPECT_TRUE(same(read_all(), expected()));
        EXPECT_TRUE(same(read({0}, {1}, 1), as_seen({&written_[0], 1})));
        ASSERT_TRUE(log_->seal());
    }
}

}  // namespace leat::sdk::testing
