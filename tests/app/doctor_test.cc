// `leat doctor` against Leat, and what it leaves behind.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <nlohmann/json.hpp>

#include "core/wire/messages/create_topics.h"
#include "core/wire/messages/delete_topics.h"
#include "core/wire/messages/produce.h"
#include "tests/app/broker_process.h"
#include "tests/client/fake_broker.h"

namespace leat::app {
namespace {

using nlohmann::json;

TEST(Doctor, FindsThatEverythingThatLeatOffersWorksAndLeavesNothingBehind) {
    BrokerProcess broker;
    const auto said = run({"doctor", broker.address(), "--json"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.err, "");
    const auto all = json::parse(said.out);
    EXPECT_EQ(all["essential_works"], true);
    EXPECT_EQ(all["brokers"], 1);
    std::size_t works = 0;
    for (const json& each : all["findings"]) {
        if (each["area"] == "offers") continue;
        EXPECT_EQ(each["verdict"], "works") << each;
        ++works;
    }
    EXPECT_GT(works, 30u);
    bool produce = false;
    for (const json& api : all["apis"]) produce |= api["name"] == "Produce" && api["max"] >= 9;
    EXPECT_TRUE(produce);
    EXPECT_EQ(broker.run({"topic", "list"}).out, "");
}

TEST(Doctor, PrintsATableForPeople) {
    BrokerProcess broker;
    const auto said = broker.run({"doctor"});
    EXPECT_EQ(said.code, 0) << said.err;
    for (const auto* line : {"\ncodecs\n", "  zstd                              works\n",
                             "\noffers\n", "\nEverything essential works.\n"}) {
        EXPECT_EQ(count(said.out, line), 1u) << line << said.out;
    }
}

TEST(Doctor, WithoutABrokerSaysSoAndEndsWithOne) {
    const auto said = run({"doctor", "127.0.0.1:1"});
    EXPECT_EQ(said.code, 1);
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(said.err, "leat: cannot connect to 127.0.0.1:1: Connection refused\n");
    EXPECT_EQ(run({"doctor", "127.0.0.1:port"}).code, 2);
}

// The broker never takes a record, so that the examination is still under way.
TEST(Doctor, CtrlCEndsItAndTheTopicGoesAllTheSame) {
    client::FakeBroker broker;
    std::string topic;
    std::promise<void> writes;
    std::atomic<bool> told = false;
    std::atomic<int> deleted = 0;
    broker.serve<wire::MetadataResponse, wire::MetadataRequest>(
        [&](const wire::MetadataRequest&) { return broker.metadata(topic, 1); });
    broker.serve<wire::CreateTopicsResponse, wire::CreateTopicsRequest>(
        [&](const wire::CreateTopicsRequest& request) {
            topic = request.topics[0].name;
            wire::CreateTopicsResponse response;
            response.topics.push_back({.name = topic});
            return response;
        });
    broker.serve<wire::ProduceResponse, wire::ProduceRequest>([&](const wire::ProduceRequest&) {
        if (!told.exchange(true)) writes.set_value();
        wire::ProduceResponse response;
        response.responses.push_back({.name = topic});
        response.responses[0].partition_responses.push_back(
            {.error_code = wire::ErrorCode::not_leader_or_follower});
        return response;
    });
    broker.serve<wire::DeleteTopicsResponse, wire::DeleteTopicsRequest>(
        [&](const wire::DeleteTopicsRequest& request) {
            EXPECT_EQ(request.topic_names, std::vector{topic});
            ++deleted;
            wire::DeleteTopicsResponse response;
            response.responses.push_back({.name = topic});
            return response;
        });
    broker.start();
    Child doctor{{"doctor", "127.0.0.1:" + std::to_string(broker.port())}};
    ASSERT_EQ(writes.get_future().wait_for(Child::deadline), std::future_status::ready);
    doctor.signal(SIGINT);
    EXPECT_EQ(doctor.wait(), 130);
    EXPECT_EQ(doctor.out() + doctor.err(), "");
    EXPECT_EQ(deleted, 1);
}

}  // namespace
}  // namespace leat::app
