// What the segment engine promises beyond the interface: Kafka's folders, its options, its
// recovery.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "checkpoints.h"
#include "leat/sdk/testing/batches.h"
#include "leat/sdk/testing/log_reader.h"
#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "segment_engine.h"

namespace leat::segment {
namespace {

using namespace sdk::testing;
namespace fs = std::filesystem;
using sdk::Offset;

sdk::Uuid id_of(std::uint8_t n) {
    sdk::Uuid id;
    id.bytes[0] = n;
    return id;
}

class SegmentFolder : public ::testing::Test {
protected:
    SegmentFolder() {
        std::string name = ::testing::TempDir() + "leat-segment-XXXXXX";
        folder_ = ::mkdtemp(name.data());
        start();
    }
    ~SegmentFolder() override {
        log_.reset();
        engine_.reset();
        fs::remove_all(folder_);
    }

    void start() {
        context_ = std::make_unique<ManualContext>(shard_, folder_);
        auto engine = SegmentEngine::start(*context_, posix_file_system(), options_);
        ASSERT_TRUE(engine) << engine.error().what;
        engine_ = std::move(*engine);
    }
    void open(const sdk::Uuid& topic_id = id_of(1)) {
        auto log = engine_->open({topic_id, "t", 0}, {.index_interval_bytes = 1});
        ASSERT_TRUE(log) << log.error().what;
        log_ = std::move(*log);
    }
    void stop_cleanly() {
        ASSERT_TRUE(log_->flush());
        log_.reset();
        ASSERT_TRUE(engine_->closed_cleanly());
        engine_.reset();
    }
    void crash() {
        log_.reset();
        engine_.reset();
    }
    void append(std::int32_t records, const BatchShape& shape = {}) {
        const auto batch = make_(records, shape);
        const auto one = batch.stamped();
        ASSERT_TRUE(log_->append({&one, 1}));
        written_.push_back({batch.base, batch.next, batch.bytes});
    }
    std::vector<SeenBatch> read_all() {
        auto seen = read_log(*log_);
        EXPECT_TRUE(seen) << seen.error().what;
        return seen ? *seen : std::vector<SeenBatch>{};
    }

