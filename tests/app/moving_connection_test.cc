// Connections that move to the shard of the partition that they produce to, in a whole broker.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

#include "core/wire/messages/metadata.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"
#include "tests/app/http_client.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

const std::string two_shards = "[http]\nlisten = \"127.0.0.1:0\"\n[network]\nshards = 2\n";

bool eventually(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!holds()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

int moves(const BrokerUnderTest& broker) {
    const std::string text = http_get(broker.http_port(), "/metrics");
    const std::string name = "\nleat_connections_moved_total ";
    const auto at = text.find(name);
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? -1 : std::stoi(text.substr(at + name.size()));
}

// Two connections on either shard, the first of which made the topic. A partition is on one of the
// shards: of the three that may produce to it, one or two are on the other, and one of these moves,
// after which that shard has more connections.
struct Clients {
    explicit Clients(const BrokerUnderTest& broker) {
        for (int i = 0; i < 4; ++i) all.push_back(std::make_unique<RawClient>(broker.port()));
        EXPECT_EQ(create_topic(*all[0], "t", 1), ErrorCode::none);
        for (const auto& client : all)
            client->call<wire::MetadataResponse>(wire::MetadataRequest{}, 9);
    }
    std::vector<std::unique_ptr<RawClient>> all;
};

std::int32_t send_numbered(RawClient& client, std::int64_t producer, std::int32_t sequence) {
    auto batch =
        batch_of(1, {.producer_id = producer, .producer_epoch = 0, .base_sequence = sequence});
    return client.send_request(produce_request("t", 0, batch, -1), 9);
}

TEST(MovingConnection, PipelinedRequestsKeepTheirOrderAndEachIsDoneOnce) {
    BrokerUnderTest broker{two_shards};
    Clients clients{broker};
    constexpr int requests = 300;
    std::vector<std::thread> threads;
    for (int c = 1; c < 4; ++c) {
        threads.emplace_back([&client = *clients.all[c], c] {
            std::vector<std::int32_t> sent;
            for (int i = 0; i < requests; ++i) sent.push_back(send_numbered(client, c, i));
            const auto last = client.send_request(wire::MetadataRequest{}, 9);
            std::int64_t before = -1;
            for (const std::int32_t correlation : sent) {
                const auto answer = client.receive_response<wire::ProduceResponse>(9, correlation);
                ASSERT_EQ(answer.responses.size(), 1u);
                const auto& partition = answer.responses[0].partition_responses[0];
                ASSERT_EQ(partition.error_code, ErrorCode::none);
                ASSERT_GT(partition.base_offset, before);
                before = partition.base_offset;
            }
            client.receive_response<wire::MetadataResponse>(9, last);
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_GE(moves(broker), 1);
    EXPECT_EQ(fetch(*clients.all[0], "t", 0, 0).high_watermark, 3 * requests);
    EXPECT_TRUE(broker.stop());
}

TEST(MovingConnection, OneThatSendsToBothShardsStays) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()}, other{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 40), ErrorCode::none);
    for (auto* each : {&client, &other}) {
        for (std::int32_t i = 0; i < 400; ++i) {
            ASSERT_EQ(produce(*each, "t", i % 40, batch_of(1)).error_code, ErrorCode::none);
        }
    }
    EXPECT_EQ(moves(broker), 0);
}

// How many answers come until the broker closes; all of them good, and in order.
int answers_until_the_end(RawClient& client, std::int32_t first) {
    for (int count = 0;; ++count) {
        const auto frame = client.receive();
        if (!frame) return count;
        const auto header = wire::parse_response(*frame, wire::ApiKey::produce, 9);
        EXPECT_TRUE(header);
        if (!header) return count;
        EXPECT_EQ(header->correlation_id, first + count);
        const auto answer = wire::decode<wire::ProduceResponse>(header->body, 9);
        EXPECT_TRUE(answer);
        EXPECT_EQ(answer->responses[0].partition_responses[0].error_code, ErrorCode::none);
    }
}

TEST(MovingConnection, ADrainMeetsItWhereverItIsAndLosesNothing) {
    for (int round = 0; round < 8; ++round) {
        std::filesystem::path folder;
        std::vector<int> answered(4, 0);
        {
            BrokerUnderTest broker{two_shards};
            broker.keep_folder();
            folder = broker.folder();
            Clients clients{broker};
            std::vector<std::thread> threads;
            for (int c = 1; c < 4; ++c) {
                threads.emplace_back([&, c] {
                    RawClient& client = *clients.all[c];
                    const std::int32_t first = send_numbered(client, c, 0);
                    for (int i = 1; i < 200; ++i) {
                        auto batch = batch_of(
                            1, {.producer_id = c, .producer_epoch = 0, .base_sequence = i});
                        wire::Buffer bytes;
                        ASSERT_TRUE(wire::append_request(produce_request("t", 0, batch, -1), 9,
                                                         first + i, "test", bytes));
                        if (!client.send(bytes)) break;
                    }
                    answered[c] = answers_until_the_end(client, first);
                });
            }
            EXPECT_TRUE(eventually([&, wanted = 10 + round * 15] {
                return fetch(*clients.all[0], "t", 0, 0).high_watermark >= wanted;
            }));
            EXPECT_TRUE(broker.stop());
            for (auto& thread : threads) thread.join();
            std::ifstream file{folder / "log"};
            const std::string log{std::istreambuf_iterator<char>{file}, {}};
            EXPECT_EQ(log.find("the drain timed out"), std::string::npos) << log;
        }
        BrokerUnderTest broker{two_shards, folder};
        RawClient client{broker.port()};
        EXPECT_GE(fetch(client, "t", 0, 0).high_watermark, answered[1] + answered[2] + answered[3]);
        EXPECT_TRUE(broker.stop());
        std::filesystem::remove_all(folder);
    }
}

TEST(MovingConnection, KeepsItsPlaceAmongThoseThatItsAddressMayHave) {
    BrokerUnderTest broker{two_shards + "[limits]\nconnections_per_address = 4\n"};
    Clients clients{broker};
    for (int c = 1; c < 4; ++c) {
        for (int i = 0; i < 100; ++i) {
            ASSERT_EQ(produce(*clients.all[c], "t", 0, batch_of(1)).error_code, ErrorCode::none);
        }
    }
    EXPECT_GE(moves(broker), 1);
    EXPECT_TRUE(RawClient{broker.port()}.closed_by_peer()) << "four are open";
    clients.all.clear();
    EXPECT_TRUE(eventually([&] {
        RawClient next{broker.port()};
        next.send_request(wire::MetadataRequest{}, 9);
        return next.receive().has_value();
    })) << "the places of those that moved are free as well";
}

}  // namespace
}  // namespace leat::app
