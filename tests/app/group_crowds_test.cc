// Crowds of members and of groups against the program: how many rebalances a join storm takes, and
// what many groups keep, over a kill -9, in memory and in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "core/wire/messages/list_groups.h"
#include "tests/app/broker_process.h"
#include "tests/app/classic_member.h"
#include "tests/app/consumer_member.h"
#include "tests/app/exchange.h"
#include "tests/app/footprint.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

std::string with_delay(const std::string& delay) {
    return "[limits]\nconnections_per_address = 1000\n[network]\nshards = 2\n"
           "[log]\nlevel = \"warn\"\n[group_coordinator]\ninitial_rebalance_delay = \"" +
           delay + "\"\n";
}

TEST(JoinStorm, FiveHundredMembersInTwoWavesTakeTwoGenerationsEachAtMost) {
    constexpr std::int32_t partitions = 50;
    BrokerProcess broker{with_delay("500ms")};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", partitions), ErrorCode::none);
    std::vector<std::unique_ptr<ClassicMember>> crowd;
    std::vector<ClassicMember*> members;
    std::int32_t before = 0;
    for (const std::size_t many : {250, 500}) {  // At first after the delay, then at once.
        while (members.size() < many) {
            crowd.push_back(std::make_unique<ClassicMember>(broker.port(), "g", partitions));
            members.push_back(crowd.back().get());
        }
        ASSERT_TRUE(turn_until(members, [&] { return settled(members, partitions); }));
        EXPECT_LE(members[0]->generation(), before + 2);
        before = members[0]->generation();
    }
}

// Each that comes is a new epoch there, and nobody waits for all: what counts is that the group
// does not take a step of its own for each of them.
TEST(JoinStorm, FiveHundredMembersOfKip848SettleInAFewHeartbeats) {
    constexpr std::size_t many = 500;
    BrokerProcess broker{with_delay("0s")};
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", many), ErrorCode::none);
    std::vector<std::unique_ptr<ConsumerMember>> crowd;
    for (std::size_t i = 0; i < many; ++i) {
        crowd.push_back(
            std::make_unique<ConsumerMember>(broker.port(), "g", "member-" + std::to_string(i)));
    }
    const auto each_at_once = [&](auto act) {
        constexpr std::size_t threads = 8;
        std::vector<std::thread> all;
        for (std::size_t t = 0; t < threads; ++t) {
            all.emplace_back([&, t] {
                for (std::size_t i = t; i < many; i += threads) {
                    EXPECT_EQ(act(*crowd[i]).error_code, ErrorCode::none);
                }
            });
        }
        for (std::thread& thread : all) thread.join();
    };
    each_at_once([](ConsumerMember& member) { return member.join({"t"}); });
    const auto settled = [&] {
        return std::ranges::all_of(crowd, [](const auto& m) { return m->partitions() == 1; });
    };
    // The last assignment is made after the last one has come: until then they only have to ask.
    ASSERT_TRUE(beat_until({crowd[0].get()}, [&] {
        const auto group = crowd[0]->describe();
        return group.assignment_epoch == group.group_epoch;
    }));
    int rounds = 0;
    for (; rounds < 20 && !settled(); ++rounds) {
        each_at_once([](ConsumerMember& member) { return member.beat(); });
    }
    EXPECT_LE(rounds, 5) << "told to give back, have given back, get";
    std::set<std::pair<sdk::Uuid, std::int32_t>> owned;
    for (const auto& member : crowd) {
        for (const auto& [topic, of_topic] : member->owned()) {
            for (const std::int32_t each : of_topic) owned.emplace(topic, each);
        }
    }
    EXPECT_EQ(owned.size(), many);
}

// 10,000 groups: every other one has a member, all have an offset.
class TenThousandGroups : public testing::Test {
protected:
    static constexpr int many = 10'000;
    static constexpr int at_once = 100;  // Requests of one connection that nobody has answered.

    static std::string name(int i) { return "group-" + std::to_string(i); }
    static bool has_member(int i) { return i % 2 == 0; }

    // `send(i)` for each that `wanted` says, `receive(i, correlation)` in the same order.
    template <class Wanted, class Send, class Receive>
    static void for_each(Wanted wanted, Send send, Receive receive) {
        std::vector<std::pair<int, std::int32_t>> sent;
        const auto receive_all = [&] {
            for (const auto& [i, correlation] : sent) receive(i, correlation);
            sent.clear();
        };
        for (int i = 0; i < many; ++i) {
            if (wanted(i)) sent.emplace_back(i, send(i));
            if (sent.size() == at_once) receive_all();
        }
        receive_all();
    }
    static bool all(int) { return true; }