    fs::path folder_;
    EngineOptions options_{.index_step = 0};
    ManualShard shard_;
    std::unique_ptr<ManualContext> context_;
    std::unique_ptr<sdk::StorageEngine> engine_;
    std::unique_ptr<sdk::Log> log_;
    BatchMaker make_{Offset{0}};
    std::vector<SeenBatch> written_;
};

TEST_F(SegmentFolder, MakesNoFileForAPartitionThatIsEmpty) {
    open();
    EXPECT_FALSE(fs::exists(folder_ / "t-0"));
    stop_cleanly();
    EXPECT_FALSE(fs::exists(folder_ / "t-0"));
    EXPECT_TRUE(fs::exists(folder_ / ".kafka_cleanshutdown"));
}

TEST_F(SegmentFolder, ServesWhatItWroteAfterACleanStopAndAfterACrash) {
    open();
    for (int i = 0; i < 20; ++i) append(3);
    ASSERT_TRUE(log_->seal());
    for (int i = 0; i < 20; ++i) append(1, {.value_bytes = 5000});
    EXPECT_TRUE(read_all() == written_);
    stop_cleanly();
    start();
    open();
    EXPECT_TRUE(read_all() == written_);
    EXPECT_EQ(log_->bounds(), (sdk::LogBounds{{0}, {80}, {80}}));
    EXPECT_TRUE(context_->lines().empty());
    crash();
    start();
    open();
    EXPECT_TRUE(read_all() == written_);
    EXPECT_EQ(log_->extents().size(), 2u);
    ASSERT_EQ(context_->lines().size(), 2u) << "what was checked, and nothing that was cut";
    EXPECT_NE(context_->lines()[0].find("the last stop was not clean"), std::string::npos);
    EXPECT_NE(context_->lines()[1].find("log recovered"), std::string::npos);
}

TEST_F(SegmentFolder, RebuildsIndexesThatAreMissingGarbledOrFullOfZeros) {
    open();
    for (int i = 0; i < 40; ++i) {
        append(1, {.value_bytes = 500, .timestamp = {1000 + i}});
        if (i == 19) {
            ASSERT_TRUE(log_->seal());
        }
    }
    for (const std::string& damage :
         {std::string{}, std::string{"x"}, std::string{"00000000"}, std::string(12'000, '\0')}) {
        stop_cleanly();
        for (const auto& entry : fs::directory_iterator{folder_ / "t-0"}) {
            if (entry.path().extension() == ".log") continue;
            if (entry.path().filename() == "partition.metadata") continue;
            std::ofstream{entry.path()} << damage;
        }
        start();
        open();
        EXPECT_TRUE(read_all() == written_);
        EXPECT_EQ(log_->seek({2000}), std::nullopt);
        ASSERT_TRUE(log_->seek({1030}));
        EXPECT_LE(*log_->seek({1030}), Offset{30});
    }
}

TEST_F(SegmentFolder, RefusesDamageBelowTheRecoveryPointAndTouchesNothing) {
    options_.checkpoint_interval = sdk::Instant{0};
    crash();
    start();
    open();
    for (int i = 0; i < 10; ++i) append(1, {.value_bytes = 100});
    ASSERT_TRUE(log_->flush());
    ASSERT_TRUE(log_->flush());
    crash();
    const fs::path file = folder_ / "t-0" / "00000000000000000000.log";
    const auto size = fs::file_size(file);
    {
        std::fstream bytes{file, std::ios::in | std::ios::out | std::ios::binary};
        bytes.seekp(static_cast<std::streamoff>(size / 2));
        bytes.put('\x7F');
    }
    start();
    const auto log = engine_->open({id_of(1), "t", 0}, {});
    ASSERT_FALSE(log);
    EXPECT_EQ(log.error().code, sdk::Errc::corrupt);
    EXPECT_EQ(fs::file_size(file), size);
}

// Found by fuzzing: a bad batch at the start of a segment hid that those before it were gone.
TEST_F(SegmentFolder, RefusesAHoleBelowTheRecoveryPointAlsoInFrontOfDamage) {
    options_.checkpoint_interval = sdk::Instant{0};
    crash();
    start();
    open();
    append(2);
    ASSERT_TRUE(log_->flush());
    ASSERT_TRUE(log_->flush());
    append(1);
    ASSERT_TRUE(log_->seal());
    append(1);
    crash();
    fs::resize_file(folder_ / "t-0" / "00000000000000000000.log", 0);
    const fs::path next = folder_ / "t-0" / "00000000000000000003.log";
    std::ofstream{next, std::ios::binary} << std::string(80, 'x');
    start();
    const auto log = engine_->open({id_of(1), "t", 0}, {});
    ASSERT_FALSE(log);
    EXPECT_EQ(log.error().code, sdk::Errc::corrupt);
    EXPECT_EQ(fs::file_size(next), 80u);
}

// Found by fuzzing: the name of a stray file behind a segment was taken for where that one ends.
TEST_F(SegmentFolder, ChecksEveryBatchAboveTheRecoveryPointWhateverTheNextFileIsCalled) {
    options_.checkpoint_interval = sdk::Instant{0};
    crash();
    start();
    open();
    append(2);
    ASSERT_TRUE(log_->flush());
    ASSERT_TRUE(log_->flush());
    append(1);
    crash();
    const fs::path file = folder_ / "t-0" / "00000000000000000000.log";
    fs::resize_file(file, fs::file_size(file) - 1);
    std::ofstream{file, std::ios::app | std::ios::binary} << 'x';
    std::ofstream{folder_ / "t-0" / "00000000000000000001.log"} << std::string(36, 'x');
    start();
    open();
    EXPECT_EQ(log_->bounds().end, Offset{2});
    written_.pop_back();
    EXPECT_TRUE(read_all() == written_);
}

TEST_F(SegmentFolder, SetsAsideTheFolderOfAnEarlierTopic) {
    open(id_of(1));
    append(3);
    stop_cleanly();
    start();
    open(id_of(2));
    EXPECT_EQ(log_->bounds().end, Offset{0});
    EXPECT_TRUE(fs::exists(folder_ / "t-0.01000000000000000000000000000000-stray"));
    EXPECT_EQ(context_->lines().size(), 1u);
}

// Run by hand, with a folder that Apache Kafka wrote and stopped.
TEST_F(SegmentFolder, ServesAFolderThatKafkaWrote) {
    const char* kafka = std::getenv("LEAT_KAFKA_PARTITION_FOLDER");
    if (kafka == nullptr) GTEST_SKIP() << "LEAT_KAFKA_PARTITION_FOLDER names none";
    fs::copy(kafka, folder_ / "t-0");
    crash();
    start();
    open({});
    const auto seen = read_all();
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.back().next, log_->bounds().end);
    std::printf("%zu batches, end %lld, %zu extents\n", seen.size(),
                static_cast<long long>(log_->bounds().end.value), log_->extents().size());
    for (const auto& line : context_->lines()) std::printf("%s\n", line.c_str());
}

// Run by hand, to be read by Kafka's own tools.
TEST_F(SegmentFolder, WritesAFolderForKafkaToRead) {
    const char* out = std::getenv("LEAT_FOLDER_FOR_KAFKA");
    if (out == nullptr) GTEST_SKIP() << "LEAT_FOLDER_FOR_KAFKA names none";
    open();
    for (int i = 0; i < 400; ++i) {
        append(1 + i % 4, {.value_bytes = static_cast<std::size_t>(i % 900),
                           .timestamp = {1'700'000'000'000 + i * 10 - i % 7 * 31}});
        if (i % 150 == 149) {
            ASSERT_TRUE(log_->seal());
        }
    }
    stop_cleanly();
    fs::copy(folder_, out, fs::copy_options::recursive);
}

TEST(Checkpoint, IsRefusedWhereItNamesNoPartition) {
    EXPECT_TRUE(parse_checkpoint("0\n1\nt 0 8\n"));
    EXPECT_FALSE(parse_checkpoint("0\n1\nt x-0 8\n"));
    EXPECT_FALSE(parse_checkpoint("0\n1\nt  0 8\n"));
    EXPECT_FALSE(parse_checkpoint("0\n1\nt -1 8\n"));
}

}  // namespace
}  // namespace leat::segment
