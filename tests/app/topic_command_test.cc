// `leat topic` against a real broker: what it prints, for people and for programs, and its codes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/broker_process.h"

namespace leat::app {
namespace {

using nlohmann::json;

TEST(TopicCommand, CreatesListsDescribesAltersAndDeletes) {
    BrokerProcess broker;
    auto said = broker.run({"topic", "create", "orders", "clicks", "--partitions", "3", "-c",
                            "retention.ms=86400000", "-c", "segment.ms=60000"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.out, "orders created with 3 partitions\nclicks created with 3 partitions\n");
    EXPECT_EQ(broker.run({"topic", "list"}).out,
              "clicks  3 partitions, 1 replica\norders  3 partitions, 1 replica\n");

    said = broker.run({"topic", "alter", "orders", "-p", "4", "--config", "retention.ms=1000000",
                       "--unset", "segment.ms"});
    EXPECT_EQ(said.out, "orders altered\n") << said.err;
    const auto described =
        json::parse(broker.run({"topic", "describe", "orders", "--json"}).out).at(0);
    EXPECT_EQ(described["name"], "orders");
    EXPECT_EQ(described["id"].get<std::string>().size(), 22u);
    ASSERT_EQ(described["partitions"].size(), 4u);
    EXPECT_EQ(described["partitions"][3]["partition"], 3);
    EXPECT_EQ(described["partitions"][3]["leader"], 1);
    EXPECT_EQ(described["partitions"][3]["end"], 0);
    for (const json& config : described["configs"]) {
        if (config["name"] == "retention.ms") {
            EXPECT_EQ(config["value"], "1000000");
            EXPECT_TRUE(config["set_on_topic"]);
        }
        if (config["name"] == "segment.ms") {
            EXPECT_FALSE(config["set_on_topic"]);
        }
    }
    said = broker.run({"topic", "describe", "orders"});
    EXPECT_TRUE(said.out.starts_with("orders  4 partitions, id ")) << said.out;
    EXPECT_EQ(count(said.out, "\n  retention.ms = 1000000\n"), 1u) << said.out;
    EXPECT_EQ(count(said.out, "segment.ms"), 0u) << said.out;
    EXPECT_EQ(count(broker.run({"topic", "describe", "orders", "--configs"}).out, "segment.ms = "),
              1u);

    EXPECT_EQ(broker.run({"topic", "delete", "orders"}).out, "orders deleted\n");
    EXPECT_EQ(broker.run({"topic", "list"}).out, "clicks  3 partitions, 1 replica\n");
}

TEST(TopicCommand, ARefusalIsOneSentenceWithKafkasNameAndEndsWithOne) {
    BrokerProcess broker;
    ASSERT_EQ(broker.run({"topic", "create", "orders", "-p", "2"}).code, 0);
    struct Refused {
        std::vector<std::string> arguments;
        std::string says;
    };
    const Refused all[] = {
        {{"topic", "create", "orders"}, "TOPIC_ALREADY_EXISTS"},
        {{"topic", "create", "no spaces"}, "INVALID_TOPIC_EXCEPTION"},
        {{"topic", "create", "new", "-c", "retention.mss=1"}, "INVALID_CONFIG"},
        {{"topic", "create", "new", "--replicas", "3"}, "INVALID_REPLICATION_FACTOR"},
        {{"topic", "alter", "orders", "-p", "1"}, "INVALID_PARTITIONS"},
        {{"topic", "alter", "orders", "-c", "retention.ms=soon"}, "INVALID_CONFIG"},
        {{"topic", "alter", "oders", "-p", "9"}, "did you mean `orders`?"},
        {{"topic", "alter", "oders", "-u", "segment.ms"}, "did you mean `orders`?"},
        {{"topic", "describe", "oders"}, "did you mean `orders`?"},
        {{"topic", "delete", "oders"}, "did you mean `orders`?"},
    };
    for (const auto& [arguments, says] : all) {
        const auto said = broker.run(arguments);
        EXPECT_EQ(said.code, 1) << says;
        EXPECT_EQ(said.out, "") << says;
        EXPECT_TRUE(said.err.starts_with("leat: topic ")) << said.err;
        EXPECT_NE(said.err.find(says), std::string::npos) << said.err;
        EXPECT_EQ(count(said.err, "\n"), 1u) << said.err;
    }
    EXPECT_EQ(broker.run({"topic", "list"}).out, "orders  2 partitions, 1 replica\n");
}

TEST(TopicCommand, WhatIsThereOrGoneAlreadyIsFineWhenAsked) {
    BrokerProcess broker;
    for (const std::string said : {"t created with 1 partition\n", "t is there already\n"}) {
        EXPECT_EQ(broker.run({"topic", "create", "t", "--if-not-exists"}).out, said);
    }
    for (const std::string said : {"t deleted\n", "t is not there\n"}) {
        EXPECT_EQ(broker.run({"topic", "delete", "t", "--if-exists"}).out, said);
    }
    const auto again = broker.run({"topic", "delete", "t", "--if-exists", "--json"});
    EXPECT_EQ(json::parse(again.out), json::parse(R"([{"name":"t","deleted":false}])"));
}

TEST(TopicCommand, ADryRunChangesNothing) {
    BrokerProcess broker;
    EXPECT_EQ(broker.run({"topic", "create", "t", "-p", "2", "--dry-run"}).out,
              "t could be created with 2 partitions\n");
    EXPECT_EQ(broker.run({"topic", "list"}).out, "");
    ASSERT_EQ(broker.run({"topic", "create", "t", "-p", "2"}).code, 0);
    EXPECT_EQ(broker.run({"topic", "alter", "t", "-p", "5", "--dry-run"}).out,
              "t could be altered\n");
    EXPECT_EQ(broker.run({"topic", "list"}).out, "t  2 partitions, 1 replica\n");
}

TEST(TopicCommand, AWrongCommandLineEndsWithTwo) {
    const std::vector<std::string> all[] = {
        {"topic"},
        {"topic", "lst"},
        {"topic", "create"},
        {"topic", "create", "t", "-p", "0"},
        {"topic", "create", "t", "-c", "novalue", "-b", "127.0.0.1:1"},
        {"topic", "alter", "t", "-b", "127.0.0.1:1"},
        {"topic", "list", "-b", "127.0.0.1:port"},
        {"topic", "list", "--timeout", "soon"},
    };
    for (const auto& arguments : all) {
        const auto said = run(arguments);
        EXPECT_EQ(said.code, 2) << said.err;
        EXPECT_EQ(said.out, "");
        EXPECT_TRUE(said.err.starts_with("leat: ")) << said.err;
    }
    EXPECT_TRUE(
        run({"topic", "lst"})
            .err.starts_with("leat: there is no command `topic lst`; did you mean `list`?"));
}

TEST(TopicCommand, TheHelpOfEachShowsAnExample) {
    for (const std::string name : {"list", "create", "describe", "alter", "delete"}) {
        const auto said = run({"topic", name, "--help"});
        EXPECT_EQ(said.code, 0);
        EXPECT_NE(said.out.find("\n  leat topic " + name), std::string::npos) << said.out;
        EXPECT_NE(said.out.find("Usage: leat topic " + name), std::string::npos) << said.out;
    }
}

TEST(TopicCommand, NobodyThereIsSaidAtOnceAndTheBrokerComesFromTheEnvironmentToo) {
    const auto said = run({"topic", "list", "--broker", "127.0.0.1:1"});
    EXPECT_EQ(said.code, 1);
    EXPECT_EQ(said.err, "leat: cannot connect to 127.0.0.1:1: Connection refused\n");
    Child other{{"topic", "list"}, {"LEAT_BROKER=127.0.0.1:2"}};
    EXPECT_EQ(other.wait(), 1);
    EXPECT_EQ(other.err(), "leat: cannot connect to 127.0.0.1:2: Connection refused\n");
}

}  // namespace
}  // namespace leat::app
