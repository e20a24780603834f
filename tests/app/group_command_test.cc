// `leat group` against a real broker with real members: what it prints, for people and for
// programs, and its codes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/app/client_commands/offset_choice.h"
#include "core/app/client_commands/table.h"
#include "tests/app/broker_process.h"
#include "tests/app/classic_member.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using nlohmann::json;
using wire::ErrorCode;

// One member, static, that has read some of topic t, of three partitions with two records each.
class GroupCommand : public testing::Test {
protected:
    void SetUp() override {
        // Its records are years old.
        ASSERT_EQ(create_topic(client, "t", 3, {{.name = "retention.ms", .value = "-1"}}),
                  ErrorCode::none);
        for (std::int32_t partition = 0; partition < 3; ++partition) {
            ASSERT_EQ(produce(client, "t", partition, batch_of(2)).error_code, ErrorCode::none);
        }
        find_coordinator(client, "shop");
        join();
        commit();
    }

    void join() {
        const auto subscription = wire::encode_subscription({.topics = {"t"}, .rack_id = "r1"}, 3);
        ASSERT_TRUE(subscription);
        const wire::JoinGroupRequest request{.group_id = "shop",
                                             .session_timeout_ms = 300'000,
                                             .rebalance_timeout_ms = 300'000,
                                             .group_instance_id = "till-1",
                                             .protocol_type = "consumer",
                                             .protocols = {{"range", *subscription}}};
        const auto joined = client.call<wire::JoinGroupResponse>(request, 9);
        ASSERT_EQ(joined.error_code, ErrorCode::none);
        member = joined.member_id;
        generation = joined.generation_id;
        const auto all = wire::encode_assignment(
            {.assigned_partitions = {{.topic = "t", .partitions = {0, 1}}}}, 3);
        ASSERT_TRUE(all);
        const wire::SyncGroupRequest sync{.group_id = "shop",
                                          .generation_id = generation,
                                          .member_id = member,
                                          .group_instance_id = "till-1",
                                          .protocol_type = "consumer",
                                          .protocol_name = "range",
                                          .assignments = {{member, *all}}};
        ASSERT_EQ(client.call<wire::SyncGroupResponse>(sync, 5).error_code, ErrorCode::none);
    }

    // One record of partition 0, both of partition 1, nothing of partition 2.
    void commit() {
        wire::OffsetCommitRequest request{.group_id = "shop",
                                          .generation_id_or_member_epoch = generation,
                                          .member_id = member,
                                          .group_instance_id = "till-1"};
        request.topics.push_back({.name = "t"});
        for (std::int32_t partition = 0; partition < 2; ++partition) {
            request.topics[0].partitions.push_back(
                {.partition_index = partition, .committed_offset = 1 + partition});
        }
        const auto done = client.call<wire::OffsetCommitResponse>(request, 9);
        for (const auto& each : done.topics.at(0).partitions) {
            ASSERT_EQ(each.error_code, ErrorCode::none);
        }
    }

    void leave() {
        wire::LeaveGroupRequest request{.group_id = "shop"};
        request.members.push_back({.member_id = member, .group_instance_id = "till-1"});
        ASSERT_EQ(client.call<wire::LeaveGroupResponse>(request, 4).error_code, ErrorCode::none);
    }

    BrokerProcess broker{"[group_coordinator]\ninitial_rebalance_delay = \"0s\"\n"};
    RawClient client{broker.port()};
    std::string member;
    std::int32_t generation = -1;
};

TEST_F(GroupCommand, ListsByStateAndType) {
    const std::string header = "group  state   type     protocol  coordinator\n";
    const std::string shop = "shop   Stable  classic  consumer            1\n";
    EXPECT_EQ(broker.run({"group", "list"}).out, header + shop);
    EXPECT_EQ(broker.run({"group", "list", "--state", "stable", "--type", "classic"}).out,
              header + shop);
    const auto none = broker.run({"group", "list", "--state", "Empty"});
    EXPECT_EQ(none.code, 0) << none.err;
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(json::parse(broker.run({"group", "list", "--json"}).out), json::parse(R"([{
        "group": "shop", "state": "Stable", "type": "classic", "protocol_type": "consumer",
        "coordinator": 1}])"));
}

