// ${env:NAME} and ${file:PATH} as an operator meets them: what starts, what is refused, and where
// the values never show.
#include <gtest/gtest.h>

#include "core/wire/messages/create_topics.h"
#include "core/wire/messages/describe_configs.h"
#include "tests/app/child.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

// Of resource type 2 (topic) or 4 (broker).
std::vector<wire::DescribeConfigsResponse::Config> configs_of(RawClient& client, std::int8_t type,
                                                              const std::string& name) {
    wire::DescribeConfigsRequest ask{.include_synonyms = true};
    ask.resources.push_back(
        {.resource_type = type, .resource_name = name, .configuration_keys = {}});
    const auto answer = client.call<wire::DescribeConfigsResponse>(ask, 4);
    EXPECT_EQ(answer.results.size(), 1u);
    EXPECT_EQ(answer.results.at(0).error_code, wire::ErrorCode::none);
    return answer.results.at(0).configs;
}

Ended run_with(const std::vector<std::string>& arguments, const std::vector<std::string>& set) {
    Child child{arguments, set};
    const int code = child.wait();
    return {code, child.out(), child.err()};
}

TEST(Substitution, ABrokerServesWithValuesFromItsEnvironmentAndNoClientSeesThem) {
    const Folder folder;
    folder.write("connections", "4321\n");
    const auto file = folder.write("broker.toml",
                                   "cluster_id = \"${env:LEAT_T_CLUSTER}\"\n"
                                   "data_dir = \"${env:LEAT_T_DATA}\"\n"
                                   "[[listener]]\nname = \"plain\"\nbind = \"127.0.0.1:0\"\n"
                                   "[limits]\nconnections = \"${file:connections}\"\n");
    Child broker{{"serve", file}, {"LEAT_T_CLUSTER=here", "LEAT_T_DATA=kept-here"}};
    RawClient client{broker.port()};
    EXPECT_TRUE(std::filesystem::exists(folder / "kept-here" / "meta.properties"));
    int hidden = 0;
    for (const auto& config : configs_of(client, 4, "1")) {
        if (config.name != "max.connections" && config.name != "log.dirs") {
            EXPECT_FALSE(config.is_sensitive) << config.name;
            continue;
        }
        ++hidden;
        EXPECT_TRUE(config.is_sensitive) << config.name;
        EXPECT_EQ(config.value, std::nullopt);
        for (const auto& synonym : config.synonyms) EXPECT_EQ(synonym.value.value_or(""), "");
    }
    EXPECT_EQ(hidden, 2);
    broker.signal(SIGTERM);
    EXPECT_EQ(broker.wait(), 0);
    EXPECT_EQ(count(broker.err(), "4321"), 0u) << broker.err();
}

TEST(Substitution, CheckAndStartSayWhatIsMissingWithItsPlace) {
    const Folder folder;
    const auto file = folder.config(
        "[storage.disk]\nplugin = \"segment\"\nwriteback = \"${env:LEAT_T_NONE}\"\n"
        "[limits]\nidle = \"${file:nowhere}\"\n");
    const auto checked = run({"check", file});
    EXPECT_EQ(checked.code, 1);
    EXPECT_EQ(checked.err,
              file +
                  ":6:13: error: `${env:LEAT_T_NONE}` is not set: the broker's environment has "
                  "no `LEAT_T_NONE`\n"
                  "    writeback = \"${env:LEAT_T_NONE}\"\n                ^\n" +
                  file +
                  ":8:8: error: `${file:nowhere}` cannot be opened: No such file or directory\n"
                  "    idle = \"${file:nowhere}\"\n           ^\n");
    const auto started = run({"serve", file});
    EXPECT_EQ(started.code, 1);
    EXPECT_EQ(started.err, checked.err);
}

TEST(Substitution, WhatAPluginDoesNotTakeIsRefusedWithoutBeingShown) {
    const Folder folder;
    const auto file = folder.config(
        "[storage.disk]\nplugin = \"segment\"\nwriteback = \"${env:LEAT_T_SECRET}\"\n"
        "[storage.other]\nplugin = \"${env:LEAT_T_SECRET}\"\n"
        "[topic_defaults]\nstorage = \"disk\"\n");
    for (const std::string secret : {"hunter2", "-55555", "66666TiB"}) {
        for (const std::string command : {"check", "serve"}) {
            const auto [code, out, err] = run_with({command, file}, {"LEAT_T_SECRET=" + secret});
            EXPECT_EQ(code, 1);
            EXPECT_EQ(count(err, secret), 0u) << err;
            EXPECT_EQ(count(err, file + ":6:13: error: "), 1u) << err;
            EXPECT_EQ(count(err, file + ":8:10: error: "), 1u) << err;
        }
    }
}

// What a client sends is never looked into: this one would have got the file with its error.
TEST(Substitution, ATopicConfigFromAClientIsTextAndNothingElse) {
    const Folder folder;
    Child broker{{"serve", folder.config()}};
    RawClient client{broker.port()};
    wire::CreateTopicsRequest create{.timeout_ms = 10'000};
    create.topics.push_back({.name = "t", .num_partitions = 1, .replication_factor = 1});
    create.topics[0].configs.push_back({.name = "retention.ms", .value = "${file:/etc/passwd}"});
    const auto answer = client.call<wire::CreateTopicsResponse>(create, 5);
    ASSERT_EQ(answer.topics.size(), 1u);
    EXPECT_EQ(answer.topics[0].error_code, wire::ErrorCode::invalid_config);
    EXPECT_EQ(answer.topics[0].error_message,
              "Invalid value ${file:/etc/passwd} for configuration retention.ms: Not a number of "
              "type LONG");
}

}  // namespace
}  // namespace leat::app
