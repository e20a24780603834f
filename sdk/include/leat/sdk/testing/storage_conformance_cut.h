// Rules of truncate, trim and remove. Included by storage_conformance.h.
#pragma once

#include "leat/sdk/testing/storage_conformance.h"

namespace leat::sdk::testing {

// Fourteen batches in three extents, so that cuts fall into, between and behind extents.
inline constexpr int batches_to_cut = 14;

TEST_P(StorageConformance, TruncatesAtEveryBatchBoundaryAndGoesOn) {
    for (int kept = 0; kept <= batches_to_cut; ++kept) {
        SCOPED_TRACE(kept);
        const Offset begin = log_->bounds().end;
        if (kept > 0) {
            ASSERT_TRUE(log_->trim(begin));
        }
        written_.clear();
        for (int i = 0; i < batches_to_cut; ++i) {
            append(1 + i % 3);
            if (i % 5 == 4) {
                ASSERT_TRUE(log_->seal());
            }
        }
        const auto keep = static_cast<std::size_t>(kept);
        const Offset end = kept == batches_to_cut ? make_.next() : written_[keep].base;
        ASSERT_TRUE(log_->truncate(end));
        written_.resize(keep);
        make_.go_to(end);
        EXPECT_EQ(log_->bounds().end, end);
        EXPECT_LE(log_->bounds().flushed, end);
        EXPECT_TRUE(same(read_all(), expected()));
        append(2, {.value_bytes = 77});
        append(1);
        EXPECT_TRUE(same(read_all(), expected()));
    }
}

TEST_P(StorageConformance, TruncatesABatchThatReachesOverTheEndAsAWhole) {
    append(10);
    append(10);
    append(10);
    ASSERT_TRUE(log_->truncate({25}));
    EXPECT_EQ(log_->bounds().end, Offset{20});
    ASSERT_TRUE(log_->truncate({19}));
    EXPECT_EQ(log_->bounds().end, Offset{10});
    written_.resize(1);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, TruncatesNothingAtOrAboveItsEnd) {
    append_some(4);
    ASSERT_TRUE(log_->truncate(make_.next()));
    ASSERT_TRUE(log_->truncate(make_.next() + 100));
    EXPECT_TRUE(same(read_all(), expected()));
    EXPECT_EQ(log_->bounds().end, make_.next());
}

TEST_P(StorageConformance, BeginsAndEndsWhereATruncationLeftNothing) {
    append(10);
    append(10);
    ASSERT_TRUE(log_->trim({10}));
    ASSERT_TRUE(log_->truncate({4}));
    EXPECT_EQ(log_->bounds().begin, Offset{4});
    EXPECT_EQ(log_->bounds().end, Offset{4});
    EXPECT_TRUE(log_->extents().empty());
    written_.clear();
    make_.go_to({4});
    append(3);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, SeeksRightAfterATruncation) {
    append(1, {.timestamp = {100}});
    append(1, {.timestamp = {900}});
    append(1, {.timestamp = {950}});
    ASSERT_TRUE(log_->truncate({1}));
    EXPECT_EQ(log_->seek({101}), std::nullopt);
    EXPECT_EQ(log_->extents().back().max_timestamp, Timestamp{100});
    make_.go_to({1});
    append(1, {.timestamp = {500}});
    EXPECT_EQ(log_->seek({501}), std::nullopt);
    ASSERT_TRUE(log_->seek({500}));
    EXPECT_LE(*log_->seek({500}), Offset{1});
}

TEST_P(StorageConformance, TrimsAtEveryBatchBoundary) {
    for (int i = 0; i < batches_to_cut; ++i) {
        append(1 + i % 3);
        if (i % 5 == 4) {
            ASSERT_TRUE(log_->seal());
        }
    }
    for (const TestBatch& batch : written_) {
        ASSERT_TRUE(log_->trim(batch.next));
        EXPECT_EQ(log_->bounds().begin, batch.next);
        EXPECT_EQ(log_->bounds().end, make_.next());
        EXPECT_TRUE(same(read_all(), expected(batch.next)));
        const auto gone = log_->read(batch.base, make_.next(), 1000);
        ASSERT_FALSE(gone);
        EXPECT_EQ(gone.error().code, Errc::out_of_range);
        for (const Extent& extent : log_->extents()) EXPECT_GT(extent.next, batch.next);
    }
    append_some(3);
    EXPECT_TRUE(same(read_all(), expected(written_[batches_to_cut - 1].next)));
}

TEST_P(StorageConformance, TrimsInsideABatchByKeepingItWhole) {
    append(10);
    append(10, {.timestamp = {7}});
    ASSERT_TRUE(log_->trim({15}));
    EXPECT_EQ(log_->bounds().begin, Offset{15});
    EXPECT_TRUE(same(read({15}, {20}, 1000), as_seen({&written_[1], 1})));
    EXPECT_FALSE(log_->read({14}, {20}, 1000));
    const auto found = log_->seek({7});
    ASSERT_TRUE(found);
    EXPECT_GE(*found, Offset{15});
}

TEST_P(StorageConformance, TrimsAboveItsEndByBeginningThere) {
    append_some(6);
    ASSERT_TRUE(log_->trim({1000}));
    EXPECT_EQ(log_->bounds(), (LogBounds{{1000}, {1000}, {1000}}));
    EXPECT_TRUE(log_->extents().empty());
    EXPECT_TRUE(read({1000}, {1000}, 100).empty());
    written_.clear();
    make_.go_to({1000});
    append_some(4);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, NeverLowersItsBeginning) {
    append_some(6);
    ASSERT_TRUE(log_->trim({5}));
    ASSERT_TRUE(log_->trim({2}));
    EXPECT_EQ(log_->bounds().begin, Offset{5});
}

TEST_P(StorageConformance, KeepsSlicesReadableThroughTrimAndRemove) {
    for (int i = 0; i < 6; ++i) {
        append(2, {.value_bytes = 5000});
        ASSERT_TRUE(log_->seal());
    }
    read({0}, make_.next(), 1u << 20);
    auto answer = log_->read({0}, make_.next(), 1u << 20);
    for (int i = 0; answer && answer->bring_in && i < 5; ++i) {
        answer->bring_in();
        answer = log_->read({0}, make_.next(), 1u << 20);
    }
    ASSERT_TRUE(answer && !answer->slices.empty());
    ASSERT_TRUE(log_->trim(make_.next()));
    make_.go_to(log_->bounds().end);
    const auto before = written_;
    append_some(50);
    log_.reset();
    ASSERT_TRUE(engine_->remove(id_));
    engine_.reset();
    const auto seen = batches_of(answer->slices, GetParam().reader);
    ASSERT_TRUE(seen) << seen.error().what;
    ASSERT_FALSE(seen->empty());
    EXPECT_TRUE(same(*seen, as_seen(std::span{before}.first(seen->size()))));
}

TEST_P(StorageConformance, ForgetsARemovedPartition) {
    append_some(10);
    ASSERT_TRUE(log_->flush());
    ASSERT_TRUE(log_->trim({3}));
    log_.reset();
    ASSERT_TRUE(engine_->remove(id_));
    log_ = open(id_);
    EXPECT_EQ(log_->bounds(), (LogBounds{{0}, {0}, {0}}));
    crash();
    EXPECT_EQ(log_->bounds(), (LogBounds{{0}, {0}, {0}}));
    written_.clear();
    make_.go_to({0});
    append_some(3);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, LeavesANewerTopicOfTheSameNameAlone) {
    log_.reset();
    PartitionId recreated = id_;
    recreated.topic_id.bytes[0] ^= 0xFF;
    log_ = open(recreated);
    append_some(5);
    ASSERT_TRUE(log_->flush());
    log_.reset();
    ASSERT_TRUE(engine_->remove(id_));
    if (!can().durable) return;
    log_ = open(recreated);
    EXPECT_TRUE(same(read_all(), expected()));
}

// A topic of many partitions is deleted and made again: both are at it, on different workers.
TEST_P(StorageConformance, RemovesAnEarlierTopicWhileItOpensTheNewerOne) {
    PartitionId id = id_;
    for (std::uint8_t round = 0; round < 50; ++round) {
        SCOPED_TRACE(static_cast<int>(round));
        append_some(2);
        ASSERT_TRUE(log_->flush());
        log_.reset();
        const PartitionId earlier = id;
        id.topic_id.bytes[1] ^= static_cast<std::uint8_t>(round + 1);
        Status removed{Error{Errc::unavailable, "not yet"}};
        std::thread other{[&] { removed = engine_->remove(earlier); }};
        log_ = open(id);
        other.join();
        EXPECT_TRUE(removed) << removed.error().what;
        ASSERT_TRUE(log_);
        ASSERT_EQ(log_->bounds(), (LogBounds{{0}, {0}, {0}}));
        written_.clear();
        make_.go_to({0});
    }
    append_some(3);
    EXPECT_TRUE(same(read_all(), expected()));
    ASSERT_TRUE(log_->flush());
    if (!can().durable) return;
    const auto kept = engine_->partitions();
    ASSERT_TRUE(kept);
    ASSERT_EQ(kept->size(), 1u);
    EXPECT_EQ(kept->front(), id);
    log_.reset();
    log_ = open(id);
    EXPECT_TRUE(same(read_all(), expected()));
}

}  // namespace leat::sdk::testing