TEST_F(GroupCommand, DescribesMembersAndWhatTheyHave) {
    const auto said = broker.run({"group", "describe", "shop"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(
        said.out.starts_with("shop  Stable, classic, 1 member, assignor range, coordinator 1 at " +
                             broker.address() + "\n"))
        << said.out;
    EXPECT_EQ(count(said.out, "  till-1  "), 1u) << said.out;
    EXPECT_EQ(count(said.out, "  r1        2  t/0,1\n"), 1u) << said.out;
    const auto group = json::parse(broker.run({"group", "describe", "shop", "--json"}).out).at(0);
    EXPECT_EQ(group["state"], "Stable");
    EXPECT_EQ(group["assignor"], "range");
    EXPECT_EQ(group["coordinator_address"], broker.address());
    const auto& told = group["members"].at(0);
    EXPECT_EQ(told["id"], member);
    EXPECT_EQ(told["instance"], "till-1");
    EXPECT_EQ(told["rack"], "r1");
    EXPECT_EQ(told["topics"], json::parse(R"(["t"])"));
    EXPECT_EQ(told["assigned"], json::parse(R"({"t": [0, 1]})"));
    EXPECT_EQ(told["epoch"], nullptr);
}

TEST_F(GroupCommand, SaysTheLagByPartitionTopicAndMember) {
    const auto said = broker.run({"group", "lag", "shop"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.out,
              "shop  Stable\n"
              "topic  partition  committed  end  lag  owner\n"
              "t              0          1    2    1  till-1\n"
              "t              1          2    2    0  till-1\n"
              "t              2          -    2    -  -\n"
              "\n"
              "topic  partitions  unknown  lag\n"
              "t               3        1    1\n"
              "\n"
              "member  partitions  unknown  lag\n"
              "till-1           2        0    1\n");
    const auto all = json::parse(broker.run({"group", "lag", "--all", "--json"}).out);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0]["partitions"][0]["lag"], 1);
    EXPECT_EQ(all[0]["partitions"][0]["owner"], member);
    EXPECT_EQ(all[0]["partitions"][2]["committed"], nullptr);
    EXPECT_EQ(all[0]["topics"], json::parse(R"([{
        "topic": "t", "partitions": 3, "unknown": 1, "lag": 1}])"));
}

TEST_F(GroupCommand, ExportsWhoHasWhatAndHowFarBehindItIs) {
    const auto said = broker.run({"group", "export", "shop"});
    ASSERT_EQ(said.code, 0) << said.err;
    const auto snapshot = json::parse(said.out);
    EXPECT_EQ(snapshot["format"], "leat group snapshot");
    EXPECT_EQ(snapshot["version"], 1);
    EXPECT_EQ(snapshot["group"], "shop");
    EXPECT_EQ(snapshot["type"], "classic");
    EXPECT_EQ(snapshot["assignor"], "range");
    EXPECT_EQ(snapshot["members"], (json::array({{{"id", member},
                                                  {"instance", "till-1"},
                                                  {"client_id", "test"},
                                                  {"host", "/127.0.0.1"},
                                                  {"rack", "r1"},
                                                  {"topics", {"t"}},
                                                  {"assigned", {{"t", {0, 1}}}},
                                                  {"owned", json::object()}}})));
    const auto& topic = snapshot["topics"].at(0);
    EXPECT_EQ(topic["name"], "t");
    EXPECT_EQ(topic["id"].get<std::string>().size(), 22u);
    EXPECT_EQ(topic["partitions"], json::parse(R"([{"lag": 1, "racks": []},
        {"lag": 0, "racks": []}, {"lag": null, "racks": []}])"));
    leave();
    const auto empty = json::parse(broker.run({"group", "export", "shop"}).out);
    EXPECT_EQ(empty["state"], "Empty");
    EXPECT_EQ(empty["members"], json::array());
    EXPECT_EQ(empty["topics"].size(), 1u) << "it has committed something there";
}

TEST_F(GroupCommand, ATopicThatIsGoneHasNoEnd) {
    ASSERT_EQ(broker.run({"topic", "delete", "t"}).code, 0);
    const auto said = broker.run({"group", "lag", "shop", "--json"});
    ASSERT_EQ(said.code, 0) << said.err;
    const auto group = json::parse(said.out).at(0);
    ASSERT_FALSE(group["partitions"].empty());
    for (const auto& each : group["partitions"]) {
        EXPECT_EQ(each["end"], nullptr);
        EXPECT_EQ(each["lag"], nullptr);
    }
}

