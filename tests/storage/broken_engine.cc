#include "tests/storage/broken_engine.h"

#include <algorithm>

namespace leat::storage_test {
namespace {

using namespace sdk;

class BrokenRewrite final : public Rewrite {
public:
    BrokenRewrite(std::unique_ptr<Rewrite> inner, const std::string& fault)
        : inner_{std::move(inner)}, fault_{fault} {}

    Status append(std::span<const StampedBatch> batches) override {
        if (fault_ == "rewrite drops a batch" && batches.size() > 1 && !dropped_) {
            dropped_ = true;
            batches = batches.subspan(1);
        }
        if (auto appended = inner_->append(batches); !appended) return appended;
        if (fault_ == "rewrite shows before its commit") return inner_->commit();
        return {};
    }
    Status flush() override { return inner_->flush(); }
    Status commit() override {
        if (fault_ == "rewrite is forgotten") return {};
        const Status committed = inner_->commit();
        if (fault_ == "rewrite says all is well") return {};
        return committed;
    }

private:
    const std::unique_ptr<Rewrite> inner_;
    const std::string& fault_;
    bool dropped_ = false;
};

class BrokenLog final : public Log, public RewritableLog {
public:
    BrokenLog(std::unique_ptr<Log> inner, const std::string& fault)
        : inner_{std::move(inner)}, fault_{fault} {}

    LogBounds bounds() const override {
        LogBounds bounds = inner_->bounds();
        if (is("bounds forget the beginning")) bounds.begin = {0};
        if (is("flushed is never raised")) bounds.flushed = {0};
        return bounds;
    }
    std::vector<Extent> extents() const override {
        auto extents = inner_->extents();
        if (is("extents leave one out") && extents.size() > 3) extents.erase(extents.begin() + 1);
        if (is("extents say wrong sizes")) {
            for (Extent& extent : extents) ++extent.bytes;
        }
        return extents;
    }
    Status append(std::span<const StampedBatch> batches) override {
        if (is("append drops a batch of many") && batches.size() > 100) {
            return inner_->append(batches.first(batches.size() - 1));
        }
        if (is("append refuses gaps") && !batches.empty() &&
            batches.front().base != inner_->bounds().end) {
            return Error{Errc::invalid_argument, "a gap"};
        }
        return inner_->append(batches);
    }
    Result<ReadAnswer> read(Offset from, Offset below, std::size_t max_bytes) override {
        if (is("read knows no beyond") && from > inner_->bounds().end) return ReadAnswer{};
        if (is("read knows no dropping")) from = std::max(from, inner_->bounds().begin);
        if (is("the limit is not kept")) below = inner_->bounds().end;
        if (is("a large first batch is left out")) {
            auto answer = inner_->read(from, below, max_bytes);
            if (answer && bytes_in(*answer) > max_bytes) return ReadAnswer{};
            return answer;
        }
        if (is("too much is served")) max_bytes += 61;
        if (is("too little is served")) max_bytes -= std::min<std::size_t>(max_bytes, 1);
        auto answer = inner_->read(from, below, max_bytes);
        if (is("trim uses slices again") && answer) lend(*answer);
        if (is("a slice ends inside a batch") && answer) shorten(*answer);
        return answer;
    }
    std::optional<Offset> seek(Timestamp not_before) const override {
        const auto found = inner_->seek(not_before);
        if (is("seek is too late") && found) return *found + 1;
        if (is("seek finds what is too old")) return found ? found : inner_->bounds().begin;
        return found;
    }
    Status flush() override { return is("flush does nothing") ? Status{} : inner_->flush(); }
    Status truncate(Offset end) override {
        if (is("truncate is off by one")) return inner_->truncate(end + 1);
        if (is("truncate takes one batch more") && end.value > 0) {
            return inner_->truncate({end.value - 1});
        }
        if (is("truncate is forgotten")) return {};
        return inner_->truncate(end);
    }
    Status trim(Offset begin) override {
        if (is("trim uses slices again")) overwrite_slices();
        if (is("trim loses a live batch")) return inner_->trim(begin + 1);
        if (is("trim lowers the beginning") && begin < inner_->bounds().begin) {
            return inner_->truncate(begin);
        }
        if (is("trim does nothing above the end") && begin > inner_->bounds().end) return {};
        return inner_->trim(begin);
    }
    Status seal() override { return is("seal does nothing") ? Status{} : inner_->seal(); }
    SideFiles* side_files() override {
        return is("side files are missing") ? nullptr : inner_->side_files();
    }

