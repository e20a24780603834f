// How the client gets on with brokers of other ages, brokers that move leaders, and what is no
// broker at all.
#include "core/client/cluster.h"

#include <gtest/gtest.h>

#include <atomic>

#include "core/client/offsets.h"
#include "core/client/topics.h"
#include "core/wire/messages/create_topics.h"
#include "core/wire/messages/delete_topics.h"
#include "core/wire/messages/list_offsets.h"
#include "tests/client/fake_broker.h"

namespace leat::client {
namespace {

using sdk::Errc;
using wire::ErrorCode;

constexpr std::chrono::milliseconds patience{20'000};

class ClusterTest : public testing::Test {
protected:
    // Metadata of topic t with one partition, counted.
    void serve_metadata() {
        broker.serve<wire::MetadataResponse, wire::MetadataRequest>(
            [this](const wire::MetadataRequest&) {
                ++asked_metadata;
                return broker.metadata("t", 1);
            });
    }
    // The first `refusals` answers say `code`, the others offset 7.
    void serve_offsets(int refusals, ErrorCode code) {
        broker.serve<wire::ListOffsetsResponse, wire::ListOffsetsRequest>(
            [this, refusals, code](const wire::ListOffsetsRequest&) {
                const bool refuse = ++asked_offsets <= refusals;
                wire::ListOffsetsResponse response;
                response.topics.push_back({.name = "t"});
                response.topics[0].partitions.push_back(
                    {.error_code = refuse ? code : ErrorCode::none, .offset = refuse ? -1 : 7});
                return response;
            });
    }
    Cluster cluster() { return Cluster{{{"127.0.0.1", broker.port()}}, patience, watch}; }

    Watch watch;
    std::atomic<int> asked_metadata = 0;
    std::atomic<int> asked_offsets = 0;
    FakeBroker broker;
};

TEST_F(ClusterTest, AsksAgainWithFreshMetadataWhenALeaderHasMoved) {
    serve_metadata();
    serve_offsets(2, ErrorCode::not_leader_or_follower);
    broker.start();
    auto asked = cluster();
    ASSERT_TRUE(asked.refresh_topic("t"));
    const auto offsets = offsets_at(asked, "t", std::vector{0}, latest);
    ASSERT_TRUE(offsets) << offsets.error().what;
    EXPECT_EQ(offsets->at(0), 7);
    EXPECT_EQ(asked_offsets, 3);
    EXPECT_EQ(asked_metadata, 3) << "one before, one after each refusal";
}

TEST_F(ClusterTest, SaysARefusalThatNoPatienceHelpsAtOnce) {
    serve_metadata();
    serve_offsets(1000, ErrorCode::topic_authorization_failed);
    broker.start();
    auto asked = cluster();
    ASSERT_TRUE(asked.refresh_topic("t"));
    const auto offsets = offsets_at(asked, "t", std::vector{0}, latest);
    ASSERT_FALSE(offsets);
    EXPECT_EQ(offsets.error().what,
              "t/0: TOPIC_AUTHORIZATION_FAILED: not authorized for this topic");
    EXPECT_EQ(asked_offsets, 1);
}

TEST_F(ClusterTest, GivesUpWhenTheTimeIsOverAndSaysTheLastReason) {
    serve_metadata();
    serve_offsets(1000, ErrorCode::leader_not_available);
    broker.start();
    Cluster asked{{{"127.0.0.1", broker.port()}}, std::chrono::milliseconds{120}, watch};
    ASSERT_TRUE(asked.refresh_topic("t"));
    const auto offsets = offsets_at(asked, "t", std::vector{0}, latest);
    ASSERT_FALSE(offsets);
    EXPECT_EQ(offsets.error().code, Errc::timed_out);
    EXPECT_TRUE(offsets.error().what.starts_with("given up after ")) << offsets.error().what;
    EXPECT_NE(offsets.error().what.find("LEADER_NOT_AVAILABLE"), std::string::npos);
}

TEST_F(ClusterTest, SpeaksTheHighestVersionThatBothKnow) {
    broker.serve<wire::MetadataResponse, wire::MetadataRequest>(
        [this](const wire::MetadataRequest&) { return broker.metadata("t", 1); },
        wire::between(1, 5));
    broker.start();
    auto asked = cluster();
    const auto connection = asked.any();
    ASSERT_TRUE(connection);
    EXPECT_EQ(*(*connection)->version_for(wire::MetadataRequest::traits), 5);
    EXPECT_EQ(*(*connection)->version_for(wire::MetadataRequest::traits, 3), 3);
    EXPECT_TRUE(asked.refresh_topic("t")) << "what version 5 has no place for is left out";
    const auto missing = (*connection)->version_for(wire::CreateTopicsRequest::traits);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().what,
              text_of((*connection)->address()) + " does not serve CreateTopics");
}

TEST_F(ClusterTest, ABrokerThatIsTooNewIsToldFromOneThatDoesNotServeIt) {
    broker.serve<wire::MetadataResponse, wire::MetadataRequest>(
        [this](const wire::MetadataRequest&) { return broker.metadata("t", 1); },
        wire::between(100, 101));
    broker.start();
    const auto status = cluster().refresh_topic("t");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Errc::unsupported);
    EXPECT_NE(status.error().what.find("serves Metadata in versions 100 to 101"),
              std::string::npos);
}

// KIP-511.
TEST_F(ClusterTest, ABrokerThatKnowsOnlyTheFirstApiVersionsIsAskedAgain) {
    std::atomic<int> asked_versions = 0;
    broker.serve<wire::ApiVersionsResponse, wire::ApiVersionsRequest>(
        [&](const wire::ApiVersionsRequest&) {
            ++asked_versions;
            return wire::ApiVersionsResponse{.api_keys = {{3, 1, 4}}};
        },
        wire::between(0, 0));
    broker.refuse_versions_above(0);
    serve_metadata();
    broker.start();
    EXPECT_TRUE(cluster().refresh_topic("t"));
    EXPECT_EQ(asked_versions, 1) << "the first one was answered with UNSUPPORTED_VERSION";
}

TEST_F(ClusterTest, AChangeWhoseAnswerIsLostIsNotMadeTwice) {
    serve_metadata();
    std::atomic<int> asked_deletes = 0;
    broker.serve<wire::DeleteTopicsResponse, wire::DeleteTopicsRequest>(
        [&](const wire::DeleteTopicsRequest&) -> std::optional<wire::DeleteTopicsResponse> {
            ++asked_deletes;
            return std::nullopt;
        });
    broker.start();
    auto asked = cluster();
    bool missing = false;
    const auto status = delete_topic(asked, "t", missing);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().what.find("whether the broker did it is not known"), std::string::npos)
        << status.error().what;
    EXPECT_EQ(asked_deletes, 1);
}

