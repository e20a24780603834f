// What a consumer makes of what brokers answer.
#include "core/client/consumer.h"

#include <gtest/gtest.h>

#include "core/client/offsets.h"
#include "core/log/compressed_batch.h"
#include "core/wire/messages/list_offsets.h"
#include "tests/client/fake_broker.h"

namespace leat::client {
namespace {

using sdk::Errc;
using wire::ErrorCode;
using Bytes = std::vector<std::byte>;

constexpr std::chrono::milliseconds patience{20'000};

// Records with the values "0", "1", ... of their offsets.
Bytes batch(std::int64_t base, int count, wire::BatchFields fields = {},
            compression::Codec codec = compression::Codec::none) {
    fields.base_offset = {base};
    wire::BatchBuilder builder{fields};
    for (int i = 0; i < count; ++i) {
        const auto value = std::to_string(base + i);
        builder.add({.value = value, .timestamp = {1000 + i}});
    }
    return log::compressed_batch(builder, codec);
}

Bytes operator+(Bytes left, const Bytes& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

class ConsumerTest : public testing::Test {
protected:
    // Of topic t, one partition with the offsets `begin` to `end`; what is there from an offset on,
    // or below `begin` OFFSET_OUT_OF_RANGE.
    void serve(std::function<Bytes(std::int64_t)> log) {
        broker.serve<wire::MetadataResponse, wire::MetadataRequest>(
            [this](const wire::MetadataRequest&) { return broker.metadata("t", 1); });
        broker.serve<wire::ListOffsetsResponse, wire::ListOffsetsRequest>(
            [this](const wire::ListOffsetsRequest& request) {
                const bool first = request.topics[0].partitions[0].timestamp == earliest;
                wire::ListOffsetsResponse response;
                response.topics.push_back({.name = "t"});
                response.topics[0].partitions.push_back({.offset = first ? begin : end});
                return response;
            });
        broker.serve<wire::FetchResponse, wire::FetchRequest>(
            [this, log](const wire::FetchRequest& request) {
                const auto offset = request.topics[0].partitions[0].fetch_offset;
                wire::FetchResponse response;
                response.responses.push_back({.topic = "t"});
                const bool there = offset >= begin && offset <= end;
                answered = there ? log(offset) : Bytes{};
                response.responses[0].partitions.push_back(
                    {.error_code = there ? ErrorCode::none : ErrorCode::offset_out_of_range,
                     .high_watermark = end,
                     .records = wire::RecordsView{answered}});
                return response;
            });
        broker.start();
    }
    // Polls until the end is reached, or an error, or `most` records.
    sdk::Status read(std::int64_t from, std::optional<std::int64_t> to, std::size_t most = 1000) {
        cluster.emplace(std::vector<Address>{{"127.0.0.1", broker.port()}}, patience, watch);
        if (const auto status = cluster->refresh_topic("t"); !status) return status;
        consumer.emplace(*cluster, "t");
        consumer->assign(0, from, to);
        Consumer::Take take = [&](const IncomingRecord& record) {
            const auto& value = *record.record.value;
            values.emplace_back(reinterpret_cast<const char*>(value.data()), value.size());
            EXPECT_EQ(values.back(), std::to_string(record.offset));
            timestamps.push_back(record.timestamp);
            return values.size() < most;
        };
        while (!consumer->done()) {
            const auto polled = consumer->poll(take);
            if (!polled) return polled.error();
            if (!*polled) break;
        }
        return {};
    }
    using Values = std::vector<std::string>;

    std::int64_t begin = 0;
    std::int64_t end = 0;
    Bytes answered;
    Values values;
    std::vector<std::int64_t> timestamps;
    Watch watch;
    FakeBroker broker;
    std::optional<Cluster> cluster;
    std::optional<Consumer> consumer;
};

TEST_F(ConsumerTest, BeginsInTheMiddleOfABatchAndEndsInTheMiddleOfAnother) {
    end = 9;
    serve([](std::int64_t) {
        return batch(0, 3) + batch(3, 3, {}, compression::Codec::zstd) + batch(6, 3);
    });
    ASSERT_TRUE(read(1, 7));
    EXPECT_EQ(values, (Values{"1", "2", "3", "4", "5", "6"}));
    EXPECT_EQ(timestamps, (std::vector<std::int64_t>{1001, 1002, 1000, 1001, 1002, 1000}));
}

TEST_F(ConsumerTest, StopsWhereItIsToldAndNotAfterTheBatch) {
    end = 9;
    serve([](std::int64_t) { return batch(0, 9); });
    ASSERT_TRUE(read(2, std::nullopt, 3));
    EXPECT_EQ(values, (Values{"2", "3", "4"}));
}

TEST_F(ConsumerTest, ABatchThatIsCutOffComesWholeTheNextTime) {
    end = 6;
    serve([](std::int64_t offset) {
        auto bytes = batch(0, 3) + batch(3, 3);
        if (offset < 3) bytes.resize(bytes.size() - 5);
        return bytes;
    });
    ASSERT_TRUE(read(0, 6));
    EXPECT_EQ(values, (Values{"0", "1", "2", "3", "4", "5"}));
}

TEST_F(ConsumerTest, MarksOfTransactionsAreNoRecordsAndAnEndBehindOneIsReached) {
    end = 4;
    serve([](std::int64_t offset) {
        return offset >= 4 ? Bytes{} : batch(0, 3) + batch(3, 1, {.control = true});
    });
    ASSERT_TRUE(read(0, 4));
    EXPECT_EQ(values, (Values{"0", "1", "2"}));
}

TEST_F(ConsumerTest, AnEndThatCompactionTookAwayIsReached) {
    end = 9;
    serve([](std::int64_t offset) { return offset >= 3 ? Bytes{} : batch(0, 3); });
    end = 3;
    ASSERT_TRUE(read(0, 9));
    EXPECT_EQ(values, (Values{"0", "1", "2"}));
}

TEST_F(ConsumerTest, ADamagedBatchEndsTheReadingBeforeIt) {
    end = 6;
    serve([](std::int64_t) {
        auto second = batch(3, 3);
        second.back() ^= std::byte{1};
        return batch(0, 3) + second;
    });
    const auto status = read(0, 6);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().what,
              "t/0: the batch at offset 3 is damaged: its checksum does not match");
    EXPECT_EQ(values, (Values{"0", "1", "2"}));
}

TEST_F(ConsumerTest, ABatchThatSwellsBeyondItsBoundsIsDamagedAndNotOpened) {
    end = 1;
    serve([](std::int64_t) {
        wire::BatchBuilder builder;
        const std::string zeros(std::size_t{80} << 20, '\0');
        builder.add({.value = zeros});
        return log::compressed_batch(builder, compression::Codec::zstd);
    });
    const auto status = read(0, 1);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Errc::corrupt);
}

TEST_F(ConsumerTest, WhatWasDeletedBeforeItWasReadIsPassedOverAndSaid) {
    end = 9;
    serve([this](std::int64_t offset) {
        if (offset < 3) {
            begin = 6;  // From the next request on.
            return batch(0, 3);
        }
        return batch(6, 3);
    });
    ASSERT_TRUE(read(0, 9));
    EXPECT_EQ(values, (Values{"0", "1", "2", "6", "7", "8"}));
    const auto skipped = consumer->take_skipped();
    ASSERT_EQ(skipped.size(), 1u);
    EXPECT_EQ(skipped[0].from, 3);
    EXPECT_EQ(skipped[0].to, 6);
    EXPECT_TRUE(consumer->take_skipped().empty());
}

TEST_F(ConsumerTest, AnOffsetThatNeverWasIsAnErrorThatSaysWhatThereIs) {
    begin = 5;
    end = 9;
    serve([](std::int64_t) { return Bytes{}; });
    for (const std::int64_t offset : {4, 10}) {
        const auto status = read(offset, std::nullopt);
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().what, "t/0 has the offsets 5 to 9, not " + std::to_string(offset));
    }
}

}  // namespace
}  // namespace leat::client
