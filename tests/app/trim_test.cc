// Retention and DeleteRecords by the wire, and what DescribeLogDirs and DescribeProducers say.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/wire/messages/delete_records.h"
#include "core/wire/messages/describe_log_dirs.h"
#include "core/wire/messages/describe_producers.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

wire::DeleteRecordsResponse::Partition delete_below(RawClient& client, const std::string& topic,
                                                    std::int32_t partition, std::int64_t below,
                                                    wire::Version version = 2) {
    wire::DeleteRecordsRequest request{.timeout_ms = 10'000};
    request.topics.push_back({.name = topic, .partitions = {{partition, below}}});
    const auto answer = client.call<wire::DeleteRecordsResponse>(request, version);
    EXPECT_EQ(answer.topics.size(), 1u);
    EXPECT_EQ(answer.topics.at(0).name, topic);
    return answer.topics.at(0).partitions.at(0);
}

wire::DescribeLogDirsResponse log_dirs(RawClient& client, wire::DescribeLogDirsRequest request = {},
                                       wire::Version version = 5) {
    return client.call<wire::DescribeLogDirsResponse>(request, version);
}

// Of one partition, in all folders; -1 if it is in none.
std::int64_t size_of(const wire::DescribeLogDirsResponse& dirs, const std::string& topic,
                     std::int32_t index) {
    for (const auto& dir : dirs.results) {
        for (const auto& one : dir.topics) {
            if (one.name != topic) continue;
            for (const auto& partition : one.partitions) {
                if (partition.partition_index == index) return partition.partition_size;
            }
        }
    }
    return -1;
}

const std::string two_shards = "[network]\nshards = 2\n";

TEST(DeleteRecords, AnswersInEveryVersionAndSurvivesARestart) {
    auto broker = std::make_unique<BrokerUnderTest>(two_shards);
    broker->keep_folder();
    const auto folder = broker->folder();
    {
        RawClient client{broker->port()};
        ASSERT_EQ(create_topic(client, "t", 2), ErrorCode::none);
        ASSERT_EQ(produce(client, "t", 1, batch_of(9)).error_code, ErrorCode::none);
        for (wire::Version version = 0; version <= 2; ++version) {
            const auto deleted = delete_below(client, "t", 1, 2 + version, version);
            EXPECT_EQ(deleted.error_code, ErrorCode::none);
            EXPECT_EQ(deleted.low_watermark, 2 + version);
        }
        EXPECT_EQ(fetch(client, "t", 1, 3).error_code, ErrorCode::offset_out_of_range);
    }
    EXPECT_TRUE(broker->stop());
    broker.reset();
    BrokerUnderTest again{two_shards, folder};
    RawClient client{again.port()};
    EXPECT_EQ(fetch(client, "t", 1, 3).error_code, ErrorCode::offset_out_of_range);
    EXPECT_EQ(fetch(client, "t", 1, 4).log_start_offset, 4);
    EXPECT_EQ(delete_below(client, "t", 1, -1).low_watermark, 9);
}

TEST(DeleteRecords, RefusesWhatCannotBeDeleted) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    ASSERT_EQ(create_topic(client, "kept", 1, {{"cleanup.policy", "compact"}}), ErrorCode::none);
    EXPECT_EQ(delete_below(client, "t", 0, 1).error_code, ErrorCode::offset_out_of_range);
    EXPECT_EQ(delete_below(client, "t", 0, 1).low_watermark, -1);
    EXPECT_EQ(delete_below(client, "t", 5, 0).error_code, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(delete_below(client, "no", 0, 0).error_code, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(delete_below(client, "kept", 0, 0).error_code, ErrorCode::policy_violation);
}

TEST(Retention, OldRecordsGoOnTheirOwnAndTheirFilesToo) {
    BrokerUnderTest broker{two_shards + "[retention]\ncheck_interval = \"1ms\"\n"};
    RawClient client{broker.port()};
    // The records are of the year 2023.
    ASSERT_EQ(create_topic(client, "t", 1, {{"retention.ms", "3600000"}}), ErrorCode::none);
    ASSERT_EQ(create_topic(client, "kept", 1, {{"retention.ms", "-1"}}), ErrorCode::none);
    for (const auto* topic : {"t", "kept"}) {
        ASSERT_EQ(produce(client, topic, 0, batch_of(9)).error_code, ErrorCode::none);
    }
    std::int64_t log_start = 0;
    for (int i = 0; i < 10'000 && log_start < 9; ++i) {
        log_start = fetch(client, "t", 0, 9).log_start_offset;
    }
    EXPECT_EQ(log_start, 9);
    EXPECT_EQ(fetch(client, "kept", 0, 0).log_start_offset, 0);
    EXPECT_EQ(produce(client, "t", 0, batch_of(1)).base_offset, 9);
}

TEST(DescribeLogDirs, SaysHowMuchIsWhere) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 2), ErrorCode::none);
    ASSERT_EQ(create_topic(client, "fast", 1, {{"leat.storage.engine", "ram"}}), ErrorCode::none);
    const auto batch = batch_of(9);
    const auto size = static_cast<std::int64_t>(batch.size());
    ASSERT_EQ(produce(client, "t", 1, batch).error_code, ErrorCode::none);
    ASSERT_EQ(produce(client, "fast", 0, batch).error_code, ErrorCode::none);
    for (wire::Version version = 1; version <= 5; ++version) {
        const auto all = log_dirs(client, {}, version);
        EXPECT_EQ(all.error_code, ErrorCode::none);
        ASSERT_EQ(all.results.size(), 2u);
        EXPECT_EQ(all.results[0].log_dir, (broker.folder() / "data" / "disk").string());
        EXPECT_EQ(all.results[0].topics.size(), 1u);
        EXPECT_EQ(all.results[0].total_bytes > 0, version >= 4);
        EXPECT_EQ(all.results[1].total_bytes, -1) << "memory is no device";
        EXPECT_EQ(size_of(all, "t", 0), 0);
        EXPECT_EQ(size_of(all, "t", 1), size);
        EXPECT_EQ(size_of(all, "fast", 0), size);
    }
    wire::DescribeLogDirsRequest some;
    some.topics.emplace();
    some.topics->push_back({.topic = "t", .partitions = {1, 7, 1}});
    some.topics->push_back({.topic = "no", .partitions = {0}});
    const auto described = log_dirs(client, some);
    ASSERT_EQ(described.results.at(0).topics.size(), 1u);
    EXPECT_EQ(described.results[0].topics[0].partitions.size(), 1u);
    EXPECT_EQ(size_of(described, "t", 1), size);
    EXPECT_EQ(size_of(described, "fast", 0), -1);
    some.topics->clear();
    EXPECT_TRUE(log_dirs(client, some).results.at(0).topics.empty());
    delete_below(client, "t", 1, -1);
    EXPECT_EQ(size_of(log_dirs(client), "t", 1), 0);
}

