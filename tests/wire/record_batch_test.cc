// Batches as bytes: what is written is read back, and what lies is found out.
#include "core/wire/record_batch.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/wire/batch_builder.h"
#include "core/wire/record_reader.h"

namespace leat::wire {
namespace {

using Bytes = std::vector<std::byte>;
using Header = std::pair<std::string_view, std::optional<std::string_view>>;

std::string text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(RecordBatch, ReadsBackWhatWasBuilt) {
    const std::vector<Header> headers{{"trace", "42"}, {"nothing", std::nullopt}};
    const Bytes bytes = BatchBuilder{{.base_offset = {100},
                                      .leader_epoch = {7},
                                      .producer_id = 5000,
                                      .producer_epoch = 3,
                                      .base_sequence = 12}}
                            .add({.key = "k", .value = "v", .timestamp = {2000},
                                  .headers = headers})
                            .add({.key = std::nullopt, .value = "", .timestamp = {1000}})
                            .add({.key = "", .value = std::nullopt, .timestamp = {3000}})
                            .build();
    const BatchView batch{bytes};
    EXPECT_TRUE(batch.is_whole());
    EXPECT_TRUE(batch.crc_matches());
    EXPECT_EQ(batch.size(), bytes.size());
    EXPECT_EQ(batch.last_offset(), Offset{102});
    EXPECT_EQ(batch.base_timestamp(), Timestamp{2000});
    EXPECT_EQ(batch.max_timestamp(), Timestamp{3000});
    EXPECT_EQ(batch.producer_epoch(), 3);
    EXPECT_EQ(batch.last_sequence(), 14);

    RecordReader reader{batch.records()};
    const auto first = reader.next();
    ASSERT_TRUE(first);
    EXPECT_EQ(text(*first->key), "k");
    HeaderReader trace{*first};
    EXPECT_EQ(text(*trace.next()->value), "42");
    EXPECT_FALSE(trace.next()->value);
    EXPECT_FALSE(trace.next());
    const auto second = reader.next();
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->key);
    EXPECT_EQ(second->value->size(), 0u);
    EXPECT_EQ(second->timestamp_delta, -1000);
    const auto third = reader.next();
    ASSERT_TRUE(third);
    EXPECT_FALSE(third->value);
    EXPECT_TRUE(reader.at_end());
}

TEST(RecordBatch, StampsOutsideItsChecksum) {
    Bytes bytes = BatchBuilder{}.add({.value = "v"}).build();
    MutableBatchView batch{bytes};
    const auto crc = batch.crc();
    batch.stamp({1'234'567'890'123}, {9});
    EXPECT_EQ(batch.base_offset(), Offset{1'234'567'890'123});
    EXPECT_EQ(batch.leader_epoch(), LeaderEpoch{9});
    EXPECT_EQ(batch.crc(), crc);
    EXPECT_TRUE(batch.crc_matches());
}

TEST(RecordBatch, RewritesItsTimestampTypeAndItsChecksum) {
    Bytes bytes = BatchBuilder{}.add({.value = "v", .timestamp = {5}}).build();
    MutableBatchView batch{bytes};
    batch.set_log_append_time({99});
    EXPECT_TRUE(batch.log_append_time());
    EXPECT_EQ(batch.max_timestamp(), Timestamp{99});
    EXPECT_EQ(batch.base_timestamp(), Timestamp{5});
    EXPECT_TRUE(batch.crc_matches());
    batch.set_create_time({5});
    EXPECT_FALSE(batch.log_append_time());
    EXPECT_TRUE(batch.crc_matches());
}

TEST(RecordBatch, CountsSequencesPastTheirEnd) {
    constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(sequence_after(last, 1), 0);
    EXPECT_EQ(sequence_after(last - 2, 4), 1);
    EXPECT_EQ(sequence_after(1, -4), last - 2);
}

TEST(RecordBatch, FindsAnyBitThatFlippedUnderItsChecksum) {
    const Bytes good = BatchBuilder{}.add({.key = "k", .value = "value"}).build();
    for (std::size_t bit = 17 * 8; bit < good.size() * 8; ++bit) {
        Bytes bad = good;
        bad[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        EXPECT_FALSE(BatchView{bad}.crc_matches()) << bit;
    }
}

TEST(RecordReader, NeverLeavesItsBytes) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const std::vector<Header> headers{{"a", "b"}};
    Bytes good = BatchBuilder{}
                     .add({.key = "key", .value = "value", .headers = headers})
                     .add({.key = "key2", .value = "value2"})
                     .build();
    good.erase(good.begin(), good.begin() + batch_header_bytes);
    for (int round = 0; round < 20'000; ++round) {
        Bytes bad = good;
        for (auto n = random() % 4 + 1; n > 0; --n)
            bad[random() % bad.size()] = static_cast<std::byte>(random());
        bad.resize(random() % (bad.size() + 1));
        const Bytes exact{bad};  // No spare capacity, so that a sanitizer sees a step too far.
        RecordReader reader{exact};
        while (!reader.at_end()) {
            const auto record = reader.next();
            if (!record) break;
            HeaderReader all{*record};
            while (all.next()) continue;
        }
    }
}

}  // namespace
}  // namespace leat::wire
