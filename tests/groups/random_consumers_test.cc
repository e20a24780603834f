// Random events in a group of KIP-848, from a printed seed, with what must hold after each of them.
#include <gtest/gtest.h>

#include <random>

#include "tests/groups/consumer_bed.h"

namespace leat::groups {
namespace {

class RandomConsumers {
public:
    explicit RandomConsumers(std::uint64_t seed) : random_{seed} {
        bed_.topic("t", 1, 4);
        bed_.topic("u", 2, 3);
        for (int i = 0; i < 4; ++i) {
            const std::string name = std::to_string(i);
            members_.emplace_back(bed_, "m" + name,
                                  i == 3 ? std::optional{"i" + name} : std::nullopt);
        }
    }

    void step() {
        Consumer& member = members_[pick(members_.size())];
        switch (pick(10)) {
            case 0:
            case 1:
            case 2:
                return beat(member);
            case 3:
                return member.revoke();
            case 4:
                return subscribe(member);
            case 5:
                return answer();
            case 6:
                return bed_.pass(std::chrono::milliseconds{pick(9'000)});
            case 7:
                if (pick(4) == 0) leave(member);
                return;
            case 8:
                if (pick(6) == 0) change_topics();
                return;
            default:
                if (pick(10) == 0) fail_over();
        }
    }

    void check() {
        DurableGroups replayed;
        for (const Record& record : bed_.log) replayed.replay(record);
        EXPECT_EQ(replayed, bed_.machine->durable()) << "the log is what is durable";
        Coordinator next{bed_.limits, bed_.make_id,
                         [this]() -> const cluster::Image& { return bed_.image; }};
        for (const Record& record : bed_.log) next.replay(record);
        next.loaded(bed_.now);
        EXPECT_EQ(next.describe_consumer_group("g"), bed_.described()) << "and all that counts";
        check_owners();
    }

    // When nothing happens any more each partition has one owner, who subscribes to it.
    void come_to_rest() {
        std::vector<Consumer*> all;
        for (Consumer& member : members_) all.push_back(&member);
        // A session and more, in which those go that nobody plays any more.
        for (int i = 0; i < 20; ++i) {
            for (Consumer* member : all) {
                if (member->epoch == joins) join(*member);
            }
            bed_.assign();
            for (Consumer* member : all) {
                if (member->epoch != joins) member->beat();
                member->revoke();
            }
            bed_.pass(4s);
        }
        EXPECT_EQ(bed_.described().group_state, "Stable");
        std::set<std::int32_t> owned;
        std::size_t count = 0;
        for (const Consumer& member : members_) {
            const auto of_t = member.of(1);
            owned.insert(of_t.begin(), of_t.end());
            count += of_t.size();
        }
        EXPECT_EQ(count, owned.size());
        if (subscribes_to_t()) {
            EXPECT_EQ(owned.size(), bed_.image.topic("t")->partitions.size());
        }
    }

private:
    std::uint32_t pick(std::size_t below) { return static_cast<std::uint32_t>(random_() % below); }

    bool subscribes_to_t() const {
        return std::ranges::any_of(bed_.described().members, [](const auto& member) {
            return std::ranges::count(member.subscribed_topic_names, "t") > 0;
        });
    }
    // A client that the group does not count as a member any more can not know it yet; its commits
    // are refused.
    void check_owners() {
        const auto group = bed_.described();
        std::map<std::pair<sdk::Uuid, std::int32_t>, std::string> owners;
        std::map<std::pair<sdk::Uuid, std::int32_t>, std::string> held;
        for (const auto& member : group.members) {
            for (const auto& topic : member.assignment.topic_partitions) {
                for (const std::int32_t partition : topic.partitions) {
                    const auto [at, first] =
                        held.emplace(std::pair{topic.topic_id, partition}, member.member_id);
                    EXPECT_TRUE(first) << member.member_id << " and " << at->second;
                }
            }
            const auto client = std::ranges::find(members_, member.member_id, &Consumer::id);
            // A static member's id from before is nobody's.
            if (client == members_.end() || client->epoch <= joins) continue;
            for (const auto& [topic, partitions] : client->owned) {
                for (const std::int32_t partition : partitions) {
                    const auto [at, first] =
                        owners.emplace(std::pair{topic, partition}, client->id);
                    EXPECT_TRUE(first)
                        << client->id << " and " << at->second << " own " << partition;
                }
            }
        }
    }
    void join(Consumer& member) {
        if (member.instance && pick(2) == 0) member.id = "s" + std::to_string(++static_ids_);
        member.join(pick(3) == 0 ? std::vector<std::string>{"t", "u"}
                                 : std::vector<std::string>{"t"});
    }
    void beat(Consumer& member) {
        if (member.epoch == joins) return join(member);
        if (pick(6) == 0) {
            bed_.beat(member.request());
            member.lost_answer = true;
            return;
        }
        member.beat();
    }
    void subscribe(Consumer& member) {
        if (member.epoch == joins) return;
        auto request = member.request();
        switch (pick(4)) {
            case 0:
                request.subscribed_topic_names = {"t", "u"};
                break;
            case 1:
                request.subscribed_topic_names = {"u"};
                break;
            case 2:
                request.subscribed_topic_regex = "t|u";
                break;
            default:
                request.subscribed_topic_regex = "";
        }
        if (request.subscribed_topic_names) member.names = *request.subscribed_topic_names;
        member.hear(bed_.beat(request));
    }
    void answer() {
        if (bed_.asked.empty()) return;
        bed_.shift = pick(4);
        if (pick(5) != 0) return bed_.tell(bed_.outcome());
        auto failed = bed_.outcome();
        failed.assignment = sdk::Error{sdk::Errc::internal, "it failed"};
        bed_.tell(failed);
    }
    void leave(Consumer& member) {
        const bool stays = member.instance && pick(2) == 0;
        bed_.beat(leave_heartbeat(member.id, stays ? leaves_for_a_while : leaves, member.instance));
        member.epoch = joins;
        member.owned.clear();
        member.told.clear();
    }
    void change_topics() {
        const bool there = bed_.image.topic("u") != nullptr;
        if (there && pick(2) == 0) return bed_.remove_topic("u");
        if (!there) ++id_of_u_;
        bed_.topic("u", id_of_u_, 3 + pick(3));
    }
    void fail_over() {
        bed_.asked.clear();
        bed_.fail_over();
    }

    std::mt19937_64 random_;
    ConsumerBed bed_;
    std::vector<Consumer> members_;
    int static_ids_ = 0;
    std::uint8_t id_of_u_ = 2;
};

TEST(RandomEventsOfConsumers, NeverGiveAPartitionToTwo) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomConsumers run{seed};
        for (int i = 0; i < 300; ++i) {
            run.step();
            run.check();
            if (testing::Test::HasFailure()) return;
        }
        run.come_to_rest();
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace leat::groups