TEST_F(GroupCommand, DeletesOnlyWhatNobodyUses) {
    auto said = broker.run({"group", "delete", "shop"});
    EXPECT_EQ(said.code, 1);
    EXPECT_TRUE(said.err.starts_with("leat: group shop: NON_EMPTY_GROUP: ")) << said.err;
    said = broker.run({"group", "delete", "shop", "--offsets", "--topic", "t"});
    EXPECT_EQ(said.code, 1);
    EXPECT_TRUE(said.err.starts_with("leat: group shop, t/0: GROUP_SUBSCRIBED_TO_TOPIC"))
        << said.err;
    leave();
    said = broker.run({"group", "delete", "shop", "--offsets", "--topic", "t:1"});
    EXPECT_EQ(said.out, "shop: offsets deleted of t/1\n") << said.err;
    const auto left = json::parse(broker.run({"group", "lag", "shop", "--json"}).out).at(0);
    ASSERT_EQ(left["partitions"].size(), 1u);
    EXPECT_EQ(left["partitions"][0]["partition"], 0);
    EXPECT_EQ(broker.run({"group", "delete", "shop"}).out, "shop deleted\n");
    EXPECT_EQ(broker.run({"group", "list"}).out, "");
    said = broker.run({"group", "delete", "shop", "--if-exists", "--json"});
    EXPECT_EQ(json::parse(said.out), json::parse(R"([{"group": "shop", "deleted": false}])"));
}

