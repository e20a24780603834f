// What `leat dump` tells of a segment, whole, cut, garbled or full of garbage.
#include <array>
#include <random>

#include "core/log/compressed_batch.h"
#include "core/wire/record_batch.h"
#include "tests/dump/told.h"

namespace leat::app {
namespace {

using compression::Codec;

constexpr const char* name = "00000000000000000010.log";

class SegmentDump : public DumpTest {
protected:
    SegmentDump() {
        for (std::int64_t i = 0; i < 3; ++i) {
            wire::BatchBuilder batch{{.base_offset = {10 + 2 * i},
                                      .leader_epoch = {4},
                                      .producer_id = 77,
                                      .producer_epoch = 1,
                                      .base_sequence = static_cast<std::int32_t>(2 * i)}};
            batch.add({.key = "k", .value = "first", .timestamp = {1000 + i}});
            batch.add({.key = std::nullopt, .value = "\xff\x01", .timestamp = {2000 + i}});
            starts_.push_back(good_.size());
            good_ = good_ + log::compressed_batch(batch, codecs_[static_cast<std::size_t>(i)]);
        }
        starts_.push_back(good_.size());
    }

    static constexpr std::array codecs_{Codec::none, Codec::zstd, Codec::gzip};
    Bytes good_;
    std::vector<std::uint64_t> starts_;  // Of each batch, and the end.
};

TEST_F(SegmentDump, TellsEachBatchWithAllThatItsHeaderSays) {
    const Told told = tell(name, good_);
    EXPECT_TRUE(told.damages.empty());
    ASSERT_EQ(told.items.size(), 3u);
    const auto& second = told.items[1];
    EXPECT_EQ(second.kind, "batch");
    EXPECT_EQ(second.position, starts_[1]);
    EXPECT_EQ(number(second, "bytes"), static_cast<std::int64_t>(starts_[2] - starts_[1]));
    EXPECT_EQ(number(second, "base_offset"), 12);
    EXPECT_EQ(number(second, "last_offset"), 13);
    EXPECT_EQ(number(second, "records"), 2);
    EXPECT_EQ(number(second, "leader_epoch"), 4);
    EXPECT_EQ(text(second, "codec"), "zstd");
    EXPECT_EQ(text(second, "timestamp_type"), "CreateTime");
    EXPECT_EQ(number(second, "base_timestamp"), 1001);
    EXPECT_EQ(number(second, "max_timestamp"), 2001);
    EXPECT_EQ(number(second, "producer_id"), 77);
    EXPECT_EQ(number(second, "producer_epoch"), 1);
    EXPECT_EQ(number(second, "base_sequence"), 2);
    EXPECT_EQ(number(second, "last_sequence"), 3);
    EXPECT_EQ(number(second, "crc"), wire::BatchView{std::span{good_}.subspan(starts_[1])}.crc());
    EXPECT_TRUE(std::get<bool>(field(second, "crc_ok")));
}

TEST_F(SegmentDump, OpensTheRecordsOfEveryCodec) {
    const Told told = tell(name, good_, {.records = true});
    EXPECT_TRUE(told.damages.empty());
    const auto records = told.of_kind("record");
    ASSERT_EQ(records.size(), 6u);
    for (std::size_t i = 0; i < 6; i += 2) {
        EXPECT_EQ(number(records[i], "offset"), 10 + static_cast<std::int64_t>(i));
        EXPECT_EQ(number(records[i], "timestamp"), 1000 + static_cast<std::int64_t>(i / 2));
        EXPECT_EQ(text(records[i], "key"), "k");
        EXPECT_EQ(text(records[i], "value"), "first");
        EXPECT_EQ(text(records[i + 1], "value_hex"), "ff01");
        EXPECT_EQ(records[i + 1].fields.size(), 3u) << "a null key has no field";
    }
}

TEST_F(SegmentDump, CutAtAnyByteTellsTheWholeBatchesAndWhereTheCutOneBegins) {
    for (std::size_t size = 0; size < good_.size(); ++size) {
        const Told told =
            tell(name, Bytes{good_.begin(), good_.begin() + static_cast<std::ptrdiff_t>(size)});
        std::size_t whole = 0;
        while (starts_[whole + 1] <= size) ++whole;
        ASSERT_EQ(told.of_kind("batch").size(), whole) << size;
        if (size < starts_[whole] + 8) {  // An offset's first bytes are zeros, like prepared room.
            EXPECT_TRUE(told.damages.empty()) << size;
        } else {
            ASSERT_EQ(told.damages.size(), 1u) << size;
            EXPECT_EQ(told.damages[0].first, starts_[whole]);
            EXPECT_NE(told.damages[0].second.find("cut off"), std::string::npos);
        }
    }
}

TEST_F(SegmentDump, AnyChangedByteIsFoundAndTheOtherBatchesAreToldAllTheSame) {
    for (std::size_t i = 0; i < good_.size(); ++i) {
        std::size_t hit = 0;
        while (starts_[hit + 1] <= i) ++hit;
        const std::size_t in_batch = i - starts_[hit];
        const bool outside_of_crc = in_batch < 8 || (in_batch >= 12 && in_batch < 16);
        Bytes bad = good_;
        bad[i] ^= std::byte{0xff};
        const Told told = tell(name, bad, {.records = true});
        std::size_t sound = 0;
        for (const auto& batch : told.of_kind("batch")) {
            if (std::get<bool>(field(batch, "crc_ok")) && batch.position != starts_[hit]) ++sound;
        }
        EXPECT_EQ(sound, 2u) << "byte " << i;
        if (outside_of_crc) continue;
        ASSERT_FALSE(told.damages.empty()) << "byte " << i;
        EXPECT_EQ(told.damages[0].first, starts_[hit]) << "byte " << i;
    }
}

TEST_F(SegmentDump, OffsetsAndEpochsThatGoBackAreDamageThoughNoChecksumCoversThem) {
    const Bytes first{good_.begin(), good_.begin() + static_cast<std::ptrdiff_t>(starts_[1])};
    const Told again = tell(name, first + first);
    ASSERT_EQ(again.damages.size(), 1u);
    EXPECT_EQ(again.damages[0].first, starts_[1]);
    EXPECT_EQ(again.damages[0].second, "an offset that goes back: 10, where 12 or more follows");
    Bytes older = good_;
    older[starts_[1] + 15] = std::byte{3};
    const Told epochs = tell(name, older);
    ASSERT_EQ(epochs.damages.size(), 1u);
    EXPECT_EQ(epochs.damages[0].second, "a leader epoch that goes back: 3 after 4");
    EXPECT_EQ(tell("00000000000000000011.log", good_).damages.size(), 1u)
        << "an offset below the one in its name";
}

TEST_F(SegmentDump, FindsWholeBatchesBehindGarbage) {
    std::mt19937 random{7};
    Bytes garbage;
    for (int i = 0; i < 300'000; ++i) garbage.push_back(static_cast<std::byte>(random()));
    const Bytes head{good_.begin(), good_.begin() + static_cast<std::ptrdiff_t>(starts_[1])};
    const Bytes tail{good_.begin() + static_cast<std::ptrdiff_t>(starts_[1]), good_.end()};
    const Told told = tell(name, head + garbage + tail);
    EXPECT_EQ(told.of_kind("batch").size(), 3u);
    ASSERT_EQ(told.damages.size(), 1u);
    EXPECT_EQ(told.damages[0].first, starts_[1]);
    EXPECT_EQ(told.damages[0].second, "bytes that are no batch; whole batches go on at " +
                                          std::to_string(starts_[1] + 300'000));
}

TEST_F(SegmentDump, ZerosAtTheEndAreRoomAndZerosBetweenAreDamage) {
    const Told room = tell(name, good_ + Bytes(100'000));
    EXPECT_TRUE(room.damages.empty());
    ASSERT_EQ(room.of_kind("prepared_room").size(), 1u);
    EXPECT_EQ(room.items.back().position, good_.size());
    EXPECT_EQ(number(room.items.back(), "bytes"), 100'000);
    EXPECT_EQ(tell(name, Bytes(100)).damages.size(), 0u);

    const Told hole = tell(name, Bytes(5000) + good_);
    EXPECT_EQ(hole.of_kind("batch").size(), 3u);
    ASSERT_EQ(hole.damages.size(), 1u);
    EXPECT_EQ(hole.damages[0].first, 0u);
}

TEST_F(SegmentDump, RecordsThatLieUnderARightChecksumAreDamage) {
    auto sealed = [](Bytes batch) {
        wire::MutableBatchView{batch}.seal();
        return batch;
    };
    Bytes codec = good_;
    codec.resize(starts_[1]);
    codec[22] = std::byte{5};
    EXPECT_EQ(tell(name, sealed(codec), {.records = true}).damages.at(0).second,
              "a batch of no known codec");
    codec[22] = std::byte{1};
    EXPECT_TRUE(tell(name, sealed(codec), {.records = true})
                    .damages.at(0)
                    .second.starts_with("records that cannot be decompressed: "));
    Bytes count = good_;
    count.resize(starts_[1]);
    count[60] = std::byte{9};
    EXPECT_EQ(tell(name, sealed(count), {.records = true}).damages.at(0).second,
              "2 records, where the batch says 9");
    EXPECT_EQ(tell(name, sealed(count)).damages.size(), 0u) << "nobody looked";
}

TEST_F(SegmentDump, ABombIsRefused) {
    const std::string zeros(300u << 20, '\0');
    wire::BatchBuilder batch{{.base_offset = {10}}};
    batch.add({.value = zeros});
    const Told told = tell(name, log::compressed_batch(batch, Codec::zstd), {.records = true});
    ASSERT_EQ(told.damages.size(), 1u);
    EXPECT_TRUE(told.of_kind("record").empty());
}

TEST_F(SegmentDump, SurvivesGarbageOfEveryKind) {
    std::mt19937 random{11};
    for (int round = 0; round < 60; ++round) {
        Bytes bad;
        for (int i = 0; i < 4000; ++i) {
            // Few different bytes make many things that look like headers.
            bad.push_back(static_cast<std::byte>(round % 2 == 0 ? random() : random() % 3));
        }
        const Told told = tell(name, bad, {.records = true});
        EXPECT_FALSE(told.damages.empty() && told.items.empty());
    }
    for (const unsigned byte : {0x02u, 0x01u, 0x7fu, 0xffu}) {
        EXPECT_FALSE(tell(name, Bytes(200'000, static_cast<std::byte>(byte))).damages.empty());
    }
}

TEST_F(SegmentDump, BatchesOfOldFormatsArePassedOverByTheirSize) {
    Bytes old(40);
    old[7] = std::byte{10};
    old[11] = std::byte{28};
    old[16] = std::byte{1};
    const Told told = tell(name, old + good_ + old);
    EXPECT_TRUE(told.damages.empty());
    EXPECT_EQ(told.of_kind("batch").size(), 3u);
    EXPECT_EQ(told.of_kind("old_batch").size(), 2u);
}

}  // namespace
}  // namespace leat::app
