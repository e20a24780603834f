// What the mmap engine promises beyond the interface: prepared files, used again, and a device that
// fails without ending the process.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "leat/sdk/testing/batches.h"
#include "leat/sdk/testing/log_reader.h"
#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "mmap_engine.h"

namespace leat::mmap {
namespace {

using namespace sdk::testing;
namespace fs = std::filesystem;
using sdk::Offset;

constexpr std::uint64_t file_bytes = 64 * 1024;

class MmapFolder : public ::testing::Test {
protected:
    MmapFolder() {
        std::string name = ::testing::TempDir() + "leat-mmap-XXXXXX";
        folder_ = ::mkdtemp(name.data());
        start(folder_);
    }
    ~MmapFolder() override {
        stop();
        fs::remove_all(folder_);
    }

    void start(const fs::path& folder) {
        context_ = std::make_unique<ManualContext>(shard_, folder);
        auto engine =
            MmapEngine::start(*context_, segment::posix_file_system(), posix_mapping_disk(), {},
                              {.file_bytes = file_bytes, .ready = 1, .most_mapped = 4});
        ASSERT_TRUE(engine) << engine.error().what;
        engine_ = std::move(*engine);
        auto log = engine_->open(id_, {});
        ASSERT_TRUE(log) << log.error().what;
        log_ = std::move(*log);
        shard_.run_ready();
    }
    void stop() {
        log_.reset();
        engine_.reset();
        shard_.forget_everything();
    }
    sdk::Status append(std::size_t value_bytes) {
        written_.push_back(make_(1, {.value_bytes = value_bytes}));
        const auto one = written_.back().stamped();
        auto done = log_->append({&one, 1});
        if (!done) make_.go_to(written_.back().base);
        if (!done) written_.pop_back();
        shard_.run_ready();
        return done;
    }
    // Fills the active segment, and begins the next one.
    void fill_segment() {
        for (int i = 0; i < 8; ++i) ASSERT_TRUE(append(file_bytes / 8));
    }
    fs::path log_file(std::int64_t base) const {
        return folder_ / "t-0" / segment::segment_file(base, ".log");
    }
    void expect_all_from(std::int64_t begin) {
        const auto seen = read_log(*log_, {begin});
        ASSERT_TRUE(seen) << seen.error().what;
        std::vector<TestBatch> wanted = written_;
        std::erase_if(wanted, [&](const TestBatch& one) { return one.base.value < begin; });
        ASSERT_EQ(seen->size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            EXPECT_TRUE((*seen)[i].bytes == wanted[i].bytes) << i;
        }
    }

