// What a producer does with what brokers answer.
#include "core/client/producer.h"

#include <gtest/gtest.h>

#include <mutex>

#include "core/wire/record_batch.h"
#include "tests/client/fake_broker.h"

namespace leat::client {
namespace {

using sdk::Errc;
using wire::ErrorCode;

constexpr std::chrono::milliseconds patience{20'000};

class ProducerTest : public testing::Test {
protected:
    // Metadata of topic t with three partitions, and `answer` to each batch that comes: it gets the
    // partition and the number of records. Answers of none are kept.
    using Answer = std::function<ErrorCode(std::int32_t, std::int32_t)>;
    void serve(Answer answer) {
        broker.serve<wire::MetadataResponse, wire::MetadataRequest>(
            [this](const wire::MetadataRequest&) {
                ++asked_metadata;
                return broker.metadata("t", 3);
            });
        broker.serve<wire::ProduceResponse, wire::ProduceRequest>(
            [this, answer](const wire::ProduceRequest& request) {
                wire::ProduceResponse response;
                response.responses.push_back({.name = "t"});
                for (const auto& each : request.topic_data[0].partition_data) {
                    const wire::BatchView batch{*each.records};
                    EXPECT_TRUE(batch.is_whole() && batch.crc_matches());
                    const auto code = answer(each.index, batch.record_count());
                    if (code == ErrorCode::none) kept[each.index].push_back(batch.record_count());
                    response.responses[0].partition_responses.push_back(
                        {.index = each.index, .error_code = code});
                }
                return response;
            });
        broker.start();
    }
    Cluster cluster() { return Cluster{{{"127.0.0.1", broker.port()}}, patience, watch}; }

    Watch watch;
    int asked_metadata = 0;
    std::map<std::int32_t, std::vector<std::int32_t>> kept;  // The sizes of batches.
    FakeBroker broker;
};

OutgoingRecord record(std::string value) {
    return {.key = std::nullopt, .value = std::move(value), .headers = {}};
}

TEST_F(ProducerTest, ABatchThatIsTooLargeIsSentAgainInHalves) {
    serve([](std::int32_t, std::int32_t count) {
        return count > 3 ? ErrorCode::message_too_large : ErrorCode::none;
    });
    auto asked = cluster();
    Producer producer{asked, "t", {}};
    ASSERT_TRUE(producer.open());
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(producer.add(record("x"), 0));
    ASSERT_TRUE(producer.flush());
    EXPECT_EQ(kept[0], (std::vector<std::int32_t>{2, 2, 2, 2, 2}));
    EXPECT_EQ(producer.acknowledged(), 10u);
}

TEST_F(ProducerTest, ARecordThatIsTooLargeByItselfIsRefused) {
    serve([](std::int32_t, std::int32_t) { return ErrorCode::message_too_large; });
    auto asked = cluster();
    Producer producer{asked, "t", {}};
    ASSERT_TRUE(producer.open());
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(producer.add(record("x"), 0));
    const auto status = producer.flush();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().what.find("t/0: MESSAGE_TOO_LARGE"), 0u) << status.error().what;
    EXPECT_EQ(producer.acknowledged(), 0u);
    EXPECT_EQ(producer.unacknowledged(), 4u);
}

TEST_F(ProducerTest, OnlyWhatWasRefusedIsSentAgainAfterALookAtMetadata) {
    int refusals = 2;
    serve([&](std::int32_t partition, std::int32_t) {
        return partition == 1 && refusals-- > 0 ? ErrorCode::not_leader_or_follower
                                                : ErrorCode::none;
    });
    auto asked = cluster();
    Producer producer{asked, "t", {}};
    ASSERT_TRUE(producer.open());
    for (const int partition : {0, 1, 2}) ASSERT_TRUE(producer.add(record("x"), partition));
    ASSERT_TRUE(producer.flush());
    for (const int partition : {0, 1, 2}) {
        EXPECT_EQ(kept[partition], std::vector<std::int32_t>{1}) << partition;
    }
    EXPECT_EQ(asked_metadata, 3);
}

TEST_F(ProducerTest, RecordsWithoutAKeyGoToOnePartitionUntilTheNextFlush) {
    serve([](std::int32_t, std::int32_t) { return ErrorCode::none; });
    auto asked = cluster();
    Producer producer{asked, "t", {}};
    ASSERT_TRUE(producer.open());
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 5; ++i) ASSERT_TRUE(producer.add(record("x")));
        ASSERT_TRUE(producer.flush());
    }
    EXPECT_EQ(kept[0], (std::vector<std::int32_t>{5, 5}));
    EXPECT_EQ(kept[1], std::vector<std::int32_t>{5});
    EXPECT_EQ(kept[2], std::vector<std::int32_t>{5});
}

TEST_F(ProducerTest, SendsByItselfWhenABatchIsFull) {
    serve([](std::int32_t, std::int32_t) { return ErrorCode::none; });
    auto asked = cluster();
    Producer producer{asked, "t", {.batch_bytes = 1000}};
    ASSERT_TRUE(producer.open());
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(producer.add(record(std::string(300, 'x')), 0));
    EXPECT_EQ(kept[0], (std::vector<std::int32_t>{3, 3, 3}));
    EXPECT_EQ(producer.unacknowledged(), 1u);
    ASSERT_TRUE(producer.add(record(std::string(5000, 'x')), 0)) << "alone, if it must be";
    ASSERT_TRUE(producer.flush());
    EXPECT_EQ(producer.acknowledged(), 11u);
    EXPECT_EQ(producer.bytes(), 8000u);
}

TEST_F(ProducerTest, APartitionThatIsNotThereIsRefusedBeforeAnythingIsKept) {
    serve([](std::int32_t, std::int32_t) { return ErrorCode::none; });
    auto asked = cluster();
    Producer producer{asked, "t", {}};
    ASSERT_TRUE(producer.open());
    const auto status = producer.add(record("x"), 3);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().what, "topic t has no partition 3, only 0 to 2");
    EXPECT_EQ(producer.unacknowledged(), 0u);
}

}  // namespace
}  // namespace leat::client
