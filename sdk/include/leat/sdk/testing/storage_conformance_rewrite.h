// Rules of engines that say they are rewritable. Included by storage_conformance.h.
#pragma once

#include "leat/sdk/testing/storage_conformance.h"

namespace leat::sdk::testing {

// Six extents of four batches each; the last one is never rewritten. And what compaction leaves of
// some of them: every other batch, and for the last one an empty batch in its place.
class StorageRewrites : public StorageConformance {
protected:
    static constexpr std::size_t extents_made = 6;
    static constexpr std::size_t batches_each = 4;

    void SetUp() override {
        if (!can().rewritable) GTEST_SKIP() << "not rewritable";
        StorageConformance::SetUp();
        for (std::size_t i = 0; i < extents_made * batches_each; ++i) {
            append(2, {.value_bytes = 300, .timestamp = {1000 + static_cast<std::int64_t>(i)}});
            if ((i + 1) % batches_each == 0) {
                ASSERT_TRUE(log_->seal());
            }
        }
        ASSERT_TRUE(log_->flush());
        extents_ = log_->extents();
        ASSERT_EQ(extents_.size(), extents_made);
        ASSERT_NE(log_->rewritable(), nullptr);
    }

    Result<std::unique_ptr<Rewrite>> begin(std::size_t first, std::size_t last) {
        return log_->rewritable()->rewrite(extents_[first].base, extents_[last].next);
    }
    // What extents `first` to `last` are rewritten to.
    std::vector<TestBatch> shorter(std::size_t first, std::size_t last) const {
        std::vector<TestBatch> kept;
        const std::size_t end = (last + 1) * batches_each;
        for (std::size_t i = first * batches_each; i + 1 < end; i += 2) kept.push_back(written_[i]);
        const TestBatch& tail = written_[end - 1];
        kept.push_back(BatchMaker::empty(tail.base, tail.next, {.timestamp = tail.max_timestamp}));
        return kept;
    }
    // In written_ too.
    void take_over(std::size_t first, std::size_t last, std::vector<TestBatch> kept) {
        const auto from = written_.begin() + static_cast<std::ptrdiff_t>(first * batches_each);
        const auto to = written_.begin() + static_cast<std::ptrdiff_t>((last + 1) * batches_each);
        written_.insert(written_.erase(from, to), kept.begin(), kept.end());
    }
    void rewrite(std::size_t first, std::size_t last) {
        const auto kept = shorter(first, last);
        auto made = begin(first, last);
        ASSERT_TRUE(made) << made.error().what;
        for (const TestBatch& batch : kept) {
            const StampedBatch one = batch.stamped();
            ASSERT_TRUE((*made)->append({&one, 1}));
        }
        ASSERT_TRUE((*made)->flush());
        const Status committed = (*made)->commit();
        ASSERT_TRUE(committed) << committed.error().what;
        take_over(first, last, kept);
    }

