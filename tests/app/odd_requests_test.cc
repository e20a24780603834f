// Requests that are legal and odd: what Kafka 4.4 answers to them, as far as clients could see a
// difference. tests/interop compares many more with a Kafka that runs.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "core/wire/messages/delete_topics.h"
#include "core/wire/messages/describe_cluster.h"
#include "core/wire/messages/describe_topic_partitions.h"
#include "core/wire/messages/find_coordinator.h"
#include "core/wire/messages/init_producer_id.h"
#include "core/wire/messages/metadata.h"
#include "core/wire/messages/offset_for_leader_epoch.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

class OddRequests : public testing::Test {
protected:
    OddRequests() {
        EXPECT_EQ(create_topic(client, "t", 2), ErrorCode::none);
        EXPECT_EQ(produce(client, "t", 0, batch_of(3)).error_code, ErrorCode::none);
    }

    static wire::ListOffsetsRequest offsets_of(std::vector<std::int32_t> partitions,
                                               std::int64_t timestamp) {
        wire::ListOffsetsRequest request{.replica_id = -1};
        request.topics.push_back({.name = "t"});
        for (const std::int32_t index : partitions) {
            request.topics[0].partitions.push_back(
                {.partition_index = index, .timestamp = timestamp});
        }
        return request;
    }
    wire::ListOffsetsResponse ask(const wire::ListOffsetsRequest& request,
                                  wire::Version version = 11) {
        return client.call<wire::ListOffsetsResponse>(request, version);
    }
    wire::FetchResponse::Partition ask(const wire::FetchRequest& request,
                                       wire::Version version = 12) {
        const auto response = client.call<wire::FetchResponse>(request, version);
        EXPECT_EQ(response.responses.size(), 1u);
        auto partition = response.responses.at(0).partitions.at(0);
        has_records = partition.records && !partition.records->empty();
        return partition;
    }
    wire::MetadataResponse describe(std::vector<wire::MetadataRequest::Topic> topics,
                                    wire::Version version = 12) {
        return client.call<wire::MetadataResponse>(
            wire::MetadataRequest{.topics = std::move(topics), .allow_auto_topic_creation = false},
            version);
    }

    BrokerUnderTest broker{"[network]\nshards = 2\n"};
    RawClient client{broker.port()};
    bool has_records = false;  // Of the last fetch.
};

TEST_F(OddRequests, ATimestampBelowZeroMeansSomethingFromItsVersionOn) {
    const std::map<std::int64_t, wire::Version> since{{-1, 1}, {-2, 1}, {-3, 7},
                                                      {-4, 8}, {-5, 9}, {-6, 11}};
    for (wire::Version version = 1; version <= 11; ++version) {
        for (std::int64_t timestamp = -8; timestamp < 0; ++timestamp) {
            const auto found = since.find(timestamp);
            const bool known = found != since.end() && version >= found->second;
            const auto answer = ask(offsets_of({0}, timestamp), version).topics[0].partitions[0];
            EXPECT_EQ(answer.error_code, known ? ErrorCode::none : ErrorCode::unsupported_version)
                << timestamp << " in version " << version;
            if (!known) {
                EXPECT_EQ(answer.offset, -1);
            }
        }
    }
    EXPECT_EQ(ask(offsets_of({9}, -7)).topics[0].partitions[0].error_code,
              ErrorCode::unsupported_version)
        << "also where there is no such partition";
}

TEST_F(OddRequests, TheOldestVersionListsOffsetsTheNewestFirst) {
    const auto listed = [&](std::int64_t timestamp, std::int32_t most, std::int32_t partition = 0) {
        auto request = offsets_of({partition}, timestamp);
        request.topics[0].partitions[0].max_num_offsets = most;
        const auto answer = ask(request, 0).topics.at(0).partitions.at(0);
        return std::pair{answer.error_code, answer.old_style_offsets};
    };
    using Offsets = std::vector<std::int64_t>;
    const auto found = [](Offsets offsets) { return std::pair{ErrorCode::none, offsets}; };
    constexpr std::int64_t first_written = 1'700'000'000'000;
    EXPECT_EQ(listed(-1, 5), found({3, 0}));
    EXPECT_EQ(listed(-1, 1), found({3}));
    EXPECT_EQ(listed(-1, 0), found({}));
    EXPECT_EQ(listed(-1, -1), found({}));
    EXPECT_EQ(listed(-1, 5, 1), found({0})) << "of an empty partition";
    EXPECT_EQ(listed(-2, 5), found({0}));
    EXPECT_EQ(listed(first_written + 2, 5), found({2, 0}));
    EXPECT_EQ(listed(first_written + 3, 5), found({3, 0})) << "all was written before";
    EXPECT_EQ(listed(first_written, 5), found({})) << "nothing was written before";
    EXPECT_EQ(listed(-3, 5), std::pair(ErrorCode::unsupported_version, Offsets{}));
    EXPECT_EQ(listed(-1, 5, 9), std::pair(ErrorCode::unknown_topic_or_partition, Offsets{}));
}

