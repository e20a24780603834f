// Configs of brokers that are changed while they serve: what topics without their own go by at
// once, and what DescribeConfigs says of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/wire/messages/alter_configs.h"
#include "core/wire/messages/describe_configs.h"
#include "core/wire/messages/incremental_alter_configs.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;
using Config = wire::IncrementalAlterConfigsRequest::Config;
using Described = wire::DescribeConfigsResponse::Config;

constexpr std::int8_t topic_type = 2, broker_type = 4;
constexpr std::int8_t set = 0, remove = 1, append = 2, subtract = 3;
constexpr std::int8_t from_topic = 1, from_broker = 2, from_all_brokers = 3, from_file = 4,
                      from_default = 5;
const std::string all_brokers, this_broker = "1";

// The file says retention.ms = -1 (broker_under_test.h).
class AlteredBrokers : public testing::Test {
protected:
    AlteredBrokers() { EXPECT_EQ(create_topic(client, "t", 1), ErrorCode::none); }

    ErrorCode alter(const std::string& name, std::vector<Config> configs,
                    bool validate_only = false) {
        wire::IncrementalAlterConfigsRequest request{.validate_only = validate_only};
        request.resources.push_back({broker_type, name, std::move(configs)});
        const auto response = client.call<wire::IncrementalAlterConfigsResponse>(request, 1);
        message = response.responses.at(0).error_message.value_or("");
        return response.responses.at(0).error_code;
    }
    ErrorCode replace(const std::string& name,
                      std::vector<wire::AlterConfigsRequest::Config> configs) {
        wire::AlterConfigsRequest request;
        request.resources.push_back({broker_type, name, std::move(configs)});
        const auto response = client.call<wire::AlterConfigsResponse>(request, 2);
        return response.responses.at(0).error_code;
    }
    std::vector<Described> describe(std::int8_t type, const std::string& name,
                                    std::optional<std::vector<std::string>> keys = {}) {
        wire::DescribeConfigsRequest request{.include_synonyms = true};
        request.resources.push_back({type, name, std::move(keys)});
        auto response = client.call<wire::DescribeConfigsResponse>(request, 4);
        EXPECT_EQ(response.results.at(0).error_code, ErrorCode::none);
        return std::move(response.results.at(0).configs);
    }
    Described described(std::int8_t type, const std::string& name, const std::string& key) {
        const auto found = describe(type, name, std::vector{key});
        EXPECT_EQ(found.size(), 1u) << key;
        return found.empty() ? Described{} : found[0];
    }
    // Where the values come from, nearest first.
    static std::vector<std::int8_t> sources(const Described& config) {
        std::vector<std::int8_t> found;
        for (const auto& synonym : config.synonyms) found.push_back(synonym.source);
        return found;
    }
    ErrorCode produced(const std::string& topic) {
        return produce(client, topic, 0, batch_of(50)).error_code;
    }

    BrokerUnderTest broker{"[network]\nshards = 2\n"};
    RawClient client{broker.port()};
    std::string message;  // Of the last alteration.
};

TEST_F(AlteredBrokers, ALimitHoldsAtOnceForEveryOpenTopicThatHasNoneOfItsOwn) {
    ASSERT_EQ(create_topic(client, "own", 1, {{"max.message.bytes", "1000000"}}), ErrorCode::none);
    ASSERT_EQ(produced("t"), ErrorCode::none);
    ASSERT_EQ(produced("own"), ErrorCode::none);
    ASSERT_EQ(alter(this_broker, {{"message.max.bytes", set, "100"}}), ErrorCode::none);
    EXPECT_EQ(produced("t"), ErrorCode::message_too_large);
    EXPECT_EQ(produced("own"), ErrorCode::none);
    ASSERT_EQ(create_topic(client, "later", 1), ErrorCode::none);
    EXPECT_EQ(produced("later"), ErrorCode::message_too_large);
    ASSERT_EQ(alter(this_broker, {{"message.max.bytes", remove, std::nullopt}}), ErrorCode::none);
    EXPECT_EQ(produced("t"), ErrorCode::none);
    EXPECT_EQ(produced("later"), ErrorCode::none);
}