    const sdk::PartitionId id_{.topic_id = {{1}}, .topic = "t", .index = 0};
    fs::path folder_;
    ManualShard shard_;
    std::unique_ptr<ManualContext> context_;
    std::unique_ptr<sdk::StorageEngine> engine_;
    std::unique_ptr<sdk::Log> log_;
    BatchMaker make_{Offset{0}};
    std::vector<TestBatch> written_;
};

TEST_F(MmapFolder, AppendsIntoAFileThatHasItsBlocksBeforeItsBatches) {
    ASSERT_TRUE(append(100));
    struct stat status {};
    ASSERT_EQ(::stat(log_file(0).c_str(), &status), 0);
    EXPECT_EQ(static_cast<std::uint64_t>(status.st_size), file_bytes);
    EXPECT_GE(static_cast<std::uint64_t>(status.st_blocks) * 512, file_bytes);
    expect_all_from(0);
}

TEST_F(MmapFolder, CutsAFileToItsBatchesWhenTheLogIsClosed) {
    ASSERT_TRUE(append(100));
    stop();
    EXPECT_EQ(fs::file_size(log_file(0)), written_.front().bytes.size());
    EXPECT_TRUE(fs::is_empty(folder_ / "spare"));
}

TEST_F(MmapFolder, CutsAFileToItsBatchesWhenTheNextOneBegins) {
    fill_segment();
    EXPECT_LT(fs::file_size(log_file(0)), file_bytes);
    EXPECT_GT(log_->extents().size(), 1u);
    expect_all_from(0);
}

TEST_F(MmapFolder, WritesByCallsWhereNoPreparedFileIsReady) {
    ManualShard held{ManualShard::Time::manual, ManualShard::Work::held};
    ManualContext context{held, folder_};
    stop();
    auto engine = MmapEngine::start(context, segment::posix_file_system(), posix_mapping_disk(), {},
                                    {.file_bytes = file_bytes, .ready = 1, .most_mapped = 4});
    ASSERT_TRUE(engine);
    engine_ = std::move(*engine);
    log_ = std::move(*engine_->open(id_, {}));
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(append(file_bytes / 8));
    expect_all_from(0);
    stop();
}

// A device on which something happens while the first file is filled.
class SlowDisk final : public MappingDisk {
public:
    explicit SlowDisk(std::function<void()> meanwhile) : meanwhile_{std::move(meanwhile)} {}
    int fill_with_zeros(int file, std::uint64_t bytes) override {
        if (meanwhile_) std::exchange(meanwhile_, nullptr)();
        return disk_->fill_with_zeros(file, bytes);
    }
    int map(int file, std::uint64_t bytes, std::byte*& start) override {
        return disk_->map(file, bytes, start);
    }
    void unmap(std::byte* start, std::uint64_t bytes) override { disk_->unmap(start, bytes); }
    int store(int file, std::byte* to, std::span<const iovec> parts) override {
        return disk_->store(file, to, parts);
    }

private:
    const std::unique_ptr<MappingDisk> disk_ = posix_mapping_disk();
    std::function<void()> meanwhile_;
};

// Or a hundred partitions whose first batches come together take every worker, and the syncs that
// producers wait for stand in line behind files of 64 MiB.
TEST_F(MmapFolder, KeepsOneWorkerBusyHoweverManyAskForPreparedFiles) {
    ManualShard held{ManualShard::Time::manual, ManualShard::Work::held};
    ManualContext context{held, folder_};
    std::shared_ptr<Spares> spares;
    std::size_t waiting = 0;
    const auto ask_often = [&] {
        for (int i = 0; i < 100; ++i) EXPECT_FALSE(spares->take(folder_ / std::to_string(i)));
        held.run_ready();
        waiting = held.work_waiting();
    };
    auto disk = std::make_unique<SlowDisk>(ask_often);
    spares = std::make_shared<Spares>(context, segment::posix_file_system(), std::move(disk),
                                      folder_ / "apart",
                                      SpareOptions{.file_bytes = file_bytes, .ready = 3});
    fs::create_directory(folder_ / "apart");
    ask_often();
    EXPECT_EQ(waiting, 1u);
    while (held.run_work()) held.run_ready();
    EXPECT_EQ(waiting, 0u);
    for (int i = 0; i < 3; ++i) {  // And none is forgotten.
        const auto taken = spares->take(folder_ / std::to_string(i));
        ASSERT_TRUE(taken);
        segment::posix_file_system()->close(taken->file);
    }
    EXPECT_FALSE(spares->take(folder_ / "3"));
    held.run_ready();
    EXPECT_EQ(held.work_waiting(), 1u);
    spares->stop();
}

// As after kill -9: the process's files, copied while it runs.
TEST_F(MmapFolder, FindsTheLastBatchBeforeTheZerosAfterACrash) {
    fill_segment();
    ASSERT_TRUE(append(100));
    const fs::path copy = folder_.string() + "-copy";
    fs::copy(folder_, copy, fs::copy_options::recursive);
    stop();
    start(copy);
    EXPECT_EQ(log_->bounds().end, make_.next());
    expect_all_from(0);
    // Room that was never used is no damage.
    for (const auto& line : context_->lines()) {
        EXPECT_EQ(line.find("cut"), std::string::npos) << line;
    }
    ASSERT_TRUE(append(100));
    expect_all_from(0);
    stop();
    fs::remove_all(copy);
}

TEST_F(MmapFolder, UsesATrimmedFileAgainWithoutItsOldBatches) {
    fill_segment();
    fill_segment();
    ASSERT_TRUE(log_->flush());
    struct stat old {};
    ASSERT_EQ(::stat(log_file(0).c_str(), &old), 0);
    const auto extents = log_->extents();
    ASSERT_GE(extents.size(), 3u);
    ASSERT_TRUE(log_->trim(extents[1].base));
    bool used_again = false;
    for (int i = 0; i < 30 && !used_again; ++i) {
        ASSERT_TRUE(append(file_bytes / 4));
        struct stat status {};
        const auto last = log_->extents().back().base.value;
        ASSERT_EQ(::stat(log_file(last).c_str(), &status), 0);
        if (status.st_ino != old.st_ino) continue;
        used_again = true;
        // Behind the batch there is nothing but zeros.
        std::ifstream in{log_file(last), std::ios::binary};
        in.seekg(static_cast<std::streamoff>(written_.back().bytes.size()));
        const std::string rest{std::istreambuf_iterator<char>{in}, {}};
        EXPECT_EQ(rest.size(), file_bytes - written_.back().bytes.size());
        EXPECT_EQ(rest.find_first_not_of('\0'), std::string::npos);
    }
    EXPECT_TRUE(used_again);
    expect_all_from(log_->bounds().begin.value);
}

TEST_F(MmapFolder, NeverUsesAFileAgainThatAReaderHolds) {
    fill_segment();
    fill_segment();
    ASSERT_TRUE(log_->flush());
    auto answer = log_->read({0}, {1}, 1);
    if (answer && answer->bring_in) answer->bring_in();
    answer = log_->read({0}, {1}, 1);
    ASSERT_TRUE(answer && answer->slices.size() == 1);
    ASSERT_TRUE(log_->trim(log_->extents()[1].base));
    for (int i = 0; i < 4; ++i) fill_segment();
    const auto bytes = bytes_of(answer->slices.front());
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(*bytes == written_.front().bytes);
}

TEST_F(MmapFolder, RefusesTheAppendWhenSomebodyMadeTheFileShorter) {
    ASSERT_TRUE(append(100));
    fs::resize_file(log_file(0), 0);
    const auto refused = append(100);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, sdk::Errc::io);
    EXPECT_FALSE(append(100));  // Offline for good: what else is gone nobody knows.
    EXPECT_FALSE(log_->flush());
}

// A device that is full: the file is prepared or it is not, and a store never finds out.
TEST_F(MmapFolder, SaysNoSpaceOnAFullDeviceAndGoesOnWhenThereIsRoom) {
    const fs::path small = folder_ / "small";
    fs::create_directory(small);
    if (::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=1m") != 0) {
        GTEST_SKIP() << "a small tmpfs can be mounted by root only";
    }
    stop();
    start(small);
    for (int round = 0; round < 5; ++round) {
        sdk::Status done;
        while ((done = append(10'000))) {
        }
        EXPECT_EQ(done.error().code, sdk::Errc::no_space) << done.error().what;
        expect_all_from(log_->bounds().begin.value);
        const auto extents = log_->extents();
        ASSERT_TRUE(log_->trim(extents[extents.size() / 2].base));
        shard_.run_ready();
        ASSERT_TRUE(append(10'000));
    }
    stop();
    EXPECT_EQ(::umount(small.c_str()), 0);
}

}  // namespace
}  // namespace leat::mmap
