// Fetch sessions by the wire (KIP-227), over two shards: connections go to them in turn, so that a
// session is continued from its own shard and from the other one.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/wire/messages/delete_topics.h"
#include "core/wire/messages/describe_configs.h"
#include "core/wire/messages/metadata.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;
using wire::FetchRequest;
using wire::FetchResponse;

constexpr wire::Version by_name = 12, by_id = 13;
const std::string two_shards = "[network]\nshards = 2\n";

// A client's side: what it asks has the id and epoch that are due.
class SessionOfAClient {
public:
    FetchRequest next(std::int32_t max_wait_ms = 0) const {
        return {.max_wait_ms = max_wait_ms,
                .min_bytes = 1,
                .max_bytes = 50 << 20,
                .session_id = id,
                .session_epoch = epoch};
    }
    FetchResponse call(RawClient& client, const FetchRequest& request,
                       wire::Version version = by_name) {
        const auto response = client.call<FetchResponse>(request, version);
        took(response);
        return response;
    }
    void took(const FetchResponse& response) {
        if (response.error_code != ErrorCode::none) return;
        id = response.session_id;
        ++epoch;
    }

    std::int32_t id = 0;
    std::int32_t epoch = 0;
};

void ask(FetchRequest& request, const std::string& topic, std::int32_t partitions,
         std::int64_t from = 0) {
    auto& named = request.topics.emplace_back();
    named.topic = topic;
    for (std::int32_t i = 0; i < partitions; ++i) {
        named.partitions.push_back(
            {.partition = i, .fetch_offset = from, .partition_max_bytes = 1 << 20});
    }
}

std::size_t partitions_in(const FetchResponse& response) {
    std::size_t count = 0;
    for (const auto& topic : response.responses) count += topic.partitions.size();
    return count;
}