TEST_F(AlteredBrokers, ABrokersOwnGoesBeforeThatOfAllAndThatBeforeTheFile) {
    using Sources = std::vector<std::int8_t>;
    const auto topic = [&] { return described(topic_type, "t", "retention.ms"); };
    EXPECT_EQ(sources(topic()), (Sources{from_file, from_default}));
    ASSERT_EQ(alter(all_brokers, {{"log.retention.ms", set, "5000"}}), ErrorCode::none);
    EXPECT_EQ(topic().value, "5000");
    EXPECT_EQ(topic().config_source, from_all_brokers);
    ASSERT_EQ(alter(this_broker, {{"log.retention.ms", set, "7000"}}), ErrorCode::none);
    EXPECT_EQ(topic().value, "7000");
    EXPECT_EQ(topic().config_source, from_broker);
    EXPECT_EQ(sources(topic()), (Sources{from_broker, from_all_brokers, from_file, from_default}));
    for (const auto& synonym : topic().synonyms) EXPECT_EQ(synonym.name, "log.retention.ms");
    ASSERT_EQ(alter(this_broker, {{"log.retention.ms", remove, std::nullopt}}), ErrorCode::none);
    EXPECT_EQ(topic().value, "5000");
}

TEST_F(AlteredBrokers, WhatIsSetIsDescribedAndCanBeChanged) {
    EXPECT_TRUE(describe(broker_type, all_brokers).empty());
    ASSERT_EQ(alter(all_brokers, {{"log.segment.bytes", set, " 2000000"}}), ErrorCode::none);
    const auto of_all = describe(broker_type, all_brokers);
    ASSERT_EQ(of_all.size(), 1u);
    EXPECT_EQ(of_all[0].name, "log.segment.bytes");
    EXPECT_EQ(of_all[0].value, "2000000") << "as it was understood";
    EXPECT_EQ(of_all[0].config_source, from_all_brokers);
    EXPECT_FALSE(of_all[0].read_only);

    const auto here = described(broker_type, this_broker, "log.segment.bytes");
    EXPECT_EQ(here.value, "2000000");
    EXPECT_EQ(here.config_source, from_all_brokers);
    EXPECT_EQ(described(broker_type, this_broker, "log.retention.ms").config_source, from_file);
    EXPECT_TRUE(described(broker_type, this_broker, "log.dirs").read_only);
    const auto everything = describe(broker_type, this_broker);
    EXPECT_TRUE(std::ranges::is_sorted(everything, {}, &Described::name));
}

TEST_F(AlteredBrokers, WhatDoesNotChangeWhileABrokerRunsIsRefused) {
    for (const char* name : {"log.dirs", "compression.type", "log.segment.delete.delay.ms",
                             "num.io.threads", "retention.ms", "leat.validation", "nobody.knows"}) {
        EXPECT_EQ(alter(all_brokers, {{name, set, "1"}}), ErrorCode::invalid_request);
        EXPECT_EQ(message, "Cannot update these configs dynamically: [" + std::string{name} + "]");
        EXPECT_EQ(replace(this_broker, {{name, "1"}}), ErrorCode::invalid_request);
    }
    EXPECT_EQ(alter(all_brokers, {{"log.retention.ms", set, "soon"}}), ErrorCode::invalid_request);
    EXPECT_EQ(message,
              "Invalid value soon for configuration log.retention.ms: Not a number of type LONG");
    EXPECT_EQ(alter(all_brokers, {{"log.retention.ms", append, "1"}}), ErrorCode::invalid_config);
    EXPECT_EQ(alter(this_broker, {{"min.insync.replicas", set, "1"}}), ErrorCode::invalid_config)
        << "brokers that differ in it would promise differently";
    EXPECT_EQ(alter(all_brokers, {{"min.insync.replicas", set, "1"}}, true), ErrorCode::none);
    EXPECT_EQ(alter(all_brokers, {{"log.roll.ms", set, "5000"}, {"log.segment.bytes", set, "x"}}),
              ErrorCode::invalid_request);
    EXPECT_TRUE(describe(broker_type, all_brokers).empty()) << "all of a resource, or nothing";
}

