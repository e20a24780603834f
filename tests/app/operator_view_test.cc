// Metrics and health of a whole broker, over sockets.
#include <optional>
#include <thread>

#include "core/wire/messages/delete_topics.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"
#include "tests/app/http_client.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

const std::string watched = "[http]\nlisten = \"127.0.0.1:0\"\n[network]\nshards = 2\n";

// The value of a sample, named with its labels; nothing if it is not there.
std::optional<double> value_of(const std::string& text, const std::string& sample) {
    const auto at = text.find("\n" + sample + " ");
    if (at == std::string::npos) return std::nullopt;
    return std::stod(text.substr(at + sample.size() + 2));
}

class OperatorViewTest : public testing::Test {
protected:
    std::string scrape() const { return http_get(broker.http_port(), "/metrics"); }

    BrokerUnderTest broker{watched};
    RawClient client{broker.port()};
};

TEST_F(OperatorViewTest, TellsWhatClientsDid) {
    ASSERT_EQ(create_topic(client, "t", 2), ErrorCode::none);
    const auto batch = batch_of(7);
    for (std::int32_t p = 0; p < 2; ++p) {
        ASSERT_EQ(produce(client, "t", p, batch, -1).error_code, ErrorCode::none);
    }
    ASSERT_EQ(fetch(client, "t", 0, 0).error_code, ErrorCode::none);
    ASSERT_EQ(fetch(client, "t", 0, 99).error_code, ErrorCode::offset_out_of_range);
    const std::string text = scrape();
    const auto size = static_cast<double>(batch.size());
    EXPECT_EQ(value_of(text, "leat_request_duration_seconds_count{api=\"Produce\"}"), 2) << text;
    EXPECT_EQ(value_of(text, "leat_request_duration_seconds_count{api=\"Fetch\"}"), 2);
    EXPECT_EQ(
        value_of(text, "leat_request_errors_total{api=\"Fetch\",error=\"OFFSET_OUT_OF_RANGE\"}"),
        1);
    EXPECT_EQ(value_of(text, "leat_topic_produced_records_total{topic=\"t\"}"), 14);
    EXPECT_EQ(value_of(text, "leat_topic_produced_bytes_total{topic=\"t\"}"), 2 * size);
    EXPECT_EQ(value_of(text, "leat_topic_fetched_bytes_total{topic=\"t\"}"), size);
    EXPECT_EQ(value_of(text, "leat_topic_log_bytes{topic=\"t\"}"), 2 * size);
    EXPECT_EQ(value_of(text, "leat_produced_records_total"), 14);
    EXPECT_EQ(value_of(text, "leat_partitions{state=\"open\"}"), 2);
    EXPECT_EQ(value_of(text, "leat_connections"), 1);
    EXPECT_EQ(value_of(text, "leat_shards"), 2);
    EXPECT_EQ(value_of(text, "leat_ready"), 1);
    EXPECT_GT(value_of(text, "leat_plugin_calls_total{kind=\"storage\",instance=\"disk\"}"), 3);
    EXPECT_GT(value_of(text, "process_open_fds"), 10);
    EXPECT_GT(value_of(text, "process_resident_memory_bytes"), 1e6);
    EXPECT_GT(value_of(text, "process_start_time_seconds"), 1.6e9);
}

TEST_F(OperatorViewTest, SumsKeepWhatDeletedTopicsTook) {
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    ASSERT_EQ(produce(client, "t", 0, batch_of(7)).error_code, ErrorCode::none);
    wire::DeleteTopicsRequest request{.timeout_ms = 10'000};
    request.topics.push_back({.name = "t"});
    client.call<wire::DeleteTopicsResponse>(request, 6);
    const std::string text = scrape();
    EXPECT_EQ(value_of(text, "leat_produced_records_total"), 7);
    EXPECT_EQ(text.find("topic=\"t\""), std::string::npos);
}

TEST_F(OperatorViewTest, IsAliveAndReady) {
    EXPECT_TRUE(http_get(broker.http_port(), "/healthz").ends_with("\r\n\r\nalive\n"));
    EXPECT_TRUE(http_get(broker.http_port(), "/readyz").ends_with("\r\n\r\nready\n"));
}

TEST_F(OperatorViewTest, OnlyReadsWhatThereIs) {
    EXPECT_TRUE(http_get(broker.http_port(), "/").starts_with("HTTP/1.1 404 "));
    EXPECT_TRUE(http_get(broker.http_port(), "/metrics/x").starts_with("HTTP/1.1 404 "));
    HttpClient post{broker.http_port()}, head{broker.http_port()};
    const auto refused = post.exchange("POST /metrics HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
    EXPECT_TRUE(refused.starts_with("HTTP/1.1 405 ")) << refused;
    EXPECT_NE(refused.find("\r\nAllow: GET, HEAD\r\n"), std::string::npos) << refused;
    const auto header = head.exchange("HEAD /healthz HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(header.starts_with("HTTP/1.1 200 ")) << header;
    EXPECT_TRUE(header.ends_with("\r\n\r\n")) << header;
}

TEST_F(OperatorViewTest, ManyMayAskWhileClientsWork) {
    ASSERT_EQ(create_topic(client, "t", 4), ErrorCode::none);
    std::vector<std::thread> askers;
    for (int i = 0; i < 3; ++i) {
        askers.emplace_back([this] {
            for (int turn = 0; turn < 10; ++turn) {
                EXPECT_TRUE(scrape().starts_with("HTTP/1.1 200 "));
            }
        });
    }
    for (std::int32_t i = 0; i < 200; ++i) {
        EXPECT_EQ(produce(client, "t", i % 4, batch_of(1)).error_code, ErrorCode::none);
    }
    for (auto& asker : askers) asker.join();
    EXPECT_EQ(value_of(scrape(), "leat_produced_records_total"), 200);
}

TEST(OperatorView, TopicsBeyondTheLimitAreLeftOutTheYoungestFirst) {
    const BrokerUnderTest broker{"[http]\nlisten = \"127.0.0.1:0\"\nmost_topics = 1\n"};
    RawClient client{broker.port()};
    for (const auto* name : {"zebra", "ant"}) {
        ASSERT_EQ(create_topic(client, name, 1), ErrorCode::none);
        ASSERT_EQ(produce(client, name, 0, batch_of(3)).error_code, ErrorCode::none);
    }
    const std::string text = http_get(broker.http_port(), "/metrics");
    EXPECT_EQ(value_of(text, "leat_topic_produced_records_total{topic=\"zebra\"}"), 3);
    EXPECT_EQ(text.find("topic=\"ant\""), std::string::npos);
    EXPECT_EQ(value_of(text, "leat_topics_left_out"), 1);
    EXPECT_EQ(value_of(text, "leat_produced_records_total"), 6);
}

}  // namespace
}  // namespace leat::app
