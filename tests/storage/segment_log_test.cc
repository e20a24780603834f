// What the segment engine promises beyond the interface: Kafka's folders, its options, its
// recovery.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

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
    crash();
    start();
    open();
    EXPECT_TRUE(read_all() == written_);
    EXPECT_EQ(log_->extents().size(), 2u);
    EXPECT_TRUE(context_->lines().empty());
}

}  // namespace
}  // namespace leat::segment