TEST(DescribeProducers, NamesThoseThatAPartitionRemembers) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 2), ErrorCode::none);
    const auto batch = batch_of(3, {.producer_id = 77, .producer_epoch = 2, .base_sequence = 0});
    ASSERT_EQ(produce(client, "t", 0, batch).error_code, ErrorCode::none);
    wire::DescribeProducersRequest request;
    request.topics.push_back({.name = "t", .partition_indexes = {0, 1, 5}});
    request.topics.push_back({.name = "no", .partition_indexes = {0}});
    request.topics.push_back({.name = "a/b", .partition_indexes = {0}});
    const auto answer = client.call<wire::DescribeProducersResponse>(request, 0);
    ASSERT_EQ(answer.topics.size(), 3u);
    const auto& of_t = answer.topics[0].partitions;
    ASSERT_EQ(of_t.at(0).active_producers.size(), 1u);
    EXPECT_EQ(of_t[0].active_producers[0],
              (wire::DescribeProducersResponse::Producer{.producer_id = 77,
                                                         .producer_epoch = 2,
                                                         .last_sequence = 2,
                                                         .last_timestamp = 1'700'000'000'002,
                                                         .coordinator_epoch = -1,
                                                         .current_txn_start_offset = -1}));
    EXPECT_TRUE(of_t.at(1).active_producers.empty());
    EXPECT_EQ(of_t.at(2).error_code, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(answer.topics[1].partitions.at(0).error_code, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(answer.topics[2].partitions.at(0).error_code, ErrorCode::invalid_topic_exception);
}

}  // namespace
}  // namespace leat::app
