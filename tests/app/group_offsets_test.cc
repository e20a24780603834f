// Committed offsets of topics that are deleted, over a kill -9 and made again by the same name.
#include <gtest/gtest.h>

#include "core/wire/messages/delete_topics.h"
#include "tests/app/broker_process.h"
#include "tests/app/classic_member.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

// On partitions of __consumer_offsets on all shards.
std::vector<std::string> groups() {
    std::vector<std::string> all;
    for (int i = 0; i < 20; ++i) all.push_back("group-" + std::to_string(i));
    return all;
}

class OffsetsOfADeletedTopic : public testing::Test {
protected:
    void SetUp() override {
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
        ASSERT_EQ(create_topic(client, "kept", 1), ErrorCode::none);
        find_coordinator(client, "g");
        for (const auto& group : groups()) {
            EXPECT_EQ(commit(client, group, "t", 42), ErrorCode::none);
            EXPECT_EQ(commit(client, group, "kept", 43), ErrorCode::none);
        }
    }
    static ErrorCode commit(RawClient& client, const std::string& group, const std::string& topic,
                            std::int64_t offset) {
        wire::OffsetCommitRequest request{.group_id = group};
        request.topics.push_back({.name = topic});
        request.topics[0].partitions.push_back({.committed_offset = offset});
        const auto response = client.call<wire::OffsetCommitResponse>(request, 9);
        return response.topics.at(0).partitions.at(0).error_code;
    }
    void delete_topic() {
        RawClient client{broker.port()};
        wire::DeleteTopicsRequest gone{.timeout_ms = 10'000};
        gone.topics.push_back({.name = "t"});
        ASSERT_EQ(client.call<wire::DeleteTopicsResponse>(gone, 6).responses.at(0).error_code,
                  ErrorCode::none);
    }
    void expect_only_kept() {
        RawClient client{broker.port()};
        for (const auto& group : groups()) {
            EXPECT_EQ(committed_offset(client, group), -1) << group;
            EXPECT_EQ(committed_offset(client, group, 0, "kept"), 43) << group;
        }
    }
    void make_again() {
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    }

    BrokerProcess broker{"[network]\nshards = 2\n"};
};

TEST_F(OffsetsOfADeletedTopic, GoWithItAndStayGone) {
    delete_topic();
    expect_only_kept();
    broker.restart(SIGKILL);
    expect_only_kept();
    make_again();
    expect_only_kept();
    RawClient client{broker.port()};
    EXPECT_EQ(commit(client, "group-0", "t", 7), ErrorCode::none);
    broker.restart(SIGKILL);
    RawClient again{broker.port()};
    EXPECT_EQ(committed_offset(again, "group-0"), 7);
    EXPECT_EQ(committed_offset(again, "group-1"), -1);
}

TEST_F(OffsetsOfADeletedTopic, AreNotThoseOfTheNextOneThatIsMadeAtOnce) {
    delete_topic();
    make_again();
    expect_only_kept();
}

TEST_F(OffsetsOfADeletedTopic, AreNotThoseOfTheNextOneAfterAKillNine) {
    delete_topic();
    broker.restart(SIGKILL);
    make_again();
    expect_only_kept();
    broker.restart(SIGKILL);
    expect_only_kept();
}

}  // namespace
}  // namespace leat::app