    RewritableLog* rewritable() override { return this; }
    Result<std::unique_ptr<Rewrite>> rewrite(Offset begin, Offset end) override {
        if (is("rewrite takes any range")) {
            begin = inner_->extents().front().base;
            end = inner_->extents().front().next;
        }
        auto made = inner_->rewritable()->rewrite(begin, end);
        if (is("rewrites crowd") && !made && made.error().code == Errc::unavailable) {
            return std::unique_ptr<Rewrite>{std::make_unique<BrokenRewrite>(nullptr, fault_)};
        }
        if (!made) return made.error();
        return std::unique_ptr<Rewrite>{std::make_unique<BrokenRewrite>(std::move(*made), fault_)};
    }

private:
    bool is(const char* fault) const { return fault_ == fault; }
    static std::size_t bytes_in(const ReadAnswer& answer) {
        std::size_t bytes = 0;
        for (const Slice& slice : answer.slices) bytes += size_of(slice);
        return bytes;
    }
    // Slices of memory that the log uses again when it is trimmed.
    void lend(ReadAnswer& answer) {
        for (Slice& slice : answer.slices) {
            auto& memory = std::get<MemorySlice>(slice);
            auto copy =
                std::make_shared<std::vector<std::byte>>(memory.bytes.begin(), memory.bytes.end());
            copies_.push_back(copy);
            memory = {copy, *copy};
        }
    }
    void overwrite_slices() {
        for (auto& copy : copies_) std::fill(copy->begin(), copy->end(), std::byte{0xDD});
    }
    static void shorten(ReadAnswer& answer) {
        if (answer.slices.empty()) return;
        auto& memory = std::get<MemorySlice>(answer.slices.back());
        memory.bytes = memory.bytes.first(memory.bytes.size() - 1);
    }

    const std::unique_ptr<Log> inner_;
    const std::string& fault_;
    std::vector<std::shared_ptr<std::vector<std::byte>>> copies_;
};

class BrokenEngine final : public StorageEngine {
public:
    BrokenEngine(std::unique_ptr<StorageEngine> inner, std::string fault)
        : inner_{std::move(inner)}, fault_{std::move(fault)} {}

