// Long random histories against a model, and calls that may overlap. Included by
// storage_conformance.h.
#pragma once

#include <atomic>
#include <thread>

#include "leat/sdk/testing/storage_conformance.h"

namespace leat::sdk::testing {

class StorageHistory : public StorageConformance {
protected:
    void one_step() {
        switch (random_() % 12) {
            case 0:
                ASSERT_TRUE(log_->seal());
                break;
            case 1:
                ASSERT_TRUE(log_->flush());
                break;
            case 2:
                truncate();
                break;
            case 3:
                trim();
                break;
            case 4:
                if (can().durable) random_() % 2 == 0 ? crash_flushed() : restart_cleanly();
                break;
            default:
                append(static_cast<int>(1 + random_() % 4),
                       {.value_bytes = random_() % 3000,
                        .timestamp = {1000 + static_cast<std::int64_t>(random_() % 5000)},
                        .gap = std::max<std::int64_t>(0, gap_(random_))});
        }
    }
    // Only what was flushed must survive, so everything is.
    void crash_flushed() {
        ASSERT_TRUE(log_->flush());
        crash();
    }
    void truncate() {
        if (written_.empty() || random_() % 3 != 0) return;
        const std::size_t most = std::min<std::size_t>(6, written_.size());
        const std::size_t kept = written_.size() - random_() % most;
        if (kept == written_.size() || written_[kept].base <= begin_) return;
        const Offset end = written_[kept].base;
        ASSERT_TRUE(log_->truncate(end));
        written_.resize(kept);
        // In front of a gap the end is that of the batch before; with nothing left, `end` itself.
        const bool some_left = !written_.empty() && written_.back().next > begin_;
        make_.go_to(some_left ? written_.back().next : end);
        if (!some_left) begin_ = end;
    }
    void trim() {
        if (random_() % 3 != 0) return;
        const auto half = static_cast<std::size_t>((make_.next() - begin_) / 2);
        begin_ = begin_ + static_cast<std::int64_t>(random_() % (half + 1));
        ASSERT_TRUE(log_->trim(begin_));
        std::erase_if(written_, [&](const TestBatch& one) { return one.next <= begin_; });
    }
    void compare() {
        ASSERT_EQ(log_->bounds().begin, begin_);
        ASSERT_EQ(log_->bounds().end, make_.next());
        ASSERT_TRUE(same(read_all(), expected(begin_)));
        if (written_.empty()) return;
        const TestBatch& one = written_[random_() % written_.size()];
        const Offset from = std::max(begin_, one.base);
        ASSERT_TRUE(same(read(from, make_.next(), 1), as_seen({&one, 1})));
        const auto found = log_->seek(one.max_timestamp);
        ASSERT_TRUE(found);
        ASSERT_LE(*found, std::max(begin_, one.base));
    }

    std::mt19937 random_;
    std::uniform_int_distribution<std::int64_t> gap_{-100, 10};
    Offset begin_{0};
};

TEST_P(StorageHistory, AgreesWithAModelWhateverHappens) {
    const unsigned seed = static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed());
    std::printf("seed %u\n", seed);
    random_.seed(seed);
    for (int step = 0; step < 600; ++step) {
        SCOPED_TRACE("step " + std::to_string(step));
        one_step();
        if (step % 5 == 0) compare();
        if (HasFatalFailure()) return;
    }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StorageHistory);

TEST_P(StorageConformance, FlushesWhileAppendsAndReadsGoOn) {
    std::atomic<bool> done{false};
    std::thread worker{[&] {
        while (!done) {
            EXPECT_TRUE(log_->flush());
            const LogBounds bounds = log_->bounds();
            EXPECT_LE(bounds.flushed, bounds.end);
        }
    }};
    for (int i = 0; i < 300; ++i) {
        append(2, {.value_bytes = 300});
        if (i % 50 == 0) {
            const TestBatch& last = written_.back();
            EXPECT_TRUE(same(read(last.base, make_.next(), 1), as_seen({&last, 1})));
        }
    }
    done = true;
    worker.join();
    ASSERT_TRUE(log_->flush());
    EXPECT_EQ(log_->bounds().flushed, make_.next());
    EXPECT_TRUE(same(read_all(), expected()));
}

TEST_P(StorageConformance, TruncatesAndTrimsWhileReadsGoOn) {
    for (int i = 0; i < 200; ++i) {
        append(1, {.value_bytes = 300});
        if (i % 20 == 19) {
            ASSERT_TRUE(log_->seal());
        }
    }
    std::atomic<bool> done{false};
    std::thread worker{[&] {
        for (std::int64_t i = 1; i <= 90; ++i) {
            EXPECT_TRUE(log_->trim({i}));
            EXPECT_TRUE(log_->truncate({200 - i}));
        }
        done = true;
    }};
    while (!done) {
        const LogBounds bounds = log_->bounds();
        EXPECT_LE(bounds.begin, bounds.end);
        static_cast<void>(log_->extents());
        static_cast<void>(log_->seek({1}));
        auto answer = log_->read({100}, {101}, 1);
        if (answer && answer->bring_in) answer->bring_in();
        EXPECT_TRUE(answer);
    }
    worker.join();
    EXPECT_EQ(log_->bounds().begin, Offset{90});
    EXPECT_EQ(log_->bounds().end, Offset{110});
    written_.resize(110);
    EXPECT_TRUE(same(read_all(), expected({90})));
}

}  // namespace leat::sdk::testing
