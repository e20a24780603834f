// Rules for the day on which something is scarce or gone: space on the device, descriptors, files
// that can be made again. Included by storage_conformance.h.
#pragma once

#include <sys/mount.h>
#include <sys/resource.h>

#include <fstream>

#include "leat/sdk/testing/storage_conformance.h"

namespace leat::sdk::testing {

// A device of 16 MiB, filled and freed in turns. Mounting one takes root.
class StorageOnSmallDevice : public StorageConformance {
protected:
    void SetUp() override {
        if (!can().durable) GTEST_SKIP() << "not durable";
        home_ = folder_.path() / "small";
        std::filesystem::create_directory(home_);
        mounted_ = ::mount("tmpfs", home_.c_str(), "tmpfs", 0, "size=16m") == 0;
        if (!mounted_) GTEST_SKIP() << "a small device can be mounted by root only";
        start();
    }
    void TearDown() override {
        StorageConformance::TearDown();
        shard_.forget_everything();
        if (mounted_) {
            EXPECT_EQ(::umount(home_.c_str()), 0);
        }
    }
    // Until an append is refused: with Errc::no_space, and as if it had never come.
    void fill() {
        for (int i = 1;; ++i) {
            ASSERT_LT(i, 10'000) << "the device is never full";
            const Offset before = make_.next();
            TestBatch batch = make_(1, {.value_bytes = 20'000});
            const StampedBatch one = batch.stamped();
            const Status done = log_->append({&one, 1});
            shard_.run_ready();
            if (!done) {
                EXPECT_EQ(done.error().code, Errc::no_space) << done.error().what;
                EXPECT_EQ(log_->bounds().end, before);
                make_.go_to(before);
                return;
            }
            written_.push_back(std::move(batch));
            if (i % 40 == 0) {
                ASSERT_TRUE(log_->seal());
            }
        }
    }

    bool mounted_ = false;
};

TEST_P(StorageOnSmallDevice, GoesOnEachTimeThereIsRoomAgain) {
    for (int round = 0; round < 4; ++round) {
        SCOPED_TRACE(round);
        fill();
        if (HasFatalFailure()) return;
        const Offset begin = log_->bounds().begin;
        EXPECT_TRUE(same(read_all(), expected(begin)));
        const auto extents = log_->extents();
        ASSERT_GT(extents.size(), 2u);
        const Offset middle = extents[extents.size() / 2].base;
        ASSERT_TRUE(log_->trim(middle));
        shard_.run_ready();
        append(1, {.value_bytes = 20'000});
        ASSERT_TRUE(log_->flush());
        round % 2 == 0 ? crash() : restart_cleanly();
        ASSERT_TRUE(log_);
        EXPECT_EQ(log_->bounds().begin, middle);
        EXPECT_TRUE(same(read_all(), expected(middle)));
    }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StorageOnSmallDevice);

// Fewer descriptors than partitions, for as long as it lives.
class FewDescriptors {
public:
    explicit FewDescriptors(rlim_t most) {
        ensure(::getrlimit(RLIMIT_NOFILE, &before_) == 0, "the limit of descriptors is known");
        rlimit few = before_;
        few.rlim_cur = std::min(most, before_.rlim_cur);
        ensure(::setrlimit(RLIMIT_NOFILE, &few) == 0, "a limit may be lowered");
    }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;
    ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

TEST_P(StorageConformance, ServesManyPartitionsWithFewDescriptors) {
    constexpr int partitions = 300;
    const FewDescriptors limit{256};
    restart_cleanly();
    std::vector<std::unique_ptr<Log>> logs;
    std::vector<std::vector<TestBatch>> written(partitions);
    std::vector<BatchMaker> make(partitions, BatchMaker{Offset{0}});
    const auto id_of = [&](int i) {
        return PartitionId{.topic_id = {{4, 5, 6}}, .topic = "many", .index = i};
    };
    const auto open_all = [&] {
        for (int i = 0; i < partitions; ++i) {
            logs.push_back(open(id_of(i)));
            ASSERT_TRUE(logs.back());
        }
    };
    open_all();
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < partitions; ++i) {
            const auto at = static_cast<std::size_t>(i);
            written[at].push_back(make[at](1, {.value_bytes = 100}));
            const StampedBatch one = written[at].back().stamped();
            const Status done = logs[at]->append({&one, 1});
            ASSERT_TRUE(done) << i << ": " << done.error().what;
            if (i % 7 == round) {
                ASSERT_TRUE(logs[at]->seal());
            }
            shard_.run_ready();
        }
    }
    for (const bool restarted : {false, true}) {
        for (int i = 0; i < partitions && (can().durable || !restarted); ++i) {
            const auto at = static_cast<std::size_t>(i);
            ASSERT_TRUE(same(read_all(*logs[at]), as_seen(written[at]))) << i;
            ASSERT_TRUE(logs[at]->flush()) << i;
        }
        logs.clear();
        if (restarted) break;
        restart_cleanly();
        open_all();
    }
}

class StorageRebuilds : public StorageConformance {
protected:
    // Orderly stop, damage to each of the files, start: nothing may be missing.
    void expect_all_without(const std::function<void(const std::filesystem::path&)>& damage) {
        EXPECT_TRUE(log_->flush());
        log_.reset();
        EXPECT_TRUE(engine_->closed_cleanly());
        engine_.reset();
        shard_.forget_everything();
        const auto files = GetParam().rebuildable(home_, id_);
        ASSERT_FALSE(files.empty());
        for (const auto& file : files) damage(file);
        start();
        ASSERT_TRUE(log_);
        EXPECT_EQ(log_->bounds().end, make_.next());
        EXPECT_TRUE(same(read_all(), expected()));
        for (std::size_t i = 0; i < written_.size(); i += 3) {
            const TestBatch& one = written_[i];
            EXPECT_TRUE(same(read(one.base, make_.next(), 1), as_seen({&one, 1}))) << i;
            const auto found = log_->seek(one.max_timestamp);
            ASSERT_TRUE(found);
            EXPECT_LE(*found, one.base);
        }
    }
    static std::vector<char> bytes_in(const std::filesystem::path& file) {
        std::ifstream in{file, std::ios::binary};
        return {std::istreambuf_iterator<char>{in}, {}};
    }
    static void replace(const std::filesystem::path& file, const std::vector<char>& bytes) {
        std::ofstream{file, std::ios::binary | std::ios::trunc}.write(
            bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
};

TEST_P(StorageRebuilds, WhatIsMissingCutOrGarbled) {
    if (!GetParam().rebuildable) GTEST_SKIP() << "its files are not known";
    for (int i = 0; i < 60; ++i) {
        append(1 + i % 3, {.value_bytes = 300, .timestamp = {1000 + i}});
        if (i % 13 == 12) {
            ASSERT_TRUE(log_->seal());
        }
    }
    expect_all_without([](const auto& file) { std::filesystem::remove(file); });
    expect_all_without([](const auto& file) { replace(file, {}); });
    expect_all_without([](const auto& file) {
        auto bytes = bytes_in(file);
        bytes.resize(bytes.size() / 2);
        replace(file, bytes);
    });
    expect_all_without([](const auto& file) {
        replace(file, std::vector<char>(bytes_in(file).size(), 0));
    });
    expect_all_without([](const auto& file) {
        auto bytes = bytes_in(file);
        for (char& byte : bytes) byte = static_cast<char>(byte ^ 0x55);
        replace(file, bytes);
    });
    expect_all_without([](const auto& file) {
        auto bytes = bytes_in(file);
        bytes.resize(bytes.size() + 24, 'x');
        replace(file, bytes);
    });
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StorageRebuilds);

}  // namespace leat::sdk::testing