TEST(FetchSession, IsContinuedOverAnyConnectionAndAnswersWhatHasChanged) {
    BrokerUnderTest broker{two_shards};
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 4; ++i) clients.push_back(std::make_unique<RawClient>(broker.port()));
    ASSERT_EQ(create_topic(*clients[0], "t", 40), ErrorCode::none);
    SessionOfAClient session;
    auto request = session.next();
    ask(request, "t", 40);
    EXPECT_EQ(partitions_in(session.call(*clients[0], request)), 40u);
    ASSERT_NE(session.id, 0);
    for (std::size_t round = 0; round < 12; ++round) {
        RawClient& client = *clients[round % clients.size()];
        EXPECT_EQ(partitions_in(session.call(client, session.next())), 0u);
        const auto moved = static_cast<std::int32_t>(round * 3);
        ASSERT_EQ(produce(*clients[3], "t", moved, batch_of(2)).error_code, ErrorCode::none);
        const auto answer = session.call(client, session.next(10'000));
        ASSERT_EQ(partitions_in(answer), 1u);
        EXPECT_EQ(answer.responses[0].partitions[0].partition_index, moved);
        EXPECT_GT(answer.responses[0].partitions[0].records->size(), 0u);
        auto taken = session.next();
        taken.topics.push_back(
            {.topic = "t",
             .partitions = {
                 {.partition = moved, .fetch_offset = 2, .partition_max_bytes = 1 << 20}}});
        EXPECT_EQ(partitions_in(session.call(client, taken)), 0u);
    }
}

TEST(FetchSession, AParkedFetchIsWokenOvertakenOrLeftBehind) {
    BrokerUnderTest broker{two_shards};
    RawClient producer{broker.port()};
    ASSERT_EQ(create_topic(producer, "t", 8), ErrorCode::none);
    SessionOfAClient session;
    auto first = std::make_unique<RawClient>(broker.port());
    auto request = session.next();
    ask(request, "t", 8);
    session.call(*first, request);
    session.call(*first, session.next());
    auto second = std::make_unique<RawClient>(broker.port());
    const auto overtaken = first->send_request(session.next(600'000), by_name);
    ++session.epoch;
    // Which one comes first is not said: one before its time is refused, and asks again.
    std::int32_t parked = second->send_request(session.next(600'000), by_name);
    FetchResponse answer;
    for (std::int32_t partition = 0;; partition = (partition + 1) % 8) {
        ASSERT_EQ(produce(producer, "t", partition, batch_of(1)).error_code, ErrorCode::none);
        answer = second->receive_response<FetchResponse>(by_name, parked);
        if (answer.error_code != ErrorCode::invalid_fetch_session_epoch) break;
        parked = second->send_request(session.next(600'000), by_name);
    }
    EXPECT_EQ(answer.error_code, ErrorCode::none);
    EXPECT_GE(partitions_in(answer), 1u);
    session.took(answer);
    const auto lost = first->receive_response<FetchResponse>(by_name, overtaken);
    EXPECT_EQ(lost.session_id, session.id);
    first = std::move(second);
    // A client that goes while its fetch is parked: its session can be gone on with.
    first->send_request(session.next(600'000), by_name);
    first->reset();
    ++session.epoch;
    do {
        answer = session.call(producer, session.next());
    } while (answer.error_code == ErrorCode::invalid_fetch_session_epoch);
    EXPECT_EQ(answer.error_code, ErrorCode::none);
    // And the broker stops although one is parked.
    producer.send_request(session.next(600'000), by_name);
    EXPECT_TRUE(broker.stop());
}

TEST(FetchSession, ItsErrorsAreKafkas) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()}, other{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 2), ErrorCode::none);
    SessionOfAClient session;
    auto request = session.next();
    ask(request, "t", 2);
    session.call(client, request);
    for (RawClient* each : {&client, &other}) {
        SessionOfAClient wrong{session};
        wrong.id = session.id ^ 2;  // Of the same shard; and of the other one:
        EXPECT_EQ(wrong.call(*each, wrong.next()).error_code,
                  ErrorCode::fetch_session_id_not_found);
        wrong.id = session.id ^ 1;
        EXPECT_EQ(wrong.call(*each, wrong.next()).error_code,
                  ErrorCode::fetch_session_id_not_found);
        wrong = session;
        wrong.epoch += 3;
        EXPECT_EQ(wrong.call(*each, wrong.next()).error_code,
                  ErrorCode::invalid_fetch_session_epoch);
        wrong = session;
        EXPECT_EQ(wrong.call(*each, wrong.next(), by_id).error_code,
                  ErrorCode::fetch_session_topic_id_error);
    }
    EXPECT_EQ(session.call(other, session.next()).error_code, ErrorCode::none);
    auto close = session.next();
    close.session_epoch = -1;
    ask(close, "t", 1);
    EXPECT_EQ(other.call<FetchResponse>(close, by_name).session_id, 0);
    EXPECT_EQ(session.call(other, session.next()).error_code,
              ErrorCode::fetch_session_id_not_found);
}

TEST(FetchSession, WhoForgetsEverythingHasNoSession) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()}, other{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 2), ErrorCode::none);
    for (RawClient* each : {&client, &other}) {
        SessionOfAClient session;
        auto request = session.next();
        ask(request, "t", 2);
        session.call(client, request);
        auto forget = session.next();
        forget.forgotten_topics_data.push_back({.topic = "t", .partitions = {1}});
        EXPECT_EQ(session.call(*each, forget).session_id, session.id);
        const std::int32_t id = session.id;
        forget = session.next();
        forget.forgotten_topics_data.push_back({.topic = "t", .partitions = {0}});
        EXPECT_EQ(session.call(*each, forget).session_id, 0);
        session.id = id;
        EXPECT_EQ(session.call(*each, session.next()).error_code,
                  ErrorCode::fetch_session_id_not_found);
    }
}

TEST(FetchSession, ATopicThatIsMadeAgainIsAnotherOne) {
    BrokerUnderTest broker{two_shards};
    RawClient client{broker.port()};
    const auto make = [&client] {
        EXPECT_EQ(create_topic(client, "t", 1, {{"leat.storage.engine", "ram"}}), ErrorCode::none);
        wire::MetadataRequest of;
        of.topics.emplace().push_back({.name = "t"});
        return client.call<wire::MetadataResponse>(of, 12).topics.at(0).topic_id;
    };
    const auto remove = [&client] {
        wire::DeleteTopicsRequest request{.topic_names = {"t"}, .timeout_ms = 10'000};
        EXPECT_EQ(client.call<wire::DeleteTopicsResponse>(request, 5).responses.at(0).error_code,
                  ErrorCode::none);
    };
    const auto id = make();
    ASSERT_EQ(produce(client, "t", 0, batch_of(3)).error_code, ErrorCode::none);
    SessionOfAClient names, ids;
    auto request = names.next();
    ask(request, "t", 1, 3);
    names.call(client, request);
    request.topics[0].topic = "";
    request.topics[0].topic_id = id;
    ids.call(client, request, by_id);
    remove();
    const auto error = [&client](SessionOfAClient& session, wire::Version version) {
        const auto answer = session.call(client, session.next(10'000), version);
        return partitions_in(answer) == 1 ? answer.responses[0].partitions[0].error_code
                                          : ErrorCode::none;
    };
    EXPECT_EQ(error(names, by_name), ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(error(ids, by_id), ErrorCode::unknown_topic_or_partition);
    make();
    EXPECT_EQ(error(names, by_name), ErrorCode::offset_out_of_range) << "the new one is shorter";
    EXPECT_EQ(error(ids, by_id), ErrorCode::inconsistent_topic_id);
}

TEST(FetchSession, ANewBrokerKnowsNoneOfTheOldOnes) {
    auto broker = std::make_unique<BrokerUnderTest>(two_shards);
    broker->keep_folder();
    const auto folder = broker->folder();
    SessionOfAClient session;
    {
        RawClient client{broker->port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
        auto request = session.next();
        ask(request, "t", 1);
        session.call(client, request);
    }
    EXPECT_TRUE(broker->stop());
    broker.reset();
    BrokerUnderTest again{two_shards, folder};
    RawClient client{again.port()};
    EXPECT_EQ(session.call(client, session.next()).error_code,
              ErrorCode::fetch_session_id_not_found);
}

TEST(FetchSession, TheOperatorSaysHowManyThereAre) {
    for (const int most : {0, 2}) {
        BrokerUnderTest broker{
            "[network]\nshards = 1\n[limits]\nfetch_sessions = " + std::to_string(most) + "\n"};
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
        int made = 0;
        for (int i = 0; i < 4; ++i) {
            SessionOfAClient session;
            auto request = session.next();
            ask(request, "t", 1);
            const auto answer = session.call(client, request);
            EXPECT_EQ(answer.error_code, ErrorCode::none);
            EXPECT_EQ(partitions_in(answer), 1u);
            made += session.id != 0 ? 1 : 0;
        }
        EXPECT_EQ(made, most);
        wire::DescribeConfigsRequest of;
        of.resources.push_back(
            {.resource_type = 4,
             .resource_name = "1",
             .configuration_keys = {{"max.incremental.fetch.session.cache.slots"}}});
        const auto told = client.call<wire::DescribeConfigsResponse>(of, 4);
        EXPECT_EQ(told.results.at(0).configs.at(0).value, std::to_string(most));
    }
}

}  // namespace
}  // namespace leat::app