    std::vector<Extent> extents_;
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StorageRewrites);

TEST_P(StorageRewrites, ServesTheOldUntilTheCommitAndTheNewFromThenOn) {
    const LogBounds bounds = log_->bounds();
    const auto kept = shorter(1, 3);
    auto made = begin(1, 3);
    ASSERT_TRUE(made) << made.error().what;
    ASSERT_TRUE((*made)->append(stamped(kept)));
    ASSERT_TRUE((*made)->flush());
    EXPECT_TRUE(same(read_all(), expected()));
    EXPECT_EQ(log_->extents(), extents_);
    const Status committed = (*made)->commit();
    ASSERT_TRUE(committed) << committed.error().what;
    made->reset();
    take_over(1, 3, kept);
    EXPECT_TRUE(same(read_all(), expected()));
    EXPECT_EQ(log_->bounds(), bounds);
    const auto extents = log_->extents();
    ASSERT_GE(extents.size(), 4u);
    EXPECT_EQ(extents.front(), extents_.front());
    EXPECT_EQ(extents.back(), extents_.back());
    std::uint64_t bytes = 0;
    for (const TestBatch& batch : kept) bytes += batch.bytes.size();
    for (const Extent& extent : extents) {
        if (extent.base >= extents_[1].base && extent.next <= extents_[3].next) {
            bytes -= extent.bytes;
        }
    }
    EXPECT_EQ(bytes, 0u);
    append_some(3);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageRewrites, ReadsFromWithinAGapWhatFollowsIt) {
    rewrite(0, 1);
    for (std::size_t i = 0; i + 1 < written_.size(); ++i) {
        for (Offset from = written_[i].next; from < written_[i + 1].next; from.value += 1) {
            const auto seen = read(from, make_.next(), 1);
            ASSERT_EQ(seen.size(), 1u);
            EXPECT_EQ(seen.front().base, written_[i + 1].base);
        }
    }
    EXPECT_EQ(log_->bounds().begin, Offset{0});
    ASSERT_TRUE(log_->seek({1002}));
    EXPECT_LE(*log_->seek({1002}), written_[1].base);
}

TEST_P(StorageRewrites, RewritesWhatWasRewritten) {
    rewrite(0, 0);
    extents_ = log_->extents();
    auto made = log_->rewritable()->rewrite(extents_[0].base, extents_[2].next);
    ASSERT_TRUE(made) << made.error().what;
    const TestBatch& tail = written_[batches_each - 1 - 1 + 2 * batches_each];
    const TestBatch only = BatchMaker::empty(extents_[0].base, extents_[2].next);
    ASSERT_EQ(tail.next, extents_[2].next);
    const StampedBatch one = only.stamped();
    ASSERT_TRUE((*made)->append({&one, 1}));
    ASSERT_TRUE((*made)->commit());
    std::erase_if(written_, [&](const TestBatch& b) { return b.next <= only.next; });
    written_.insert(written_.begin(), only);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageRewrites, IsAsIfItHadNeverBeenWithoutACommit) {
    auto made = begin(0, 2);
    ASSERT_TRUE(made);
    ASSERT_TRUE((*made)->append(stamped(shorter(0, 2))));
    made->reset();
    EXPECT_TRUE(same(read_all(), expected()));
    EXPECT_EQ(log_->extents(), extents_);
    restart_cleanly();
    if (can().durable) {
        EXPECT_TRUE(same(read_all(), expected()));
    }
}

TEST_P(StorageRewrites, TakesOnlyWholeDurableExtentsAndNotTheLast) {
    const Offset middle{extents_[1].base.value + 1};
    const auto refused = [&](Offset from, Offset to) {
        const auto made = log_->rewritable()->rewrite(from, to);
        return !made && made.error().code == Errc::invalid_argument;
    };
    EXPECT_TRUE(refused(middle, extents_[2].next));
    EXPECT_TRUE(refused(extents_[0].base, middle));
    EXPECT_TRUE(refused(extents_[0].base, extents_[0].base));
    EXPECT_TRUE(refused(extents_[4].base, extents_[5].next));
    append(1);
    ASSERT_TRUE(log_->seal());
    append(1);
    EXPECT_TRUE(refused(extents_[5].next, extents_[5].next + 1));
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageRewrites, IsOneAtATime) {
    auto first = begin(0, 1);
    ASSERT_TRUE(first);
    const auto second = begin(2, 3);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::unavailable);
    first->reset();
    rewrite(2, 3);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageRewrites, MustEndWhereTheExtentsEnd) {
    auto made = begin(1, 2);
    ASSERT_TRUE(made);
    auto kept = shorter(1, 2);
    kept.pop_back();
    ASSERT_TRUE((*made)->append(stamped(kept)));
    const Status committed = (*made)->commit();
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, Errc::invalid_argument);
    made->reset();
    EXPECT_TRUE(same(read_all(), expected()));
    append(1);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageRewrites, GivesWayToATruncationAndToATrim) {
    for (const bool trims : {true, false}) {
        SCOPED_TRACE(trims);
        auto made = begin(1, 3);
        ASSERT_TRUE(made) << made.error().what;
        ASSERT_TRUE((*made)->append(stamped(shorter(1, 3))));
        if (trims) {
            ASSERT_TRUE(log_->trim(extents_[1].next));
        } else {
            ASSERT_TRUE(log_->truncate({extents_[3].base.value + 2}));
            written_.resize(3 * batches_each + 1);
            make_.go_to(log_->bounds().end);
        }
        const Status committed = (*made)->commit();
        ASSERT_FALSE(committed);
        EXPECT_EQ(committed.error().code, Errc::conflict);
        made->reset();
        EXPECT_TRUE(same(read_all(), expected(log_->bounds().begin)));
        if (trims) {
            TearDown();
            written_.clear();
            make_ = BatchMaker{Offset{0}};
            home_ = home_ / "again";
            std::filesystem::create_directory(home_);
            SetUp();
        }
    }
    append_some(2);
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageRewrites, KeepsTheSlicesOfWhatItReplaced) {
    read({0}, make_.next(), 1u << 20);
    auto answer = log_->read({0}, make_.next(), 1u << 20);
    for (int i = 0; answer && answer->bring_in && i < 9; ++i) {
        answer->bring_in();
        answer = log_->read({0}, make_.next(), 1u << 20);
    }
    ASSERT_TRUE(answer && !answer->slices.empty());
    const auto before = written_;
    rewrite(0, 4);
    append_some(30);
    const auto seen = batches_of(answer->slices, GetParam().reader);
    ASSERT_TRUE(seen) << seen.error().what;
    ASSERT_FALSE(seen->empty());
    EXPECT_TRUE(same(*seen, as_seen(std::span{before}.first(seen->size()))));
}