    Result<std::unique_ptr<Log>> open(const PartitionId& id, const LogOptions& options) override {
        PartitionId at = id;
        if (fault_ == "topic ids are not looked at") at.topic_id = {{9}};
        auto log = inner_->open(at, options);
        if (!log) return log.error();
        return std::unique_ptr<Log>{std::make_unique<BrokenLog>(std::move(*log), fault_)};
    }
    Status remove(const PartitionId& id) override {
        if (fault_ == "remove does nothing") return {};
        PartitionId at = id;
        if (fault_ == "remove looks at names only") at.topic_id = {};
        return inner_->remove(at);
    }
    Result<std::vector<PartitionId>> partitions() override {
        if (fault_ == "partitions are not told") return std::vector<PartitionId>{};
        return inner_->partitions();
    }
    Status closed_cleanly() override { return inner_->closed_cleanly(); }

private:
    const std::unique_ptr<StorageEngine> inner_;
    const std::string fault_;
};

}  // namespace

const std::vector<Fault>& faults() {
    static const std::vector<Fault> all{
        {"bounds forget the beginning", "TrimsAboveItsEndByBeginningThere"},
        {"flushed is never raised", "RaisesFlushedToWhatWasAppendedBeforeTheFlush"},
        {"extents leave one out", "TellsItsExtentsInOrderAndWithNothingLeftOut"},
        {"extents say wrong sizes", "SealsAnExtentButNeverAnEmptyOne"},
        {"append drops a batch of many", "TakesManyBatchesOfAllSizesInOneAppend"},
        {"append refuses gaps", "TakesGapsBetweenOffsets"},
        {"read knows no beyond", "AnswersNothingAtTheEndAndOutOfRangeBeyond"},
        {"the limit is not kept", "BeginsNothingAtOrAboveTheLimit"},
        {"a large first batch is left out", "ServesTheFirstBatchWholeHoweverLargeItIs"},
        {"too much is served", "ServesAsManyWholeBatchesAsFit"},
        {"too little is served", "ServesAsManyWholeBatchesAsFit"},
        {"a slice ends inside a batch", "ServesWholeBatchesByteForByte"},
        {"seek is too late", "SeeksNeverTooLateWhateverTheTimestamps"},
        {"seek finds what is too old", "SeeksRightAfterATruncation"},
        {"flush does nothing", "RaisesFlushedToWhatWasAppendedBeforeTheFlush"},
        {"truncate is off by one", "TruncatesAtEveryBatchBoundaryAndGoesOn"},
        {"truncate takes one batch more", "TruncatesAtEveryBatchBoundaryAndGoesOn"},
        {"truncate is forgotten", "TruncatesABatchThatReachesOverTheEndAsAWhole"},
        {"trim loses a live batch", "TrimsAtEveryBatchBoundary"},
        {"trim lowers the beginning", "NeverLowersItsBeginning"},
        {"trim does nothing above the end", "TrimsAboveItsEndByBeginningThere"},
        {"trim uses slices again", "KeepsSlicesReadableThroughTrimAndRemove"},
        {"seal does nothing", "SealsAnExtentButNeverAnEmptyOne"},
        {"bounds forget the beginning", "DropsTheOldestExtentsWhole"},
        {"the budget is not kept", "DropsTheOldestExtentsWhole"},
        {"the budget is not kept", "SaysWhatItDropped"},
        {"the budget is not kept", "SharesItBetweenPartitionsByAge"},
        {"read knows no dropping", "AnswersOutOfRangeForWhatItDropped"},
        {"rewrite drops a batch", "ServesTheOldUntilTheCommitAndTheNewFromThenOn"},
        {"rewrite shows before its commit", "IsAsIfItHadNeverBeenWithoutACommit"},
        {"rewrite is forgotten", "ReadsFromWithinAGapWhatFollowsIt"},
        {"rewrite is forgotten", "RewritesWhatWasRewritten"},
        {"rewrite is forgotten", "IsWrittenBesideAppendsReadsAndSyncs"},
        {"rewrite says all is well", "MustEndWhereTheExtentsEnd"},
        {"rewrite says all is well", "GivesWayToATruncationAndToATrim"},
        {"rewrite takes any range", "TakesOnlyWholeDurableExtentsAndNotTheLast"},
        {"rewrites crowd", "IsOneAtATime"},
        {"rewrite is forgotten", "IsRememberedThroughCrashAndOrderlyStop", true},
        {"side files are missing", "KeepsSideFilesThroughACrash", true},
        {"remove does nothing", "ForgetsARemovedPartition", true},
        {"remove looks at names only", "LeavesANewerTopicOfTheSameNameAlone", true},
        {"partitions are not told", "TellsWhichPartitionsItKeeps", true},
        {"topic ids are not looked at", "ServesNothingOfAnEarlierTopicOfTheSameName", true},
        {"truncate is off by one", "RemembersATruncationThroughACrash", true},
        {"trim loses a live batch", "RemembersATrimThroughACrash", true},
        {"trim does nothing above the end", "RemembersWhereAnEmptyLogBegins", true},
    };
    return all;
}

std::unique_ptr<StorageEngine> broken(std::unique_ptr<StorageEngine> inner, std::string fault) {
    return std::make_unique<BrokenEngine>(std::move(inner), std::move(fault));
}

}  // namespace leat::storage_test
