// Rules of engines that drop their oldest extents when a budget is spent. Included by
// storage_conformance.h; skipped unless the engine says its `budget`.
#pragma once

#include "leat/sdk/testing/storage_conformance.h"

namespace leat::sdk::testing {

class StorageBudget : public StorageConformance {
protected:
    static std::uint64_t held_by(const Log& log) {
        std::uint64_t bytes = 0;
        for (const Extent& extent : log.extents()) bytes += extent.bytes;
        return bytes;
    }
    // So that every budget is spent several times.
    void append_four_budgets() {
        const std::size_t size = static_cast<std::size_t>(GetParam().budget / 100);
        for (int i = 0; i < 400; ++i) append(1, {.value_bytes = size});
    }
};

TEST_P(StorageBudget, DropsTheOldestExtentsWhole) {
    if (GetParam().budget == 0) GTEST_SKIP() << "it drops nothing";
    auto before = log_->extents();
    const std::size_t size = static_cast<std::size_t>(GetParam().budget / 100);
    for (int i = 0; i < 400; ++i) {
        append(1, {.value_bytes = size});
        EXPECT_LE(held_by(*log_), GetParam().budget);
        const auto after = log_->extents();
        const Offset begin = log_->bounds().begin;
        // What went is a run of extents from the front, and the beginning says so.
        std::erase_if(before, [&](const Extent& one) { return one.next <= begin; });
        ASSERT_FALSE(after.empty());
        ASSERT_EQ(after.front().base, before.empty() ? begin : before.front().base);
        ASSERT_EQ(after.front().base, begin);
        before = after;
    }
    EXPECT_GT(log_->bounds().begin, Offset{0});
    EXPECT_GE(held_by(*log_), GetParam().budget / 4);
    EXPECT_TRUE(same(read_all(), expected(log_->bounds().begin)));
}

TEST_P(StorageBudget, AnswersOutOfRangeForWhatItDropped) {
    if (GetParam().budget == 0) GTEST_SKIP() << "it drops nothing";
    append_four_budgets();
    const Offset begin = log_->bounds().begin;
    const auto gone = log_->read({begin.value - 1}, make_.next(), 1000);
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().code, Errc::out_of_range);
    EXPECT_GE(log_->bounds().flushed, begin);
    ASSERT_TRUE(log_->seek({0}));
    EXPECT_GE(*log_->seek({0}), begin);
}

TEST_P(StorageBudget, SaysWhatItDropped) {
    if (GetParam().budget == 0) GTEST_SKIP() << "it drops nothing";
    append_four_budgets();
    const auto lines = context_->lines();
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find(id_.topic) != std::string::npos;
    }));
}

TEST_P(StorageBudget, KeepsDroppedSlicesReadable) {
    if (GetParam().budget == 0) GTEST_SKIP() << "it drops nothing";
    append(1, {.value_bytes = 500});
    auto answer = log_->read({0}, {1}, 1);
    ASSERT_TRUE(answer && answer->slices.size() == 1);
    append_four_budgets();
    ASSERT_GT(log_->bounds().begin, Offset{0});
    const auto bytes = bytes_of(answer->slices.front(), GetParam().reader);
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(*bytes == written_.front().bytes);
}

TEST_P(StorageBudget, SharesItBetweenPartitionsByAge) {
    if (GetParam().budget == 0) GTEST_SKIP() << "it drops nothing";
    auto other = open({.topic_id = id_.topic_id, .topic = id_.topic, .index = 8});
    BatchMaker make{Offset{0}};
    const TestBatch batch = make(1, {.value_bytes = 500});
    const StampedBatch one = batch.stamped();
    ASSERT_TRUE(other->append({&one, 1}));
    append_four_budgets();
    EXPECT_LE(held_by(*log_) + held_by(*other), GetParam().budget);
    // The other one's batch was the oldest of all.
    EXPECT_EQ(other->bounds(), (LogBounds{{1}, {1}, {1}}));
    const TestBatch next = make(1, {.value_bytes = 500});
    const StampedBatch another = next.stamped();
    ASSERT_TRUE(other->append({&another, 1}));
    EXPECT_TRUE(same(read_all(*other), as_seen({&next, 1})));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StorageBudget);

}  // namespace leat::sdk::testing