TEST_F(OddRequests, APartitionWhoseOffsetIsAskedTwiceIsRefusedOnce) {
    auto request = offsets_of({0, 1, 0}, -1);
    request.topics.push_back(request.topics[0]);
    request.topics[1].partitions = {{.partition_index = 5, .timestamp = -1}};
    const auto response = ask(request);
    ASSERT_EQ(response.topics.size(), 1u);
    std::map<std::int32_t, ErrorCode> errors;
    for (const auto& partition : response.topics[0].partitions) {
        EXPECT_TRUE(errors.emplace(partition.partition_index, partition.error_code).second);
    }
    EXPECT_EQ(errors,
              (std::map<std::int32_t, ErrorCode>{{0, ErrorCode::invalid_request},
                                                 {1, ErrorCode::none},
                                                 {5, ErrorCode::unknown_topic_or_partition}}));
}

TEST_F(OddRequests, ATransactionalIdMattersOnlyToTransactionalBatches) {
    const auto error = [&](std::vector<std::byte> batch) {
        auto request = produce_request("t", 0, batch);
        request.transactional_id = "id";
        return client.call<wire::ProduceResponse>(request, 9)
            .responses.at(0)
            .partition_responses.at(0)
            .error_code;
    };
    EXPECT_EQ(error(batch_of(1)), ErrorCode::none);
    EXPECT_EQ(
        error(batch_of(
            1, {.producer_id = 5, .producer_epoch = 0, .base_sequence = 0, .transactional = true})),
        ErrorCode::transactional_id_authorization_failed);
}

TEST_F(OddRequests, AProducerEpochBelowMinusOneIsRefused) {
    EXPECT_EQ(produce(client, "t", 0,
                      batch_of(1, {.producer_id = 5, .producer_epoch = -2, .base_sequence = 0}))
                  .error_code,
              ErrorCode::invalid_producer_epoch);
}

TEST_F(OddRequests, AnIsolationLevelThatDoesNotExistIsRefused) {
    auto offsets = offsets_of({0}, -1);
    offsets.isolation_level = 2;
    EXPECT_EQ(ask(offsets).topics[0].partitions[0].error_code, ErrorCode::invalid_request);
    auto read = fetch_request("t", 0, 0);
    read.isolation_level = -1;
    EXPECT_EQ(ask(read).error_code, ErrorCode::invalid_request);
    EXPECT_FALSE(has_records);
}

TEST_F(OddRequests, AnEpochBelowMinusOneIsAnOldOneExceptToFetch) {
    auto offsets = offsets_of({0}, -1);
    offsets.topics[0].partitions[0].current_leader_epoch = -2;
    EXPECT_EQ(ask(offsets).topics[0].partitions[0].error_code, ErrorCode::fenced_leader_epoch);
    wire::OffsetForLeaderEpochRequest epochs;
    epochs.topics.push_back({.topic = "t", .partitions = {{.current_leader_epoch = -2}}});
    const auto ends = client.call<wire::OffsetForLeaderEpochResponse>(epochs, 4);
    EXPECT_EQ(ends.topics.at(0).partitions.at(0).error_code, ErrorCode::fenced_leader_epoch);
    auto read = fetch_request("t", 0, 0);
    read.topics[0].partitions[0].current_leader_epoch = -2;
    EXPECT_EQ(ask(read).error_code, ErrorCode::none);
    EXPECT_TRUE(has_records);
}

TEST_F(OddRequests, AReaderWhoseLastEpochNobodyHadIsOutOfRange) {
    auto read = fetch_request("t", 0, 2);
    read.topics[0].partitions[0].last_fetched_epoch = 7;
    EXPECT_EQ(ask(read).error_code, ErrorCode::offset_out_of_range);
    read.topics[0].partitions[0].last_fetched_epoch = 0;
    EXPECT_EQ(ask(read).error_code, ErrorCode::none);
}

