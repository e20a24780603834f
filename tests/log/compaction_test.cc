// What compaction decides: what is dirty, what is worth a pass, what stays of a batch.
#include "core/log/compaction.h"

#include <gtest/gtest.h>

#include <string>

#include "core/log/compressed_batch.h"
#include "core/wire/batch_builder.h"
#include "core/wire/record_reader.h"

namespace leat::log {
namespace {

using wire::BatchBuilder;
using wire::BatchView;
using Bytes = std::vector<std::byte>;

constexpr Secret secret{1, 2};
constexpr Timestamp noon{1'700'000'000'000};
constexpr Timestamp after_noon(std::int64_t ms) {
    return {noon.value + ms};
}
constexpr std::int64_t day = 86'400'000;

std::span<const std::byte> key(std::string_view text) {
    return std::as_bytes(std::span{text.data(), text.size()});
}

TEST(KeyHash, IsSipHashOf128Bits) {
    const Secret counted{0x0706050403020100, 0x0f0e0d0c0b0a0908};
    EXPECT_EQ(hash_of({}, counted), (KeyHash{0xe6a825ba047f81a3, 0x930255c71472f66d}));
    const Bytes zero{std::byte{0}};
    EXPECT_EQ(hash_of(zero, counted), (KeyHash{0x44af996bd8c187da, 0x45fc229b11597634}));
}

TEST(KeyMap, RemembersTheNewestOffsetOfEachKeyUntilItIsFull) {
    KeyMap map{24 * 100, secret};
    EXPECT_EQ(map.capacity(), 90u);
    for (int i = 0; i < 90; ++i) EXPECT_TRUE(map.put(key(std::to_string(i)), Offset{i}));
    EXPECT_FALSE(map.put(key("one more"), Offset{90}));
    EXPECT_TRUE(map.put(key("7"), Offset{91}));
    EXPECT_TRUE(map.put(key("8"), Offset{3}));
    EXPECT_EQ(map.find(key("7")), Offset{91});
    EXPECT_EQ(map.find(key("8")), Offset{8});
    EXPECT_EQ(map.find(key("one more")), std::nullopt);
    EXPECT_EQ(map.size(), 90u);
}

std::vector<sdk::Extent> four_extents() {
    std::vector<sdk::Extent> extents;
    for (std::int64_t i = 0; i < 4; ++i) {
        extents.push_back({.base = {i * 10},
                           .next = {i * 10 + 10},
                           .bytes = 100,
                           .max_timestamp = after_noon(i * 1000)});
    }
    return extents;
}
CompactableLog log_of(const std::vector<sdk::Extent>& extents, std::int64_t cleaned = 0) {
    return {extents, Offset{0}, Offset{30}, Offset{40}, Offset{cleaned}};
}
const CompactionRules compacting{.compacts = true, .segment_bytes = 250};

TEST(CompactionPlan, LeavesOutTheActiveExtent) {
    const auto extents = four_extents();
    const auto plan = plan_compaction(compacting, log_of(extents), noon);
    EXPECT_EQ(plan.first_dirty, Offset{0});
    EXPECT_EQ(plan.end, Offset{30});
    EXPECT_EQ(plan.dirty_bytes, 300u);
    EXPECT_TRUE(is_worth_it(plan, compacting));
}

TEST(CompactionPlan, EndsBeforeWhatMayBeUndone) {
    const auto extents = four_extents();
    auto log = log_of(extents);
    log.stable = {25};
    EXPECT_EQ(plan_compaction(compacting, log, noon).end, Offset{20});
}

TEST(CompactionPlan, EndsBeforeWhatIsYoungerThanTheLeastLag) {
    const auto extents = four_extents();
    auto rules = compacting;
    rules.min_lag_ms = 1000;
    EXPECT_EQ(plan_compaction(rules, log_of(extents), after_noon(2000)).end, Offset{20});
    EXPECT_EQ(plan_compaction(rules, log_of(extents), after_noon(3000)).end, Offset{30});
    EXPECT_EQ(plan_compaction(rules, log_of(extents), after_noon(500)).end, Offset{0});
    rules.min_lag_ms = INT64_MAX;
    EXPECT_EQ(plan_compaction(rules, log_of(extents), after_noon(500)).end, Offset{0});
}

TEST(CompactionPlan, IsWorthAPassAboveTheRatioOfWhatIsDirty) {
    const auto extents = four_extents();
    auto rules = compacting;
    const auto third = plan_compaction(rules, log_of(extents, 20), noon);
    EXPECT_EQ(third.clean_bytes, 200u);
    EXPECT_EQ(third.dirty_bytes, 100u);
    EXPECT_FALSE(is_worth_it(third, rules));
    rules.min_dirty_ratio = 0.33;
    EXPECT_TRUE(is_worth_it(third, rules));
    EXPECT_FALSE(is_worth_it(plan_compaction(rules, log_of(extents, 30), noon), rules));
}

TEST(CompactionPlan, BeginsAnewWhereTheCheckpointDoesNotFit) {
    const auto extents = four_extents();
    EXPECT_EQ(plan_compaction(compacting, log_of(extents, 31), noon).first_dirty, Offset{0});
    auto trimmed = log_of(extents, 5);
    trimmed.begin = {12};
    EXPECT_EQ(plan_compaction(compacting, trimmed, noon).first_dirty, Offset{12});
}

TEST(CompactionPlan, IsOverdueWhenTheFirstDirtyBatchIsOlderThanTheMostLag) {
    auto rules = compacting;
    rules.max_lag_ms = 1000;
    EXPECT_FALSE(is_overdue(noon, rules, after_noon(1000)));
    EXPECT_TRUE(is_overdue(noon, rules, after_noon(1001)));
    EXPECT_FALSE(is_overdue({-1}, rules, noon));
    EXPECT_FALSE(is_overdue(after_noon(1), rules, noon));
}

TEST(CompactionGroups, JoinNeighboursUpToASegment) {
    const auto extents = four_extents();
    const auto joined = groups_to_rewrite(compacting, log_of(extents), {30}, true);
    ASSERT_EQ(joined.size(), 2u);
    EXPECT_EQ(joined[0].begin, Offset{0});
    EXPECT_EQ(joined[0].end, Offset{20});
    EXPECT_EQ(joined[0].extents, 2u);
    EXPECT_EQ(groups_to_rewrite(compacting, log_of(extents), {30}, false).size(), 3u);
    EXPECT_EQ(groups_to_rewrite(compacting, log_of(extents), {11}, true).back().end, Offset{20});
}

TEST(CompactionGroups, AreNotWiderThanOffsetsInAnIndex) {
    auto extents = four_extents();
    extents[1].next = extents[2].base = {3'000'000'000};
    extents[2].next = {3'000'000'010};
    auto log = log_of(extents);
    log.active = log.stable = {4'000'000'000};
    const auto groups = groups_to_rewrite(compacting, log, {3'000'000'010}, true);
    ASSERT_EQ(groups.size(), 3u);
}

// One batch of three records: a at 0, b (a tombstone) at 1, a at 2.
BatchBuilder three_records(wire::BatchFields fields = {}) {
    BatchBuilder batch{fields};
    batch.add({.key = "a", .value = "old", .timestamp = noon});
    batch.add({.key = "b", .value = std::nullopt, .timestamp = after_noon(5)});
    batch.add({.key = "a", .value = "new", .timestamp = after_noon(3)});
    return batch;
}

class Batches : public ::testing::Test {
protected:
    void map(const Bytes& batch) {
        const auto more = map_keys(map_, BatchView{batch}, Offset{0}, mapped_);
        ASSERT_TRUE(more && *more);
    }
    Remains compact(const Bytes& batch, Timestamp now = noon, Offset end = {1000}) {
        const BatchCompactor compactor{map_, mapped_, {now, day}, producers_last_};
        auto remains = compactor.compact(BatchView{batch}, end);
        EXPECT_TRUE(remains) << remains.error().what;
        return remains ? std::move(*remains) : Remains{};
    }
    static std::vector<std::string> told(const Bytes& batch) {
        const BatchView view{batch};
        EXPECT_TRUE(view.is_whole() && view.crc_matches());
        Bytes plain{view.records().begin(), view.records().end()};
        if (view.codec_id() != 0) {
            plain = *compression::decompress(*compression::codec_of(view.codec_id()), plain);
        }
        std::vector<std::string> records;
        wire::RecordReader reader{plain};
        while (!reader.at_end()) {
            const auto record = reader.next();
            if (!record) break;
            const auto text = [](const auto& bytes) {
                if (!bytes) return std::string{"null"};
                return std::string{reinterpret_cast<const char*>(bytes->data()), bytes->size()};
            };
            records.push_back(
                std::to_string((view.base_offset() + record->offset_delta).value) + " " +
                text(record->key) + "=" + text(record->value) + " @" +
                std::to_string(view.base_timestamp().value + record->timestamp_delta - noon.value));
        }
        EXPECT_EQ(view.record_count(), static_cast<std::int32_t>(records.size()));
        return records;
    }

    KeyMap map_{1 << 16, secret};
    Offset mapped_{0};
    std::vector<Offset> producers_last_;
};

TEST_F(Batches, KeepTheNewestRecordOfAKeyWithItsOffsetAndItsTime) {
    const auto batch = three_records().build();
    map(batch);
    EXPECT_EQ(mapped_, Offset{3});
    const auto remains = compact(batch);
    ASSERT_EQ(remains.what, Remains::What::changed);
    EXPECT_EQ(told(remains.bytes), (std::vector<std::string>{"1 b=null @5", "2 a=new @3"}));
    const BatchView view{remains.bytes};
    EXPECT_EQ(view.last_offset_delta(), 2);
    EXPECT_EQ(view.max_timestamp(), after_noon(5));
    EXPECT_EQ(remains.records_dropped, 1);
}

TEST_F(Batches, OfEachCodecStayInIt) {
    for (const auto codec : {compression::Codec::gzip, compression::Codec::snappy,
                             compression::Codec::lz4, compression::Codec::zstd}) {
        const auto batch = compressed_batch(three_records(), codec);
        map(batch);
        const auto remains = compact(batch);
        EXPECT_EQ(BatchView{remains.bytes}.codec_id(), static_cast<int>(codec));
        EXPECT_EQ(told(remains.bytes), (std::vector<std::string>{"1 b=null @5", "2 a=new @3"}));
    }
}

TEST_F(Batches, ThatLoseNothingStayByteForByte) {
    const auto batch = BatchBuilder{}.add({.key = "x", .value = "y", .timestamp = noon}).build();
    map(batch);
    EXPECT_EQ(compact(batch).what, Remains::What::as_it_was);
}

TEST_F(Batches, GetADeleteHorizonWithTheirFirstTombstoneAndLoseItBehindThat) {
    const auto batch = BatchBuilder{}
                           .add({.key = "b", .value = std::nullopt, .timestamp = noon})
                           .add({.key = "c", .value = "v", .timestamp = after_noon(1)})
                           .build();
    map(batch);
    const auto first = compact(batch, after_noon(100));
    ASSERT_EQ(first.what, Remains::What::changed);
    const BatchView marked{first.bytes};
    EXPECT_TRUE(marked.has_delete_horizon());
    EXPECT_EQ(marked.base_timestamp(), after_noon(100 + day));
    EXPECT_EQ(told(first.bytes), (std::vector<std::string>{"0 b=null @0", "1 c=v @1"}));
    EXPECT_EQ(compact(first.bytes, after_noon(99 + day)).what, Remains::What::as_it_was);
    const auto second = compact(first.bytes, after_noon(100 + day));
    EXPECT_EQ(told(second.bytes), (std::vector<std::string>{"1 c=v @1"}));
    EXPECT_TRUE(BatchView{second.bytes}.has_delete_horizon());
}

TEST_F(Batches, AboveWhatWasMappedStayAsTheyAre) {
    const auto batch = three_records().build();
    map(batch);
    mapped_ = {1};
    const auto remains = compact(batch);
    EXPECT_EQ(told(remains.bytes), (std::vector<std::string>{"1 b=null @5", "2 a=new @3"}));
    EXPECT_FALSE(BatchView{remains.bytes}.has_delete_horizon());
    mapped_ = {0};
    EXPECT_EQ(compact(batch).what, Remains::What::as_it_was);
}

TEST_F(Batches, WithoutRecordsGoUnlessTheyAreTheLastOfTheirProducerOrOfTheRange) {
    const auto batch = BatchBuilder{{.producer_id = 7, .producer_epoch = 1, .base_sequence = 40}}
                           .add({.key = "a", .value = "old", .timestamp = noon})
                           .build();
    map(batch);
    map(BatchBuilder{{.base_offset = {1}}}.add({.key = "a", .value = "new"}).build());
    EXPECT_EQ(compact(batch).what, Remains::What::nothing);
    EXPECT_EQ(compact(batch, noon, {1}).what, Remains::What::changed);
    producers_last_ = {Offset{0}};
    const auto remains = compact(batch);
    ASSERT_EQ(remains.what, Remains::What::changed);
    EXPECT_TRUE(told(remains.bytes).empty());
    const BatchView view{remains.bytes};
    EXPECT_EQ(view.size(), wire::batch_header_bytes);
    EXPECT_EQ(view.producer_id(), 7);
    EXPECT_EQ(view.producer_epoch(), 1);
    EXPECT_EQ(view.last_sequence(), 40);
    EXPECT_EQ(view.next_offset(), Offset{1});
    EXPECT_EQ(view.max_timestamp(), noon);
    EXPECT_EQ(compact(remains.bytes).what, Remains::What::as_it_was);
    producers_last_ = {Offset{9}};
    EXPECT_EQ(compact(remains.bytes).what, Remains::What::nothing);
}

TEST_F(Batches, LoseRecordsWithoutAKey) {
    const auto batch = BatchBuilder{}
                           .add({.key = std::nullopt, .value = "x", .timestamp = noon})
                           .add({.key = "", .value = "empty is a key", .timestamp = noon})
                           .build();
    map(batch);
    EXPECT_EQ(told(compact(batch).bytes), (std::vector<std::string>{"1 =empty is a key @0"}));
}

TEST_F(Batches, OfTransactionsAndControlBatchesStayAndHideNothing) {
    const auto older = BatchBuilder{}.add({.key = "a", .value = "1", .timestamp = noon}).build();
    map(older);
    for (const bool control : {true, false}) {
        const auto batch =
            BatchBuilder{
                {.base_offset = {1}, .producer_id = 7, .transactional = true, .control = control}}
                .add({.key = "a", .value = "2", .timestamp = noon})
                .build();
        map(batch);
        EXPECT_EQ(compact(batch).what, Remains::What::as_it_was);
    }
    EXPECT_EQ(compact(older).what, Remains::What::as_it_was);
}

TEST_F(Batches, ThatCannotBeOpenedWithinBoundsStay) {
    BatchBuilder zeros;
    zeros.add({.key = "a", .value = std::string(100'000, '0'), .timestamp = noon});
    const auto batch = compressed_batch(zeros, compression::Codec::gzip);
    Offset mapped{0};
    const compression::Bounds tight{.max_output = 1000};
    const auto more = map_keys(map_, BatchView{batch}, Offset{0}, mapped, tight);
    EXPECT_TRUE(more && *more);
    EXPECT_EQ(map_.size(), 0u);
    const BatchCompactor compactor{map_, mapped, {noon, day}, {}, tight};
    const auto remains = compactor.compact(BatchView{batch}, {1000});
    ASSERT_TRUE(remains);
    EXPECT_EQ(remains->what, Remains::What::as_it_was);
}

TEST_F(Batches, ThatAreGarbageInsideAreAnError) {
    auto batch = three_records().build();
    batch[wire::batch_header_bytes] = std::byte{0xff};
    Offset mapped{0};
    EXPECT_FALSE(map_keys(map_, BatchView{batch}, Offset{0}, mapped));
}

TEST_F(Batches, AreMappedUntilTheMapIsFullAndTheNextPassGoesOnThere) {
    KeyMap small{24 * 2, secret};
    ASSERT_EQ(small.capacity(), 1u);
    const auto batch = three_records().build();
    Offset mapped{0};
    const auto more = map_keys(small, BatchView{batch}, Offset{0}, mapped);
    ASSERT_TRUE(more);
    EXPECT_FALSE(*more);
    EXPECT_EQ(mapped, Offset{1});
    KeyMap next{24 * 20, secret};
    EXPECT_TRUE(*map_keys(next, BatchView{batch}, mapped, mapped));
    EXPECT_EQ(next.find(key("a")), Offset{2});
    EXPECT_EQ(mapped, Offset{3});
}

TEST(CleanerCheckpoint, IsReadAsItWasWritten) {
    EXPECT_EQ(decode_cleaner_checkpoint(encode_cleaner_checkpoint({42})), Offset{42});
    for (const char* text : {"", "0\n", "1\n4\n", "0\n-4\n", "0\n4", "0\n4 \n", "0\n4\n5\n"}) {
        const auto bytes = std::as_bytes(std::span{text, std::char_traits<char>::length(text)});
        EXPECT_EQ(decode_cleaner_checkpoint(bytes), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace leat::log
