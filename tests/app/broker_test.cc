// A whole broker over sockets: what single parts cannot show. Runs under ThreadSanitizer too, with
// two shards, so that what crosses from one to the other is seen.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/wire/messages/api_versions.h"
#include "core/wire/messages/delete_topics.h"
#include "core/wire/messages/metadata.h"
#include "core/wire/record_batch.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using namespace std::chrono_literals;
using wire::ErrorCode;

const std::string two_shards = "[network]\nshards = 2\n";

TEST(Broker, EveryShardServesEveryPartition) {
    BrokerUnderTest broker{two_shards};
    RawClient admin{broker.port()};
    ASSERT_EQ(create_topic(admin, "t", 8), ErrorCode::none);
    std::vector<std::thread> clients;
    for (int c = 0; c < 4; ++c) {
        clients.emplace_back([&broker] {
            RawClient client{broker.port()};
            for (int round = 0; round < 25; ++round) {
                for (std::int32_t p = 0; p < 8; ++p) {
                    const auto answer =
                        produce(client, "t", p, batch_of(3), round % 2 == 0 ? -1 : 1);
                    ASSERT_EQ(answer.error_code, ErrorCode::none);
                    const auto read = fetch(client, "t", p, answer.base_offset);
                    ASSERT_EQ(read.error_code, ErrorCode::none);
                    ASSERT_TRUE(read.records.has_value() && !read.records->empty())
                        << "what was acknowledged is shown";
                }
            }
        });
    }
    for (auto& client : clients) client.join();
    for (std::int32_t p = 0; p < 8; ++p) {
        EXPECT_EQ(fetch(admin, "t", p, 0).high_watermark, 4 * 25 * 3);
    }
    EXPECT_TRUE(broker.stop());
}