TEST_F(OddRequests, AbortedTransactionsAreNullOrEmptyAsInKafka) {
    const auto aborted = [&](const char* topic, std::int64_t from, std::int8_t isolation) {
        auto request = fetch_request(topic, 0, from);
        request.isolation_level = isolation;
        return ask(request).aborted_transactions;
    };
    EXPECT_FALSE(aborted("t", 0, 0).has_value());
    EXPECT_TRUE(aborted("t", 0, 1).has_value()) << "who reads what is committed gets a list";
    EXPECT_TRUE(aborted("t", 3, 1).has_value()) << "at the end too";
    EXPECT_FALSE(aborted("t", 99, 1).has_value()) << "out of range";
    EXPECT_TRUE(aborted("nobody", 0, 0).has_value()) << "nobody was asked";
}

TEST_F(OddRequests, OnlyTheFirstEpochAndNoneAreAFullFetch) {
    auto request = fetch_request("t", 0, 0);
    for (const std::int32_t epoch : {0, -1}) {
        request.session_epoch = epoch;
        EXPECT_EQ(ask(request).error_code, ErrorCode::none);
    }
    for (const std::int32_t epoch : {5, -2}) {
        request.session_epoch = epoch;
        const auto response = client.call<wire::FetchResponse>(request, 12);
        EXPECT_EQ(response.error_code, ErrorCode::fetch_session_id_not_found);
        EXPECT_TRUE(response.responses.empty());
    }
}

TEST_F(OddRequests, MetadataNamesATopicOnce) {
    const auto named = describe({{.name = "t"}, {.name = "nobody"}, {.name = "t"}}).topics;
    ASSERT_EQ(named.size(), 2u);
    EXPECT_EQ(named[0].name, "t");
    EXPECT_EQ(named[1].error_code, ErrorCode::unknown_topic_or_partition);
    const sdk::Uuid id = named[0].topic_id;
    EXPECT_EQ(describe({{.topic_id = id}, {.topic_id = id}}).topics.size(), 1u);
    const auto mixed = describe({{.name = "nobody"}, {.topic_id = id, .name = "other"}}).topics;
    ASSERT_EQ(mixed.size(), 1u) << "beside an id names do not count";
    EXPECT_EQ(mixed[0].name, "t");
}

TEST_F(OddRequests, WhoeverAsksMayDoEverythingForThereIsNoAuthorizer) {
    constexpr std::int32_t topic_bits = 3576,
                           cluster_bits = 8096;  // As a Kafka without one answers.
    wire::MetadataRequest asked{.topics = {{{.name = "t"}, {.name = "missing"}}},
                                .allow_auto_topic_creation = false,
                                .include_topic_authorized_operations = true};
    const auto topics = client.call<wire::MetadataResponse>(asked, wire::Version{13}).topics;
    EXPECT_EQ(topics.at(0).topic_authorized_operations, topic_bits);
    EXPECT_EQ(topics.at(1).topic_authorized_operations, INT32_MIN);
    EXPECT_EQ(describe({{.name = "t"}}).topics[0].topic_authorized_operations, INT32_MIN);
    asked.include_cluster_authorized_operations = true;
    const auto old = client.call<wire::MetadataResponse>(asked, wire::Version{8});
    EXPECT_EQ(old.cluster_authorized_operations, cluster_bits);
    wire::DescribeClusterRequest cluster{.include_cluster_authorized_operations = true};
    EXPECT_EQ(client.call<wire::DescribeClusterResponse>(cluster, wire::Version{0})
                  .cluster_authorized_operations,
              cluster_bits);
    wire::DescribeTopicPartitionsRequest all{.topics = {{.name = ""}, {.name = "missing"}}};
    const auto listed =
        client.call<wire::DescribeTopicPartitionsResponse>(all, wire::Version{0}).topics;
    EXPECT_EQ(listed.at(0).topic_authorized_operations, INT32_MIN);
    EXPECT_EQ(listed.at(1).topic_authorized_operations, topic_bits);
}

TEST_F(OddRequests, MetadataRefusesTopicsThatAreNotNamedAsTheVersionHasIt) {
    const sdk::Uuid id = describe({{.name = "t"}}).topics[0].topic_id;
    for (wire::Version version = 10; version <= 11; ++version) {
        for (const auto& topic : std::array<wire::MetadataRequest::Topic, 3>{
                 {{.topic_id = id}, {.topic_id = id, .name = "t"}, {}}}) {
            const auto refused = describe({{.name = "t"}, topic}, version);
            ASSERT_EQ(refused.topics.size(), 2u);
            EXPECT_EQ(refused.topics[0].error_code, ErrorCode::invalid_request);
            EXPECT_EQ(refused.topics[1].name, topic.name.value_or(""));
            EXPECT_TRUE(refused.brokers.empty());
        }
    }
    EXPECT_EQ(describe({{}}, 13).error_code, ErrorCode::invalid_request);
    EXPECT_EQ(describe({{}, {.topic_id = id}}, 13).topics.size(), 1u);
}

