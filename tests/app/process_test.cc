// How the process lives and ends: signals, kills, restarts, and the log lines that say so.
#include <gtest/gtest.h>

#include "core/wire/messages/delete_records.h"
#include "core/wire/messages/incremental_alter_configs.h"
#include "core/wire/messages/metadata.h"
#include "tests/app/child.h"
#include "tests/app/consumer_member.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

// One shard, so that what one connection sent first is read first, whoever sent it.
const std::string one_shard = "[network]\nshards = 1\n";
const std::string synced = one_shard + "[topic_defaults]\nflush = \"each\"\n";

// Every request sent before has been read when this returns.
void round_trip(RawClient& client) {
    client.call<wire::MetadataResponse>(wire::MetadataRequest{}, 9);
}

TEST(Process, SigtermAnswersAParkedFetchAndTheNextStartDoesNotRecover) {
    const Folder folder;
    const auto config = folder.config(one_shard);
    Child broker{{"serve", config}};
    const auto port = broker.port();
    ASSERT_NE(port, 0);
    RawClient client{port}, parked{port};
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    ASSERT_EQ(produce(client, "t", 0, batch_of(7)).error_code, ErrorCode::none);
    const auto waiting = parked.send_request(fetch_request("t", 0, 7, 60'000), 12);
    round_trip(client);
    broker.signal(SIGTERM);
    parked.receive_response<wire::FetchResponse>(12, waiting);
    EXPECT_EQ(broker.wait(), 0) << broker.err();
    EXPECT_EQ(count(broker.err(), "stopping reason=SIGTERM"), 1u) << broker.err();
    EXPECT_EQ(count(broker.err(), "stopped cleanly"), 1u) << broker.err();

    Child again{{"serve", config}};
    RawClient reader{again.port()};
    EXPECT_EQ(fetch(reader, "t", 0, 0).high_watermark, 7);
    again.signal(SIGTERM);
    EXPECT_EQ(again.wait(), 0);
    EXPECT_EQ(count(again.err(), "not clean"), 0u) << again.err();
    EXPECT_EQ(count(again.err(), "log recovered"), 0u) << again.err();
}

TEST(Process, KillNineLosesNothingThatWasAcknowledgedAndTheLogSaysWhatIsChecked) {
    const Folder folder;
    const auto config = folder.config(one_shard);
    {
        Child broker{{"serve", config}};
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 2), ErrorCode::none);
        for (std::int32_t p = 0; p < 2; ++p) {
            ASSERT_EQ(produce(client, "t", p, batch_of(5), -1).error_code, ErrorCode::none);
        }
        broker.signal(SIGKILL);
        EXPECT_EQ(broker.wait(), 128 + SIGKILL);
    }
    Child again{{"serve", config}};
    RawClient reader{again.port()};
    for (std::int32_t p = 0; p < 2; ++p) {
        const auto read = fetch(reader, "t", p, 0);
        EXPECT_EQ(read.high_watermark, 5);
        EXPECT_FALSE(read.records->empty());
    }
    again.signal(SIGTERM);
    EXPECT_EQ(again.wait(), 0);
    EXPECT_EQ(count(again.err(), "the last stop was not clean"), 1u) << again.err();
    EXPECT_EQ(count(again.err(), "log recovered"), 2u) << again.err();
}