TEST_F(GroupCommand, ResetsWhereAGroupWithoutMembersGoesOn) {
    auto said = broker.run({"group", "reset", "shop", "--topic", "t", "--to-earliest"});
    EXPECT_EQ(said.code, 1);
    EXPECT_EQ(said.err,
              "leat: group shop has members, 1 of them: stop them first, or they would go on as "
              "they do\n");
    leave();
    const auto reset = [this](std::vector<std::string> how) {
        how.insert(how.begin(), {"group", "reset", "shop"});
        return broker.run(how);
    };
    const auto committed = [this](std::size_t partition) {
        const auto lag = json::parse(broker.run({"group", "lag", "shop", "--json"}).out).at(0);
        return lag["partitions"].at(partition)["committed"];
    };
    said = reset({"--topic", "t", "--to-latest"});
    EXPECT_EQ(said.out,
              "topic  partition  begin  end  committed  new\n"
              "t              0      0    2          1    2\n"
              "t              1      0    2          2    2\n"
              "t              2      0    2          -    2\n"
              "\nNothing is changed: --execute does it.\n")
        << said.err;
    EXPECT_EQ(committed(0), 1) << "it was a dry run";
    EXPECT_EQ(count(reset({"--topic", "t", "--to-earliest", "--execute"}).out, "\nDone.\n"), 1u);
    EXPECT_EQ(committed(2), 0);
    struct Way {
        std::vector<std::string> how;
        std::int64_t at;  // Where partition 1 is then.
    };
    const auto file = broker.folder().write("offsets.csv", "t,1,1\r\n\nt,0,2\n");
    const Way all[] = {
        {{"--topic", "t:1", "--shift", "1"}, 1},
        {{"--topic", "t:0,1", "--shift", "-5"}, 0},
        {{"--topic", "t:1", "--to-offset", "99"}, 2},
        {{"--topic", "t:1", "--to-time", "@1700000000001"}, 1},
        {{"--topic", "t:1", "--to-time", "2023-11-14T22:13:20Z"}, 0},
        {{"--topic", "t:1", "--by-duration", "1s"}, 2},
        {{"--from-file", file}, 1},
    };
    for (auto [how, at] : all) {
        how.push_back("--execute");
        how.push_back("--json");
        const auto done = reset(how);
        ASSERT_EQ(done.code, 0) << done.err;
        EXPECT_TRUE(json::parse(done.out)["executed"]);
        EXPECT_EQ(committed(1), at) << how[2];
    }
    EXPECT_EQ(committed(0), 2) << "of the file";
    said = broker.run({"group", "reset", "new", "--topic", "t:2", "--to-latest", "--execute"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(count(broker.run({"group", "list"}).out, "\nnew "), 1u) << "it begins with this";
}

TEST_F(GroupCommand, AResetThatCannotBeIsOneSentence) {
    leave();
    const auto twice = broker.folder().write("twice.csv", "t,1,1\nt,1,2\n");
    const std::pair<std::vector<std::string>, std::string> all[] = {
        {{"--topic", "u", "--to-latest"}, "leat: topic u: UNKNOWN_TOPIC_OR_PARTITION: "},
        {{"--topic", "t:3", "--to-latest"}, "leat: topic t has no partition 3: it has 3\n"},
        {{"--topic", "t", "--shift", "1"},
         "leat: --shift needs a committed offset, and t/2 has none\n"},
        {{"--from-file", "/nowhere"}, "leat: cannot read /nowhere\n"},
        {{"--from-file", twice}, "leat: " + twice + ": line 2 names t/1 again\n"},
    };
    for (auto [arguments, says] : all) {
        arguments.insert(arguments.begin(), {"group", "reset", "shop"});
        const auto said = broker.run(arguments);
        EXPECT_EQ(said.code, 1) << says;
        EXPECT_EQ(said.out, "");
        EXPECT_TRUE(said.err.starts_with(says)) << said.err;
        EXPECT_EQ(count(said.err, "\n"), 1u) << said.err;
    }
}

TEST(GroupReset, ReadsOffsetsAndChoicesOfPartitions) {
    EXPECT_EQ(*parse_offsets("a,0,5\na,1,6\r\n\nb.c,0,9223372036854775807"),
              (client::GroupOffsets{{"a", {{0, 5}, {1, 6}}}, {"b.c", {{0, INT64_MAX}}}}));
    for (const auto* text : {"", "\n", "a", "a,0", ",0,5", "a,-1,5", "a,0,-5", "a,0,5x", "a,,5",
                             "a,0,9223372036854775808", "a,0,5\na,0,5"}) {
        EXPECT_FALSE(parse_offsets(text)) << text;
    }
    EXPECT_EQ(parse_topic_choice("t")->partitions, std::vector<std::int32_t>{});
    EXPECT_EQ(parse_topic_choice("t:2,0,2")->partitions, (std::vector<std::int32_t>{0, 2}));
    for (const auto* text : {"", ":1", "t:", "t:1,", "t:,1", "t:-1", "t:x", "t:2147483648"}) {
        EXPECT_FALSE(parse_topic_choice(text)) << text;
    }
}

TEST_F(GroupCommand, ARefusalIsOneSentenceAndEndsWithOne) {
    const std::pair<std::vector<std::string>, std::string> all[] = {
        {{"group", "describe", "shp"}, "leat: there is no group shp; did you mean `shop`?\n"},
        {{"group", "lag", "shp"}, "leat: there is no group shp; did you mean `shop`?\n"},
        {{"group", "delete", "shp"}, "leat: there is no group shp; did you mean `shop`?\n"},
        {{"group", "export", "shp"}, "leat: there is no group shp; did you mean `shop`?\n"},
        {{"group", "delete", "shop", "--offsets", "--topic", "u"},
         "leat: the group has committed nothing for topic u\n"},
        {{"group", "delete", "shop", "--offsets", "--topic", "t:7"},
         "leat: the group has committed nothing for `7` of topic t\n"},
        {{"group", "delete", "shop", "--offsets", "--topic", "t:"},
         "leat: the group has committed nothing for `` of topic t\n"},
    };
    for (const auto& [arguments, says] : all) {
        const auto said = broker.run(arguments);
        EXPECT_EQ(said.code, 1) << says;
        EXPECT_EQ(said.out, "") << says;
        EXPECT_EQ(said.err, says);
    }
}

TEST(GroupCommandLine, AWrongOneEndsWithTwo) {
    const std::vector<std::string> all[] = {
        {"group"},
        {"group", "lst"},
        {"group", "describe"},
        {"group", "delete"},
        {"group", "export"},
        {"group", "lag", "-b", "127.0.0.1:1"},
        {"group", "lag", "shop", "--all", "-b", "127.0.0.1:1"},
        {"group", "delete", "shop", "--offsets", "-b", "127.0.0.1:1"},
        {"group", "delete", "shop", "--topic", "t", "-b", "127.0.0.1:1"},
        {"group", "reset", "shop", "--topic", "t", "-b", "127.0.0.1:1"},
        {"group", "reset", "shop", "--to-latest", "-b", "127.0.0.1:1"},
        {"group", "reset", "shop", "--topic", "t", "--to-latest", "--to-earliest"},
        {"group", "reset", "shop", "--topic", "t", "--to-offset", "-1"},
        {"group", "reset", "shop", "--topic", "t:", "--to-latest", "-b", "127.0.0.1:1"},
        {"group", "reset", "shop", "--topic", "t", "--topic", "t:1", "--to-latest"},
        {"group", "reset", "shop", "--topic", "t", "--to-time", "10min", "-b", "127.0.0.1:1"},
        {"group", "reset", "shop", "--topic", "t", "--by-duration", "soon"},
        {"group", "reset", "shop", "--topic", "t", "--from-file", "f", "-b", "127.0.0.1:1"},
    };
    for (const auto& arguments : all) {
        const auto said = run(arguments);
        EXPECT_EQ(said.code, 2) << said.err;
        EXPECT_EQ(said.out, "");
        EXPECT_TRUE(said.err.starts_with("leat: ")) << said.err;
    }
}

TEST(Table, IsAsWideAsItsCellsAndShowsNoControlCharacters) {
    Table table{{{"name"}, {"count", true}, {"note"}}};
    table.add({"\xc3\xa4rger", "7", ""});
    table.add({"b\x1b[2J", "12345678", "last"});
    EXPECT_EQ(table.text(),
              "name         count  note\n"
              "\xc3\xa4rger            7  -\n"
              "b\\x1b[2J  12345678  last\n");
}

}  // namespace
}  // namespace leat::app