TEST_F(OddRequests, ATopicThatIsCreatedTwiceInOneRequestIsRefusedOnce) {
    wire::CreateTopicsRequest request;
    for (const char* name : {"u", "v", "u"}) {
        request.topics.push_back({.name = name, .num_partitions = 1, .replication_factor = 1});
    }
    const auto made = client.call<wire::CreateTopicsResponse>(request, 7).topics;
    ASSERT_EQ(made.size(), 2u);
    EXPECT_EQ(made[0].error_code, ErrorCode::invalid_request);
    EXPECT_EQ(made[1].error_code, ErrorCode::none);
    EXPECT_EQ(describe({{.name = "u"}}).topics[0].error_code,
              ErrorCode::unknown_topic_or_partition);
}

TEST_F(OddRequests, ATopicThatIsDeletedTwiceInOneRequestStays) {
    ASSERT_EQ(create_topic(client, "u", 1), ErrorCode::none);
    const sdk::Uuid id = describe({{.name = "t"}}).topics[0].topic_id;
    wire::DeleteTopicsRequest request{.timeout_ms = 10'000};
    request.topics = {{.name = "t"}, {.name = "u"}, {.topic_id = id}};
    const auto deleted = client.call<wire::DeleteTopicsResponse>(request, 6).responses;
    ASSERT_EQ(deleted.size(), 2u);
    EXPECT_EQ(deleted[0].error_code, ErrorCode::invalid_request);
    EXPECT_EQ(deleted[1].error_code, ErrorCode::none);
    EXPECT_EQ(describe({{.name = "t"}}).topics[0].error_code, ErrorCode::none);
}

TEST_F(OddRequests, ACursorIsOneOfTheTopicsThatAreAskedFor) {
    const auto ask_from = [&](const char* topic, std::int32_t partition) {
        wire::DescribeTopicPartitionsRequest request;
        request.topics.push_back({.name = "t"});
        request.cursor = {.topic_name = topic, .partition_index = partition};
        return client.call<wire::DescribeTopicPartitionsResponse>(request, 0).topics.at(0);
    };
    EXPECT_EQ(ask_from("t", 1).partitions.size(), 1u);
    EXPECT_EQ(ask_from("s", 0).error_code, ErrorCode::invalid_request);
    EXPECT_EQ(ask_from("t", -1).error_code, ErrorCode::invalid_request);
}

TEST_F(OddRequests, AProducersOldIdAndEpochComeTogether) {
    const auto error = [&](std::int64_t id, std::int16_t epoch) {
        return client
            .call<wire::InitProducerIdResponse>(
                wire::InitProducerIdRequest{
                    .transaction_timeout_ms = 1000, .producer_id = id, .producer_epoch = epoch},
                4)
            .error_code;
    };
    EXPECT_EQ(error(-1, -1), ErrorCode::none);
    EXPECT_EQ(error(5, 3), ErrorCode::none);
    EXPECT_EQ(error(-5, 3), ErrorCode::none) << "-1 alone means that there is none";
    EXPECT_EQ(error(5, -1), ErrorCode::invalid_request);
    EXPECT_EQ(error(-1, 3), ErrorCode::invalid_request);
}

TEST_F(OddRequests, ACoordinatorOfAKindThatDoesNotExistIsRefused) {
    const auto error = [&](std::int8_t kind, wire::Version version) {
        return client
            .call<wire::FindCoordinatorResponse>(
                wire::FindCoordinatorRequest{.key_type = kind, .coordinator_keys = {"k"}}, version)
            .coordinators.at(0)
            .error_code;
    };
    EXPECT_EQ(error(0, 4), ErrorCode::none);
    EXPECT_EQ(error(2, 6), ErrorCode::coordinator_not_available);
    EXPECT_EQ(error(2, 5), ErrorCode::invalid_request) << "share groups came with version 6";
    EXPECT_EQ(error(3, 6), ErrorCode::invalid_request);
    EXPECT_EQ(error(-1, 6), ErrorCode::invalid_request);
}

}  // namespace
}  // namespace leat::app