TEST_F(ClusterTest, AChangeFollowsTheController) {
    serve_metadata();
    std::atomic<int> asked_deletes = 0;
    broker.serve<wire::DeleteTopicsResponse, wire::DeleteTopicsRequest>(
        [&](const wire::DeleteTopicsRequest&) {
            wire::DeleteTopicsResponse response;
            response.responses.push_back(
                {.name = "t",
                 .error_code = ++asked_deletes < 3 ? ErrorCode::not_controller : ErrorCode::none});
            return response;
        });
    broker.start();
    auto asked = cluster();
    bool missing = false;
    EXPECT_TRUE(delete_topic(asked, "t", missing));
    EXPECT_EQ(asked_deletes, 3);
}

TEST_F(ClusterTest, WaitsEndWhenItIsOver) {
    serve_metadata();
    serve_offsets(1'000'000, ErrorCode::leader_not_available);
    broker.start();
    int over[2];
    ASSERT_EQ(::pipe(over), 0);
    watch.stop_when(over[0], POLLIN);
    auto asked = cluster();
    ASSERT_TRUE(asked.refresh_topic("t"));
    ASSERT_EQ(::write(over[1], "", 1), 1);
    const auto offsets = offsets_at(asked, "t", std::vector{0}, latest);
    ASSERT_FALSE(offsets);
    EXPECT_EQ(offsets.error().code, Errc::closed);
    EXPECT_LE(asked_offsets, 1);
    for (const int end : over) ::close(end);
}

TEST(Cluster, SaysAtOnceThatNobodyListensAndTriesEachAddress) {
    Watch watch;
    std::uint16_t free = 0;
    { free = FakeBroker{}.port(); }
    FakeBroker broker;
    broker.serve<wire::MetadataResponse, wire::MetadataRequest>(
        [&](const wire::MetadataRequest&) { return broker.metadata("t", 1); });
    broker.start();
    Cluster nobody{{{"127.0.0.1", free}}, patience, watch};
    const auto listed = list_topics(nobody);
    ASSERT_FALSE(listed);
    EXPECT_EQ(listed.error().what,
              "cannot connect to 127.0.0.1:" + std::to_string(free) + ": Connection refused");
    Cluster second{{{"127.0.0.1", free}, {"127.0.0.1", broker.port()}}, patience, watch};
    EXPECT_TRUE(list_topics(second));
}

}  // namespace
}  // namespace leat::client