TEST(Broker, AParkedFetchIsAnsweredTheMomentThatDataArrives) {
    BrokerUnderTest broker{two_shards};
    RawClient reader{broker.port()}, writer{broker.port()};
    ASSERT_EQ(create_topic(writer, "t", 2), ErrorCode::none);
    for (std::int32_t p = 0; p < 2; ++p) {
        const auto asked = std::chrono::steady_clock::now();
        const auto parked = reader.send_request(fetch_request("t", p, 0, 15'000), 12);
        ASSERT_EQ(produce(writer, "t", p, batch_of(1)).error_code, ErrorCode::none);
        const auto response = reader.receive_response<wire::FetchResponse>(12, parked);
        ASSERT_EQ(response.responses.size(), 1u);
        EXPECT_FALSE(response.responses[0].partitions[0].records->empty());
        EXPECT_LT(std::chrono::steady_clock::now() - asked, 10s) << "not by its timeout";
    }
}

TEST(Broker, AnswersPipelinedRequestsInOrderWhateverEachTakes) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    const auto fetched = client.send_request(fetch_request("t", 0, 0, 300), 12);
    const auto described = client.send_request(wire::MetadataRequest{}, 9);
    const auto versions = client.send_request(
        wire::ApiVersionsRequest{.client_software_name = "a", .client_software_version = "1"}, 3);
    client.receive_response<wire::FetchResponse>(12, fetched);
    client.receive_response<wire::MetadataResponse>(9, described);
    client.receive_response<wire::ApiVersionsResponse>(3, versions);
}

TEST(Broker, WritesNothingBackForAcksZero) {
    BrokerUnderTest broker;
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    auto batch = batch_of(1);
    client.send_request(produce_request("t", 0, batch, 0), 9);
    const auto next = client.send_request(wire::MetadataRequest{}, 9);
    client.receive_response<wire::MetadataResponse>(9, next);
    EXPECT_EQ(fetch(client, "t", 0, 0).high_watermark, 1);
}

// What was sent before is in the broker's hands afterwards: a shard reads what came first first.
void every_shard_takes_a_turn(BrokerUnderTest& broker) {
    for (int i = 0; i < 20; ++i) {  // Connections spread over shards.
        RawClient client{broker.port()};
        client.call<wire::MetadataResponse>(wire::MetadataRequest{}, 9);
    }
}

TEST(Broker, SigtermAnswersParkedFetchesAndARestartServesAllThatWasAcknowledged) {
    std::filesystem::path folder;
    {
        BrokerUnderTest broker{two_shards};
        broker.keep_folder();
        folder = broker.folder();
        RawClient client{broker.port()}, parked{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 4), ErrorCode::none);
        for (std::int32_t p = 0; p < 4; ++p) {
            ASSERT_EQ(produce(client, "t", p, batch_of(7)).error_code, ErrorCode::none);
        }
        const auto waiting = parked.send_request(fetch_request("t", 0, 7, 20'000), 12);
        every_shard_takes_a_turn(broker);
        EXPECT_TRUE(broker.stop());
        parked.receive_response<wire::FetchResponse>(12, waiting);
    }
    BrokerUnderTest broker{two_shards, folder};
    RawClient client{broker.port()};
    for (std::int32_t p = 0; p < 4; ++p) EXPECT_EQ(fetch(client, "t", p, 0).high_watermark, 7);
}

TEST(Broker, ADuplicateAfterARestartGetsTheOffsetOfTheFirst) {
    std::filesystem::path folder;
    const auto numbered = [](std::int32_t sequence) {
        return batch_of(1, {.producer_id = 77, .producer_epoch = 0, .base_sequence = sequence});
    };
    {
        BrokerUnderTest broker;
        broker.keep_folder();
        folder = broker.folder();
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
        for (std::int32_t sequence = 0; sequence < 6; ++sequence) {
            ASSERT_EQ(produce(client, "t", 0, numbered(sequence)).base_offset, sequence);
        }
    }
    BrokerUnderTest broker{"", folder};
    RawClient client{broker.port()};
    for (std::int32_t sequence = 1; sequence < 6; ++sequence) {
        const auto again = produce(client, "t", 0, numbered(sequence));
        EXPECT_EQ(again.error_code, ErrorCode::none);
        EXPECT_EQ(again.base_offset, sequence);
    }
    EXPECT_EQ(produce(client, "t", 0, numbered(0)).error_code,
              ErrorCode::out_of_order_sequence_number)
        << "older than the window";
    EXPECT_EQ(produce(client, "t", 0, numbered(6)).base_offset, 6);
}

TEST(Broker, ATopicIsUsableTheMomentThatItIsCreated) {
    BrokerUnderTest broker{two_shards};
    RawClient admin{broker.port()};
    for (int i = 0; i < 100; ++i) {
        const std::string name = "fresh-" + std::to_string(i);
        ASSERT_EQ(create_topic(admin, name, 2), ErrorCode::none);
        RawClient client{broker.port()};
        for (std::int32_t p = 0; p < 2; ++p) {
            ASSERT_EQ(produce(client, name, p, batch_of(1)).error_code, ErrorCode::none) << name;
        }
    }
}

TEST(Broker, DeletingATopicFreesItsFilesAndFailsWhoWaitsForIt) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()}, parked{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    ASSERT_EQ(produce(client, "t", 0, batch_of(1)).error_code, ErrorCode::none);
    const auto files = broker.folder() / "data" / "disk" / "t-0";
    ASSERT_TRUE(std::filesystem::exists(files));
    const auto waiting = parked.send_request(fetch_request("t", 0, 1, 15'000), 12);
    wire::DeleteTopicsRequest request{.timeout_ms = 10'000};
    request.topics.push_back({.name = "t"});
    const auto deleted = client.call<wire::DeleteTopicsResponse>(request, 6);
    ASSERT_EQ(deleted.responses[0].error_code, ErrorCode::none);
    const auto answer = parked.receive_response<wire::FetchResponse>(12, waiting);
    EXPECT_NE(answer.responses[0].partitions[0].error_code, ErrorCode::none);
    EXPECT_EQ(fetch(client, "t", 0, 0).error_code, ErrorCode::unknown_topic_or_partition);
    for (int i = 0; i < 1000 && std::filesystem::exists(files); ++i) {
        client.call<wire::MetadataResponse>(wire::MetadataRequest{}, 9);
    }
    EXPECT_FALSE(std::filesystem::exists(files));
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    const auto fresh = fetch(client, "t", 0, 0);
    EXPECT_EQ(fresh.error_code, ErrorCode::none);
    EXPECT_EQ(fresh.high_watermark, 0) << "nothing of the old one is in it";
}

TEST(Broker, OldClientsDeleteTopicsInTheFirstVersion) {
    BrokerUnderTest broker;
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    const wire::DeleteTopicsRequest request{.topic_names = {"t", "u"}, .timeout_ms = 10'000};
    const auto deleted = client.call<wire::DeleteTopicsResponse>(request, 0);
    ASSERT_EQ(deleted.responses.size(), 2u);
    EXPECT_EQ(deleted.responses[0].error_code, ErrorCode::none);
    EXPECT_EQ(deleted.responses[1].error_code, ErrorCode::unknown_topic_or_partition);
}

TEST(Broker, GroupCommitAcknowledgesAfterTheSync) {
    BrokerUnderTest broker{two_shards + "[topic_defaults]\nstorage = \"disk\"\nflush = \"each\"\n"};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 4), ErrorCode::none);
    for (int round = 0; round < 20; ++round) {
        for (std::int32_t p = 0; p < 4; ++p) {
            EXPECT_EQ(produce(client, "t", p, batch_of(1), -1).error_code, ErrorCode::none);
        }
    }
}

}  // namespace
}  // namespace leat::app