// Trap L19.
TEST(Process, KillNineBringsNothingBackThatWasDeleted) {
    const Folder folder;
    const auto config = folder.config(one_shard);
    {
        Child broker{{"serve", config}};
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
        ASSERT_EQ(produce(client, "t", 0, batch_of(5), -1).error_code, ErrorCode::none);
        wire::DeleteRecordsRequest request{.timeout_ms = 10'000};
        request.topics.push_back({.name = "t", .partitions = {{0, 3}}});
        const auto deleted = client.call<wire::DeleteRecordsResponse>(request, 2);
        ASSERT_EQ(deleted.topics.at(0).partitions.at(0).low_watermark, 3);
        broker.signal(SIGKILL);
        EXPECT_EQ(broker.wait(), 128 + SIGKILL);
    }
    Child again{{"serve", config}};
    RawClient reader{again.port()};
    EXPECT_EQ(fetch(reader, "t", 0, 2).error_code, ErrorCode::offset_out_of_range);
    EXPECT_EQ(fetch(reader, "t", 0, 3).log_start_offset, 3);
    EXPECT_EQ(fetch(reader, "t", 0, 3).high_watermark, 5);
}

TEST(Process, KillNineLeavesABrokersConfigsAsTheyWereAcknowledged) {
    const Folder folder;
    const auto config = folder.config(one_shard);
    {
        Child broker{{"serve", config}};
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
        wire::IncrementalAlterConfigsRequest alter;
        alter.resources.push_back({4, "", {{"message.max.bytes", 0, "100"}}});
        const auto altered = client.call<wire::IncrementalAlterConfigsResponse>(alter, 1);
        ASSERT_EQ(altered.responses.at(0).error_code, ErrorCode::none);
        broker.signal(SIGKILL);
        EXPECT_EQ(broker.wait(), 128 + SIGKILL);
    }
    Child again{{"serve", config}};
    RawClient writer{again.port()};
    EXPECT_EQ(produce(writer, "t", 0, batch_of(50)).error_code, ErrorCode::message_too_large);
}

TEST(Process, MembersOfAConsumerGroupGoOnAsTheyWereAfterAStopAndAKillNine) {
    const Folder folder;
    const auto config = folder.config();
    std::optional<Child> broker{std::in_place, std::vector<std::string>{"serve", config}};
    RawClient client{broker->port()};
    ASSERT_EQ(create_topic(client, "t", 4), ErrorCode::none);
    ConsumerMember one{broker->port(), "g", "one"}, two{broker->port(), "g", "two"};
    one.join({"t"});
    two.join({"t"});
    ASSERT_TRUE(beat_until({&one, &two}, [&] {
        return one.partitions() == 2 && two.partitions() == 2 &&
               one.describe().group_state == "Stable";
    }));
    const std::int32_t epoch = one.epoch();
    std::int64_t offset = 0;
    for (const int how : {SIGTERM, SIGKILL}) {
        const auto owned = one.owned();
        const std::int32_t mine = *owned.begin()->second.begin();
        ASSERT_EQ(one.commit("t", mine, ++offset), ErrorCode::none);
        broker->signal(how);
        EXPECT_EQ(broker->wait(), how == SIGTERM ? 0 : 128 + SIGKILL);
        broker.emplace(std::vector<std::string>{"serve", config});
        for (ConsumerMember* member : {&one, &two}) {
            member->connect(broker->port());
            EXPECT_EQ(member->beat().error_code, ErrorCode::none);
        }
        EXPECT_EQ(one.owned(), owned);
        EXPECT_EQ(one.epoch(), epoch) << "a restart is no rebalance";
        EXPECT_EQ(one.committed("t", mine), offset);
        EXPECT_EQ(two.describe().group_state, "Stable");
    }
    EXPECT_EQ(two.leave().error_code, ErrorCode::none);
    broker->signal(SIGKILL);
    broker->wait();
    broker.emplace(std::vector<std::string>{"serve", config});
    one.connect(broker->port());
    EXPECT_TRUE(beat_until({&one}, [&] { return one.partitions() == 4; })) << "two stays gone";
}

// A broker whose device does not end a sync while a file is there.
class HeldSync : public testing::Test {
protected:
    void start() {
        broker.emplace(
            std::vector<std::string>{"serve", config},
            std::vector<std::string>{"LD_PRELOAD=" HELD_SYNC, "LEAT_TEST_HOLD=" + hold.string(),
                                     "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"});
        client.emplace(broker->port());
        ASSERT_EQ(create_topic(*client, "t", 1), ErrorCode::none);
    }
    std::int32_t park_a_produce() {
        std::ofstream{hold};
        auto batch = batch_of(3);
        const auto waiting = client->send_request(produce_request("t", 0, batch, -1), 9);
        RawClient other{broker->port()};
        round_trip(other);
        return waiting;
    }
    void expect_acknowledged_and_kept(std::int32_t waiting) {
        const auto answer = client->receive_response<wire::ProduceResponse>(9, waiting);
        ASSERT_EQ(answer.responses.size(), 1u);
        EXPECT_EQ(answer.responses[0].partition_responses[0].error_code, ErrorCode::none);
        EXPECT_EQ(broker->wait(), 0) << broker->err();
        Child again{{"serve", config}};
        RawClient reader{again.port()};
        EXPECT_EQ(fetch(reader, "t", 0, 0).high_watermark, 3);
    }

    const Folder folder;
    const std::string config = folder.config(synced);
    const std::filesystem::path hold = folder / "hold";
    std::optional<Child> broker;
    std::optional<RawClient> client;
};

TEST_F(HeldSync, SigtermFinishesAParkedProduce) {
    start();
    const auto waiting = park_a_produce();
    broker->signal(SIGTERM);
    EXPECT_TRUE(broker->says("stopping reason=SIGTERM"));
    std::filesystem::remove(hold);
    expect_acknowledged_and_kept(waiting);
    EXPECT_EQ(count(broker->err(), "timed out"), 0u) << broker->err();
}

TEST_F(HeldSync, FurtherSignalsDuringTheDrainAreSaidAndChangeNothing) {
    start();
    const auto waiting = park_a_produce();
    broker->signal(SIGINT);
    EXPECT_TRUE(broker->says("stopping reason=SIGINT"));
    broker->signal(SIGTERM);
    EXPECT_TRUE(broker->says("stopping already reason=SIGTERM"));
    broker->signal(SIGINT);
    EXPECT_TRUE(broker->says("stopping already reason=SIGINT"));
    std::filesystem::remove(hold);
    expect_acknowledged_and_kept(waiting);
    EXPECT_EQ(count(broker->err(), "stopped cleanly"), 1u) << broker->err();
}

TEST(Process, AHangupStopsInOrderForTheTerminalIsGone) {
    const Folder folder;
    Child broker{{"serve", folder.config()}};
    ASSERT_NE(broker.port(), 0);
    broker.signal(SIGHUP);
    EXPECT_EQ(broker.wait(), 0);
    EXPECT_EQ(count(broker.err(), "stopping reason=SIGHUP"), 1u) << broker.err();
    EXPECT_EQ(count(broker.err(), "stopped cleanly"), 1u) << broker.err();
}

TEST(Process, AHangupIsIgnoredUnderNohup) {
    const Folder folder;
    ::signal(SIGHUP, SIG_IGN);  // As nohup does; a child inherits it.
    Child broker{{"serve", folder.config()}};
    ::signal(SIGHUP, SIG_DFL);
    const auto port = broker.port();
    ASSERT_NE(port, 0);
    broker.signal(SIGHUP);
    RawClient client{port};
    round_trip(client);
    broker.signal(SIGINT);
    EXPECT_EQ(broker.wait(), 0);
    EXPECT_EQ(count(broker.err(), "SIGHUP"), 0u) << broker.err();
}

TEST(Process, ASignalBeforeItServesStopsItAllTheSame) {
    const Folder folder;
    const auto config = folder.config();
    for (int i = 0; i < 20; ++i) {
        Child broker{{"serve", config}};
        EXPECT_TRUE(broker.says("plugin in use"));
        broker.signal(SIGTERM);
        ASSERT_EQ(broker.wait(), 0) << broker.err();
        EXPECT_EQ(count(broker.err(), "stopped cleanly"), 1u) << broker.err();
    }
}

TEST(Process, OneLinePerEventThatMattersFromStartToStop) {
    const Folder folder;
    Child broker{{"serve", folder.config(one_shard)}};
    const auto port = broker.port();
    ASSERT_NE(port, 0);
    RawClient stranger{port};
    ASSERT_TRUE(stranger.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_TRUE(stranger.closed_by_peer());
    broker.signal(SIGTERM);
    ASSERT_EQ(broker.wait(), 0);
    const std::string& log = broker.err();
    std::size_t at = 0;
    for (const std::string& line : {
             std::string{"info  starting version="},
             std::string{"info  plugin in use instance=[storage.disk] plugin=segment version="},
             std::string{"info  plugin in use instance=[replication.single] plugin=single"},
             std::string{"info  plugin in use instance=[coordination] plugin=local"},
             "info  listening listener=plain address=127.0.0.1:" + std::to_string(port),
             std::string{"info  serving cluster="},
             std::string{"warn  connection closed client=127.0.0.1:"},
             std::string{"info  stopping reason=SIGTERM"},
             std::string{"info  stopped cleanly"},
         }) {
        const auto found = log.find(line, at);
        ASSERT_NE(found, std::string::npos) << "no `" << line << "` in this place of\n" << log;
        EXPECT_EQ(count(log, line), 1u) << line << "\n" << log;
        at = found;
    }
    EXPECT_NE(log.find("HTTP"), std::string::npos) << "why, in words\n" << log;
}

}  // namespace
}  // namespace leat::app