TEST_F(AlteredBrokers, WhatIsOnlyValidatedStaysAsItWas) {
    EXPECT_EQ(alter(all_brokers, {{"log.retention.ms", set, "1"}}, true), ErrorCode::none);
    EXPECT_EQ(alter(all_brokers, {{"log.retention.ms", set, "x"}}, true),
              ErrorCode::invalid_request);
    EXPECT_TRUE(describe(broker_type, all_brokers).empty());
}

TEST_F(AlteredBrokers, ListsTakeAndLoseSingleValues) {
    ASSERT_EQ(alter(this_broker, {{"log.cleanup.policy", append, "compact"}}), ErrorCode::none);
    EXPECT_EQ(described(topic_type, "t", "cleanup.policy").value, "delete,compact");
    ASSERT_EQ(alter(this_broker, {{"log.cleanup.policy", subtract, "delete"}}), ErrorCode::none);
    EXPECT_EQ(described(topic_type, "t", "cleanup.policy").value, "compact");
    EXPECT_EQ(produce(client, "t", 0, batch_of(1)).error_code, ErrorCode::none) << "it has keys";
}

TEST_F(AlteredBrokers, AlterConfigsReplacesAllThatWasSetForTheSame) {
    ASSERT_EQ(alter(all_brokers, {{"log.roll.ms", set, "5000"}}), ErrorCode::none);
    ASSERT_EQ(alter(this_broker, {{"log.roll.ms", set, "6000"}}), ErrorCode::none);
    ASSERT_EQ(replace(this_broker, {{"log.segment.bytes", "2000000"}}), ErrorCode::none);
    EXPECT_EQ(described(topic_type, "t", "segment.ms").value, "5000");
    EXPECT_EQ(described(topic_type, "t", "segment.bytes").value, "2000000");
    ASSERT_EQ(replace(this_broker, {}), ErrorCode::none);
    ASSERT_EQ(replace(all_brokers, {}), ErrorCode::none);
    EXPECT_EQ(described(topic_type, "t", "segment.ms").config_source, from_default);
    EXPECT_TRUE(describe(broker_type, all_brokers).empty());
}

TEST_F(AlteredBrokers, ATopicsOwnIsSetBesideABrokersInOneRequest) {
    wire::IncrementalAlterConfigsRequest request;
    request.resources.push_back({broker_type, this_broker, {{"message.max.bytes", set, "100"}}});
    request.resources.push_back({topic_type, "t", {{"max.message.bytes", set, "100000"}}});
    request.resources.push_back({broker_type, "7", {{"message.max.bytes", set, "100"}}});
    request.resources.push_back({broker_type, all_brokers, {{"node.id", set, "2"}}});
    const auto response = client.call<wire::IncrementalAlterConfigsResponse>(request, 1);
    ASSERT_EQ(response.responses.size(), 4u);
    EXPECT_EQ(response.responses[0].error_code, ErrorCode::none);
    EXPECT_EQ(response.responses[1].error_code, ErrorCode::none);
    EXPECT_EQ(response.responses[2].error_code, ErrorCode::invalid_request);
    EXPECT_EQ(response.responses[3].error_code, ErrorCode::invalid_request);
    EXPECT_EQ(produced("t"), ErrorCode::none);
    EXPECT_EQ(described(topic_type, "t", "max.message.bytes").config_source, from_topic);
}

TEST_F(AlteredBrokers, TwoWhoSetDifferentConfigsAtOnceBothFindTheirs) {
    RawClient other{broker.port()};
    const auto request = [](const char* name) {
        wire::IncrementalAlterConfigsRequest made;
        made.resources.push_back({broker_type, all_brokers, {{name, set, "5000"}}});
        return made;
    };
    const auto one = client.send_request(request("log.roll.ms"), 1);
    const auto two = other.send_request(request("log.retention.ms"), 1);
    using Answer = wire::IncrementalAlterConfigsResponse;
    EXPECT_EQ(client.receive_response<Answer>(1, one).responses.at(0).error_code, ErrorCode::none);
    EXPECT_EQ(other.receive_response<Answer>(1, two).responses.at(0).error_code, ErrorCode::none);
    EXPECT_EQ(describe(broker_type, all_brokers).size(), 2u);
}

}  // namespace
}  // namespace leat::app