TEST_P(StorageRewrites, IsRememberedThroughCrashAndOrderlyStop) {
    if (!can().durable) GTEST_SKIP() << "not durable";
    rewrite(0, 1);
    crash();
    EXPECT_TRUE(same(read_all(), expected()));
    restart_cleanly();
    EXPECT_TRUE(same(read_all(), expected()));
    extents_ = log_->extents();
    append(2);
    EXPECT_TRUE(same(read_all(), expected()));
    EXPECT_EQ(log_->bounds().begin, Offset{0});
}

TEST_P(StorageRewrites, IsWrittenBesideAppendsReadsAndSyncs) {
    auto made = begin(0, 4);
    ASSERT_TRUE(made);
    const auto kept = shorter(0, 4);
    Status wrote;
    std::thread worker{[&] {
        for (const TestBatch& batch : kept) {
            const StampedBatch one = batch.stamped();
            if (wrote) wrote = (*made)->append({&one, 1});
            if (wrote) wrote = (*made)->flush();
        }
    }};
    for (int i = 0; i < 20; ++i) {
        append(1, {.value_bytes = 200});
        EXPECT_FALSE(read({0}, make_.next(), 2000).empty());
        if (i % 5 == 4) {
            EXPECT_TRUE(log_->seal());
            EXPECT_TRUE(log_->flush());
        }
    }
    worker.join();
    ASSERT_TRUE(wrote) << wrote.error().what;
    Status committed;
    std::thread committing{[&] { committed = (*made)->commit(); }};
    for (int i = 0; i < 20; ++i) {
        const auto seen = read({0}, make_.next(), 2000);
        ASSERT_FALSE(seen.empty());
        EXPECT_EQ(seen.front().base, Offset{0});
    }
    committing.join();
    ASSERT_TRUE(committed) << committed.error().what;
    take_over(0, 4, kept);
    EXPECT_TRUE(same(read_all(), expected()));
}

}  // namespace leat::sdk::testing
