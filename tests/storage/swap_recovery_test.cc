// What Kafka's cleaner, or ours, left in the middle of its work: LogLoader's rules.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "leat/sdk/testing/batches.h"
#include "leat/sdk/testing/log_reader.h"
#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "leat/sdk/testing/storage_conformance.h"
#include "segment_engine.h"

namespace leat::segment {
namespace {

using namespace sdk::testing;
namespace fs = std::filesystem;
using sdk::Offset;

constexpr const char* first = "00000000000000000000";
constexpr const char* second = "00000000000000000004";
constexpr const char* third = "00000000000000000008";

// Two segments of four batches and a third one of two, and each of them once more in `beside_`,
// without their odd batches.
class InterruptedSwap : public ::testing::Test {
protected:
    InterruptedSwap() {
        fs::create_directory(beside());
        write(
            folder_.path(), [](int) { return true; }, whole_);
        write(
            beside(), [](int i) { return i % 2 == 1; }, thinned_);
    }
    fs::path beside() const { return folder_.path() / "beside"; }
    fs::path log() const { return folder_.path() / "t-0"; }

    void write(const fs::path& at, const std::function<bool(int)>& kept,
               std::vector<SeenBatch>& written) {
        ManualContext context{shard_, at};
        auto engine = SegmentEngine::start(context, posix_file_system(), {});
        ASSERT_TRUE(engine);
        auto log = (*engine)->open({{{1}}, "t", 0}, {});
        ASSERT_TRUE(log);
        BatchMaker make{Offset{0}};
        for (int i = 0; i < 10; ++i) {
            const auto batch = make(1);
            const auto one = batch.stamped();
            if (kept(i)) {
                ASSERT_TRUE((*log)->append({&one, 1}));
                written.push_back({batch.base, batch.next, batch.bytes});
            }
            if (i == 3 || i == 7) {
                ASSERT_TRUE((*log)->seal());
            }
        }
        ASSERT_TRUE((*log)->flush());
        log->reset();
        ASSERT_TRUE((*engine)->closed_cleanly());
    }
    void place(const char* segment, const std::string& kind, const char* suffix) {
        fs::copy_file(beside() / "t-0" / (segment + kind), log() / (segment + kind + suffix));
    }
    bool there(const char* segment, const std::string& kind) {
        return fs::exists(log() / (segment + kind));
    }
    std::vector<SeenBatch> found() {
        ManualContext context{shard_, folder_.path()};
        auto engine = SegmentEngine::start(context, posix_file_system(), {});
        auto log = (*engine)->open({{{1}}, "t", 0}, {});
        if (!log) {
            ADD_FAILURE() << log.error().what;
            return {};
        }
        for (const auto& entry : fs::directory_iterator{this->log()}) {
            const auto end = entry.path().extension();
            EXPECT_TRUE(end != ".cleaned" && end != ".swap") << entry.path();
        }
        auto seen = read_log(**log);
        EXPECT_TRUE(seen);
        return *seen;
    }
    // The first `segments` thinned, the rest whole.
    std::vector<SeenBatch> thinned(int segments) const {
        auto mixed = thinned_;
        std::erase_if(mixed, [&](const SeenBatch& b) { return b.base.value >= 4 * segments; });
        for (const SeenBatch& batch : whole_) {
            if (batch.base.value >= 4 * segments) mixed.push_back(batch);
        }
        return mixed;
    }

    TemporaryFolder folder_;
    ManualShard shard_;
    std::vector<SeenBatch> whole_;
    std::vector<SeenBatch> thinned_;
};

TEST_F(InterruptedSwap, OfWhichNothingIsWholeIsForgotten) {
    place(first, ".log", ".cleaned");
    place(first, ".index", ".cleaned");
    EXPECT_TRUE(found() == whole_);
}

TEST_F(InterruptedSwap, ThatIsWholeTakesThePlaceOfWhatItHolds) {
    place(first, ".log", ".swap");
    place(first, ".index", ".swap");
    EXPECT_TRUE(found() == thinned(1));
    EXPECT_TRUE(there(second, ".log"));
}

TEST_F(InterruptedSwap, ThatIsWholeTakesThePlaceOfSeveralSegmentsWithTheirIndexes) {
    fs::remove_all(beside() / "t-0");
    thinned_.clear();
    // One segment that spans both.
    write(
        beside(), [](int i) { return i < 8 && i % 4 == 3; }, thinned_);
    std::ofstream joined{log() / (first + std::string{".log.swap"}), std::ios::binary};
    for (const SeenBatch& batch : thinned_) {
        joined.write(reinterpret_cast<const char*>(batch.bytes.data()),
                     static_cast<std::streamsize>(batch.bytes.size()));
    }
    joined.close();
    auto expected = thinned_;
    expected.insert(expected.end(), whole_.begin() + 8, whole_.end());
    EXPECT_TRUE(found() == expected);
    EXPECT_FALSE(there(second, ".log"));
    EXPECT_FALSE(there(second, ".index"));
    EXPECT_TRUE(there(third, ".log"));
}

TEST_F(InterruptedSwap, ThatHadGotItsNameWhileOldIndexesWereLeftIsServedByItsOwn) {
    fs::remove(log() / (first + std::string{".log"}));
    place(first, ".log", ".swap");
    EXPECT_TRUE(found() == thinned(1));
}

TEST_F(InterruptedSwap, OfWhichOnlyTheLaterPartIsWholeIsForgotten) {
    place(first, ".log", ".cleaned");
    place(second, ".log", ".swap");
    EXPECT_TRUE(found() == whole_);
}

TEST_F(InterruptedSwap, WhoseWholeFileIsDamagedIsRefusedAndNothingIsTouched) {
    place(first, ".log", ".swap");
    const fs::path swap = log() / (first + std::string{".log.swap"});
    fs::resize_file(swap, fs::file_size(swap) - 1);
    ManualContext context{shard_, folder_.path()};
    auto engine = SegmentEngine::start(context, posix_file_system(), {});
    const auto refused = (*engine)->open({{{1}}, "t", 0}, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, sdk::Errc::corrupt);
    EXPECT_TRUE(there(first, ".log") && there(second, ".log") && fs::exists(swap));
}

}  // namespace
}  // namespace leat::segment
