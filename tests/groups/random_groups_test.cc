// Random events from a printed seed, with what must hold after each of them.
#include <gtest/gtest.h>

#include <random>

#include "tests/groups/offsets.h"

namespace leat::groups {
namespace {

class RandomMember {
public:
    std::string id;
    std::optional<std::string> instance;
    std::int32_t generation = -1;
    std::string assignment;
    std::optional<Ticket> joining;
    std::optional<Ticket> syncing;
};

class RandomGroup {
public:
    explicit RandomGroup(std::uint64_t seed) : random_{seed} {}

    void step() {
        RandomMember& member = members_[pick(members_.size())];
        switch (pick(9)) {
            case 0:
            case 1:
                return join(member);
            case 2:
            case 3:
                return sync(member);
            case 4:
                return heartbeat(member);
            case 5:
                return commit_some(member);
            case 6:
                return bed_.pass(std::chrono::milliseconds{pick(4'000)});
            case 7:
                if (pick(4) == 0) leave(member);
                return;
            default:
                if (pick(8) == 0) fail_over();
        }
    }

    void check() {
        DurableGroups replayed;
        for (const Record& record : bed_.log) replayed.replay(record);
        EXPECT_EQ(replayed, bed_.machine->durable()) << "the log is what is durable";
        std::map<std::string, std::string> owners;
        for (const RandomMember& member : members_) {
            if (member.generation != newest_ || member.assignment.empty()) continue;
            const auto [owner, first] = owners.emplace(member.assignment, member.id);
            EXPECT_TRUE(first) << member.id << " and " << owner->second << " own the same";
        }
        EXPECT_GE(fetched(bed_, "t", 0), committed_) << "committed offsets never go back";
        committed_ = fetched(bed_, "t", 0);
    }

private:
    std::uint32_t pick(std::size_t below) { return static_cast<std::uint32_t>(random_() % below); }

    void join(RandomMember& member) {
        if (member.instance && pick(3) == 0) member.id.clear();
        auto request = join_request(member.id, member.instance);
        if (pick(5) == 0) request.protocols.pop_back();
        member.joining = bed_.join(request);
        member.syncing.reset();
        take_answers();
    }
    void sync(RandomMember& member) {
        if (member.generation < 0) return;
        std::vector<wire::SyncGroupRequest::Assignment> assignments;
        int part = 0;
        for (const RandomMember& each : members_) {
            assignments.push_back({each.id, bytes_of("part " + std::to_string(++part))});
        }
        auto request = sync_request(member.id, member.generation, assignments);
        request.protocol_name.reset();
        member.syncing = bed_.sync(request);
        take_answers();
    }
    void heartbeat(RandomMember& member) {
        const auto error = bed_.heartbeat(member.id, member.generation, member.instance);
        if (error == ErrorCode::unknown_member_id || error == ErrorCode::fenced_instance_id) {
            forget(member);
        }
    }
    void commit_some(RandomMember& member) {
        const std::int64_t next = committed_ + 1;
        commit(bed_, {.member = member.id, .generation = member.generation, .offset = next});
    }
    void leave(RandomMember& member) {
        bed_.leave(member.id, member.instance);
        forget(member);
        take_answers();
    }
    void fail_over() {
        bed_.fail_over();
        for (RandomMember& member : members_) {
            member.joining.reset();
            member.syncing.reset();
        }
    }
    static void forget(RandomMember& member) { member = {.id = {}, .instance = member.instance}; }

    void take_answers() {
        for (RandomMember& member : members_) {
            if (member.joining && bed_.answered(*member.joining)) {
                const auto joined = bed_.joined(*member.joining);
                member.joining.reset();
                member.assignment.clear();
                if (joined.error_code == ErrorCode::member_id_required ||
                    joined.error_code == ErrorCode::none) {
                    member.id = joined.member_id;
                }
                if (joined.error_code == ErrorCode::unknown_member_id) forget(member);
                member.generation = joined.generation_id;
                newest_ = std::max(newest_, joined.generation_id);
            }
            if (member.syncing && bed_.answered(*member.syncing)) {
                const auto synced = bed_.synced(*member.syncing);
                member.syncing.reset();
                const auto* text = reinterpret_cast<const char*>(synced.assignment.data());
                member.assignment = {text, synced.assignment.size()};
            }
        }
    }

    std::mt19937_64 random_;
    Bed bed_;
    std::int32_t newest_ = 0;
    std::int64_t committed_ = -1;
    std::vector<RandomMember> members_ = {{}, {}, {}, {.instance = "s"}, {.instance = "u"}};
};

TEST(RandomGroups, OwnEachPartOnceAndLoseNothing) {
    const std::uint64_t first = std::random_device{}();
    for (std::uint64_t seed = first; seed < first + 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGroup group{seed};
        for (int i = 0; i < 2'000 && !::testing::Test::HasFailure(); ++i) {
            group.step();
            group.check();
        }
        if (::testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace leat::groups