    void join_all(RawClient& client) {
        constexpr wire::Version joins_at_once = 3;
        for_each(
            has_member,
            [&](int i) { return client.send_request(classic_join(name(i)), joins_at_once); },
            [&](int i, std::int32_t correlation) {
                const auto joined =
                    client.receive_response<wire::JoinGroupResponse>(joins_at_once, correlation);
                ASSERT_EQ(joined.error_code, ErrorCode::none);
                members[i] = joined.member_id;
            });
        for_each(
            has_member,
            [&](int i) {
                return client.send_request(
                    wire::SyncGroupRequest{
                        .group_id = name(i), .generation_id = 1, .member_id = members[i]},
                    3);
            },
            [&](int, std::int32_t correlation) {
                EXPECT_EQ(
                    client.receive_response<wire::SyncGroupResponse>(3, correlation).error_code,
                    ErrorCode::none);
            });
    }
    void commit_all(RawClient& client) {
        for_each(
            all,
            [&](int i) {
                wire::OffsetCommitRequest request{.group_id = name(i)};
                if (has_member(i)) {
                    request.member_id = members[i];
                    request.generation_id_or_member_epoch = 1;
                }
                request.topics.push_back({.name = "t"});
                request.topics[0].partitions.push_back({.committed_offset = i});
                return client.send_request(request, 9);
            },
            [&](int i, std::int32_t correlation) {
                const auto response =
                    client.receive_response<wire::OffsetCommitResponse>(9, correlation);
                ASSERT_EQ(response.topics.at(0).partitions.at(0).error_code, ErrorCode::none) << i;
            });
    }
    void expect_all_there(RawClient& client) {
        auto list = client.call<wire::ListGroupsResponse>(wire::ListGroupsRequest{}, 5);
        while (list.error_code == ErrorCode::coordinator_load_in_progress)
            list = client.call<wire::ListGroupsResponse>(wire::ListGroupsRequest{}, 5);
        EXPECT_EQ(list.error_code, ErrorCode::none);
        std::map<std::string, std::string> states;
        for (const auto& group : list.groups) states[group.group_id] = group.group_state;
        ASSERT_EQ(states.size(), std::size_t{many});
        for (int i = 0; i < many; ++i) {
            ASSERT_EQ(states[name(i)], has_member(i) ? "Stable" : "Empty") << i;
        }
        for_each(
            all,
            [&](int i) {
                wire::OffsetFetchRequest request{.groups = {{.group_id = name(i)}}};
                return client.send_request(request, 9);
            },
            [&](int i, std::int32_t correlation) {
                const auto response =
                    client.receive_response<wire::OffsetFetchResponse>(9, correlation);
                const auto& group = response.groups.at(0);
                ASSERT_EQ(group.error_code, ErrorCode::none);
                ASSERT_EQ(group.topics.at(0).partitions.at(0).committed_offset, i);
            });
    }
    void expect_members(RawClient& client) {
        for_each(
            has_member,
            [&](int i) {
                return client.send_request(
                    wire::HeartbeatRequest{
                        .group_id = name(i), .generation_id = 1, .member_id = members[i]},
                    4);
            },
            [&](int, std::int32_t correlation) {
                ASSERT_EQ(
                    client.receive_response<wire::HeartbeatResponse>(4, correlation).error_code,
                    ErrorCode::none);
            });
    }
    void expect_small(const Footprint& footprint) {
        EXPECT_LE(footprint.grown() / many, 8 * kib);  // Of 2 to 3 KiB on a machine of 64 bits.
    }

    BrokerProcess broker{with_delay("0s")};
    std::map<int, std::string> members;
};

TEST_F(TenThousandGroups, AreListedKeptOverAKillAndTakeLittleMemory) {
    {
        RawClient client{broker.port()};
        ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
        find_coordinator(client, "g");
        Footprint footprint{std::to_string(broker.pid())};
        footprint.remember();
        join_all(client);
        commit_all(client);
        expect_all_there(client);
        expect_small(footprint);
    }
    broker.restart(SIGKILL);
    RawClient client{broker.port()};
    Footprint footprint{std::to_string(broker.pid())};
    footprint.remember();
    expect_all_there(client);
    expect_members(client);
    expect_small(footprint);
}

}  // namespace
}  // namespace leat::app
