// Topics that are changed while the broker serves them, and what a client sees of it at once.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/wire/messages/alter_configs.h"
#include "core/wire/messages/create_partitions.h"
#include "core/wire/messages/describe_configs.h"
#include "core/wire/messages/describe_quorum.h"
#include "core/wire/messages/elect_leaders.h"
#include "core/wire/messages/incremental_alter_configs.h"
#include "core/wire/messages/list_config_resources.h"
#include "core/wire/messages/list_partition_reassignments.h"
#include "core/wire/messages/metadata.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;
using Config = wire::IncrementalAlterConfigsRequest::Config;

constexpr std::int8_t topic_type = 2, broker_type = 4, logger_type = 8;
constexpr std::int8_t set = 0, remove = 1, append = 2, subtract = 3;
constexpr std::int8_t from_topic = 1, from_file = 4, from_default = 5;

class AlteredTopics : public testing::Test {
protected:
    AlteredTopics() { EXPECT_EQ(create_topic(client, "t", 1), ErrorCode::none); }

    ErrorCode alter(std::vector<Config> configs, std::int8_t type = topic_type,
                    const std::string& name = "t", bool validate_only = false) {
        wire::IncrementalAlterConfigsRequest request{.validate_only = validate_only};
        request.resources.push_back({type, name, std::move(configs)});
        const auto response = client.call<wire::IncrementalAlterConfigsResponse>(request, 1);
        EXPECT_EQ(response.responses.size(), 1u);
        message = response.responses.at(0).error_message.value_or("");
        return response.responses.at(0).error_code;
    }
    ErrorCode replace(std::vector<wire::AlterConfigsRequest::Config> configs) {
        wire::AlterConfigsRequest request;
        request.resources.push_back({topic_type, "t", std::move(configs)});
        const auto response = client.call<wire::AlterConfigsResponse>(request, 2);
        return response.responses.at(0).error_code;
    }
    wire::DescribeConfigsResponse::Config described(const std::string& key) {
        wire::DescribeConfigsRequest request{.include_synonyms = true};
        request.resources.push_back({topic_type, "t", std::vector<std::string>{key}});
        auto response = client.call<wire::DescribeConfigsResponse>(request, 4);
        EXPECT_EQ(response.results.at(0).configs.size(), 1u);
        return response.results.at(0).configs.at(0);
    }
    wire::CreatePartitionsResponse grow(std::vector<wire::CreatePartitionsRequest::Topic> topics) {
        wire::CreatePartitionsRequest request{.topics = std::move(topics), .timeout_ms = 10'000};
        return client.call<wire::CreatePartitionsResponse>(request, 3);
    }
    std::size_t partitions() {
        wire::MetadataRequest request;
        request.topics.emplace();
        request.topics->push_back({.name = "t"});
        const auto response = client.call<wire::MetadataResponse>(request, 9);
        return response.topics.at(0).partitions.size();
    }

    BrokerUnderTest broker{"[network]\nshards = 2\n"};
    RawClient client{broker.port()};
    std::string message;  // Of the last alteration.
};

TEST_F(AlteredTopics, NewPartitionsAreInMetadataAndServedWhenTheAnswerComes) {
    const auto answer = grow({{.name = "t", .count = 6}, {.name = "u", .count = 6}});
    ASSERT_EQ(answer.results.size(), 2u) << "a row for each topic";
    EXPECT_EQ(answer.results[0].error_code, ErrorCode::none);
    EXPECT_EQ(answer.results[1].error_code, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(partitions(), 6u);
    for (std::int32_t p = 0; p < 6; ++p) {
        EXPECT_EQ(produce(client, "t", p, batch_of(1)).error_code, ErrorCode::none) << p;
    }
    EXPECT_EQ(grow({{.name = "t", .count = 6}}).results[0].error_code,
              ErrorCode::invalid_partitions);
}

TEST_F(AlteredTopics, ANewLimitHoldsForTheNextBatchOfAnOpenPartition) {
    ASSERT_EQ(produce(client, "t", 0, batch_of(50)).error_code, ErrorCode::none);
    ASSERT_EQ(alter({{"max.message.bytes", set, "100"}}), ErrorCode::none);
    EXPECT_EQ(produce(client, "t", 0, batch_of(50)).error_code, ErrorCode::message_too_large);
    ASSERT_EQ(alter({{"max.message.bytes", remove, std::nullopt}}), ErrorCode::none);
    EXPECT_EQ(produce(client, "t", 0, batch_of(50)).error_code, ErrorCode::none);
}

TEST_F(AlteredTopics, DescribeConfigsShowsWhereAValueComesFrom) {
    EXPECT_EQ(described("flush.ms").config_source, from_default);
    EXPECT_EQ(described("retention.ms").config_source, from_file);
    ASSERT_EQ(alter({{"retention.ms", set, "60000"}}), ErrorCode::none);
    const auto now = described("retention.ms");
    EXPECT_EQ(now.config_source, from_topic);
    EXPECT_EQ(now.value, "60000");
    ASSERT_EQ(now.synonyms.size(), 3u);
    EXPECT_EQ(now.synonyms[0].source, from_topic);
    EXPECT_EQ(now.synonyms[1].source, from_file);
    EXPECT_EQ(now.synonyms[2].source, from_default);
}

TEST_F(AlteredTopics, ListsTakeAndLoseSingleValues) {
    ASSERT_EQ(alter({{"cleanup.policy", append, "compact"}}), ErrorCode::none);
    EXPECT_EQ(described("cleanup.policy").value, "delete,compact");
    ASSERT_EQ(alter({{"cleanup.policy", subtract, "delete"}}), ErrorCode::none);
    EXPECT_EQ(described("cleanup.policy").value, "compact");
    EXPECT_EQ(alter({{"flush.ms", append, "1"}}), ErrorCode::invalid_config);
}

TEST_F(AlteredTopics, AlterConfigsReplacesAllThatWasSet) {
    ASSERT_EQ(alter({{"flush.ms", set, "1"}, {"segment.ms", set, "2"}}), ErrorCode::none);
    ASSERT_EQ(replace({{"segment.ms", "3"}}), ErrorCode::none);
    EXPECT_EQ(described("flush.ms").config_source, from_default);
    EXPECT_EQ(described("segment.ms").value, "3");
}

TEST_F(AlteredTopics, WhatIsOnlyValidatedStaysAsItWas) {
    EXPECT_EQ(alter({{"flush.ms", set, "1"}}, topic_type, "t", true), ErrorCode::none);
    EXPECT_EQ(alter({{"flush.ms", set, "x"}}, topic_type, "t", true), ErrorCode::invalid_config);
    EXPECT_EQ(described("flush.ms").config_source, from_default);
}

TEST_F(AlteredTopics, EngineAndPolicyStayWhatTheyAreFromTheTopicsFirstMoment) {
    EXPECT_EQ(alter({{"leat.storage.engine", set, "ram"}}), ErrorCode::invalid_config);
    EXPECT_NE(message.find("disk"), std::string::npos) << message;
    EXPECT_EQ(alter({{"leat.replication.policy", remove, std::nullopt}}),
              ErrorCode::invalid_config);
    EXPECT_EQ(alter({{"leat.storage.engine", set, "disk"}}), ErrorCode::none);
}

TEST_F(AlteredTopics, WhatIsNoTopicIsRefusedAsARequest) {
    EXPECT_EQ(alter({{"log.dirs", set, "x"}}, broker_type, "1"), ErrorCode::invalid_request);
    EXPECT_EQ(message, "Cannot update these configs dynamically: [log.dirs]");
    EXPECT_EQ(alter({{"log.dirs", set, "x"}}, broker_type, ""), ErrorCode::invalid_request);
    EXPECT_EQ(alter({}, broker_type, "2"), ErrorCode::invalid_request);
    EXPECT_EQ(alter({}, broker_type, "x"), ErrorCode::invalid_request);
    EXPECT_EQ(alter({}, broker_type, "1"), ErrorCode::none);
    EXPECT_EQ(alter({{"a", set, "INFO"}}, logger_type, "1"), ErrorCode::invalid_request);
    EXPECT_EQ(alter({}, 99, "1"), ErrorCode::invalid_request);
    EXPECT_EQ(alter({{"flush.ms", set, std::nullopt}}), ErrorCode::invalid_request);
    EXPECT_EQ(alter({{"flush.ms", 9, "1"}}), ErrorCode::invalid_request);
    EXPECT_EQ(alter({{"flush.ms", set, "1"}, {"flush.ms", set, "2"}}), ErrorCode::invalid_request);
    EXPECT_EQ(alter({}, topic_type, "none"), ErrorCode::unknown_topic_or_partition);
}

TEST_F(AlteredTopics, AResourceThatIsNamedTwiceIsRefusedTwice) {
    wire::IncrementalAlterConfigsRequest request;
    for (const char* value : {"1", "2"}) {
        request.resources.push_back({topic_type, "t", {{"flush.ms", set, value}}});
    }
    const auto response = client.call<wire::IncrementalAlterConfigsResponse>(request, 0);
    ASSERT_EQ(response.responses.size(), 2u);
    for (const auto& row : response.responses) {
        EXPECT_EQ(row.error_code, ErrorCode::invalid_request);
    }
    EXPECT_EQ(described("flush.ms").config_source, from_default);
}

TEST_F(AlteredTopics, WhatHasAConfigurationIsListed) {
    wire::ListConfigResourcesRequest request;
    const auto all = client.call<wire::ListConfigResourcesResponse>(request, 1);
    ASSERT_EQ(all.config_resources.size(), 2u);
    request.resource_types = {topic_type};
    const auto topics = client.call<wire::ListConfigResourcesResponse>(request, 1);
    ASSERT_EQ(topics.config_resources.size(), 1u);
    EXPECT_EQ(topics.config_resources[0].resource_name, "t");
    request.resource_types = {77};
    EXPECT_EQ(client.call<wire::ListConfigResourcesResponse>(request, 1).error_code,
              ErrorCode::unsupported_version);
    request.resource_types.clear();
    EXPECT_TRUE(
        client.call<wire::ListConfigResourcesResponse>(request, 0).config_resources.empty());
}

TEST_F(AlteredTopics, ElectionsAndReassignmentsAreAnsweredAsByOneNode) {
    wire::ElectLeadersRequest request;
    request.topic_partitions.emplace();
    request.topic_partitions->push_back({"t", {0, 7}});
    for (const std::int8_t kind : {std::int8_t{0}, std::int8_t{1}}) {
        request.election_type = kind;
        const auto answer = client.call<wire::ElectLeadersResponse>(request, 2);
        const auto& results = answer.replica_election_results.at(0).partition_result;
        EXPECT_EQ(results.at(0).error_code, ErrorCode::election_not_needed);
        EXPECT_EQ(results.at(1).error_code, ErrorCode::unknown_topic_or_partition);
    }
    request.topic_partitions.reset();
    const auto all = client.call<wire::ElectLeadersResponse>(request, 2);
    EXPECT_TRUE(all.replica_election_results.at(0).partition_result.empty());
    request.election_type = 5;
    EXPECT_EQ(client.call<wire::ElectLeadersResponse>(request, 2).error_code,
              ErrorCode::invalid_request);
    request.topic_partitions = {{"t", {0, 7}}};
    const auto odd = client.call<wire::ElectLeadersResponse>(request, 2);
    ASSERT_EQ(odd.replica_election_results.at(0).partition_result.size(), 2u);
    for (const auto& result : odd.replica_election_results[0].partition_result) {
        EXPECT_EQ(result.error_code, ErrorCode::invalid_request) << "of each that was named";
    }
    const auto moving = client.call<wire::ListPartitionReassignmentsResponse>(
        wire::ListPartitionReassignmentsRequest{}, 0);
    EXPECT_EQ(moving.error_code, ErrorCode::none);
    EXPECT_TRUE(moving.topics.empty());
}

TEST_F(AlteredTopics, TheQuorumIsThisNode) {
    wire::DescribeQuorumRequest request;
    request.topics.push_back({"__cluster_metadata", {{0}}});
    for (wire::Version version = 0; version <= 2; ++version) {
        const auto answer = client.call<wire::DescribeQuorumResponse>(request, version);
        const auto& partitions = answer.topics.at(0).partitions;
        EXPECT_EQ(partitions.at(0).leader_id, 1);
        ASSERT_EQ(partitions.at(0).current_voters.size(), 1u);
        EXPECT_EQ(partitions.at(0).current_voters[0].replica_id, 1);
        EXPECT_GT(partitions.at(0).high_watermark, 0);
        EXPECT_EQ(partitions.at(0).current_voters[0].last_fetch_timestamp > 0, version >= 1);
        EXPECT_EQ(answer.nodes.size(), version >= 2 ? 1u : 0u);
        if (version < 2) continue;
        EXPECT_EQ(answer.nodes.at(0).listeners.at(0).name, "PLAIN")
            << "Java's admin client takes capitals only";
    }
    request.topics[0].partitions.push_back({1});
    const auto two = client.call<wire::DescribeQuorumResponse>(request, 2);
    for (const auto& partition : two.topics.at(0).partitions) {
        EXPECT_EQ(partition.error_code, ErrorCode::unknown_topic_or_partition);
    }
}

TEST(AlteredTopicsKept, AConfigAndNewPartitionsOutliveARestart) {
    std::filesystem::path folder;
    {
        BrokerUnderTest broker;
        broker.keep_folder();
        folder = broker.folder();
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
        wire::CreatePartitionsRequest more{.timeout_ms = 10'000};
        more.topics.push_back({.name = "t", .count = 3});
        client.call<wire::CreatePartitionsResponse>(more, 3);
        wire::IncrementalAlterConfigsRequest alter;
        alter.resources.push_back({topic_type, "t", {{"max.message.bytes", set, "100"}}});
        client.call<wire::IncrementalAlterConfigsResponse>(alter, 1);
        ASSERT_EQ(produce(client, "t", 2, batch_of(1)).error_code, ErrorCode::none);
    }
    BrokerUnderTest broker{"", folder};
    RawClient client{broker.port()};
    EXPECT_EQ(fetch(client, "t", 2, 0).high_watermark, 1);
    EXPECT_EQ(produce(client, "t", 2, batch_of(50)).error_code, ErrorCode::message_too_large);
}

}  // namespace
}  // namespace leat::app
