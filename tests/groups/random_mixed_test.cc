// Random events in a group in which clients of both protocols come and go, so that it changes its
// kind over and over, from a printed seed, with what must hold after each of them.
#include <gtest/gtest.h>

#include <random>

#include "tests/groups/mixed_bed.h"

namespace leat::groups {
namespace {

class RandomMixed {
public:
    RandomMixed(std::uint64_t seed, const std::string& protocol) : random_{seed} {
        bed_.limits.initial_rebalance_delay = 0ms;
        bed_.start();
        bed_.topic("t", 1, 4);
        bed_.topic("u", 2, 3);
        for (int i = 0; i < 3; ++i) {
            const auto instance = i == 2 ? std::optional<std::string>{"i"} : std::nullopt;
            classic_.emplace_back(bed_, protocol, instance);
            consumers_.emplace_back(bed_, "m" + std::to_string(i), instance);
        }
    }

    void step() {
        const bool classic = pick(2) == 0;
        ClassicConsumer& old = classic_[pick(classic_.size())];
        Consumer& young = consumers_[pick(consumers_.size())];
        switch (pick(12)) {
            case 0:
            case 1:
            case 2:
                return classic ? take_step(old) : beat(young);
            case 3:
                return classic ? old.revoke() : young.revoke();
            case 4:
            case 5:
                return answer();
            case 6:
                return bed_.pass(std::chrono::milliseconds{pick(4'000)});
            case 7:
                if (pick(4) == 0) classic ? leave(old) : leave(young);
                return;
            case 8:
                if (pick(6) == 0) old.topics = pick(2) == 0 ? only_t : both;
                return;
            case 9:
                if (pick(10) == 0) change_policy();
                return;
            case 10:
                if (pick(10) == 0) fail_over();
                return;
            default:
                return classic ? take_step(old) : beat(young);
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
        for (ClassicConsumer& each : classic_) each.take();
        const DurableGroup* group = replayed.find("g");
        if (group == nullptr) return;
        EXPECT_FALSE(group->classic && !group->consumer.empty()) << "it is of one kind";
        const bool is_classic = group->classic.has_value();
        if (is_classic != was_classic_) ++changes_;
        was_classic_ = is_classic;
        is_classic ? check_classic(*group) : check_mixed();
    }
    int changes() const { return changes_; }

    // When nothing happens any more each partition has one owner.
    void come_to_rest() {
        for (int i = 0; i < 40; ++i) {
            bed_.pass(2s);
            while (!bed_.asked.empty()) bed_.tell(bed_.outcome());
            for (Consumer& each : consumers_) {
                if (each.epoch == joins) continue;
                each.beat();
                each.revoke();
            }
            for (ClassicConsumer& each : classic_) each.go_on();
        }
        const auto group = bed_.machine->describe_group("g");
        EXPECT_EQ(
            group.error_code == ErrorCode::none ? group.group_state : bed_.described().group_state,
            "Stable");
        std::map<std::int32_t, int> owners;
        for (const ClassicConsumer& each : classic_) {
            for (const std::int32_t partition : each.of(1)) ++owners[partition];
        }
        for (const Consumer& each : consumers_) {
            for (const std::int32_t partition : each.of(1)) ++owners[partition];
        }
        EXPECT_EQ(owners, (std::map<std::int32_t, int>{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
    }

private:
    using Owners = std::map<std::pair<sdk::Uuid, std::int32_t>, std::string>;

    std::uint32_t pick(std::size_t below) { return static_cast<std::uint32_t>(random_() % below); }

    static void add(Owners& owners, const std::string& id, const PartitionSet& owned) {
        for (const auto& [topic, partitions] : owned) {
            for (const std::int32_t partition : partitions) {
                const auto [at, first] = owners.emplace(std::pair{topic, partition}, id);
                EXPECT_TRUE(first) << id << " and " << at->second << " own " << partition;
            }
        }
    }
    // Those that the group counts as members: others can not know yet, and may not commit. Nor can
    // a static member that missed generations of a classic group, where nobody waited for it.
    void check_mixed() {
        Owners owners;
        const auto group = bed_.described();
        for (const auto& member : group.members) {
            for (const ClassicConsumer& each : classic_) {
                if (each.id != member.member_id || each.generation < 0 || member.member_type != 0)
                    continue;
                if (!each.instance || each.generation == member.member_epoch)
                    add(owners, each.id, each.owned);
            }
            for (const Consumer& each : consumers_) {
                if (each.id == member.member_id && each.epoch > joins && member.member_type == 1)
                    add(owners, each.id, each.owned);
            }
        }
    }
    // Those of the generation: there a late one is not waited for longer than it may take.
    void check_classic(const DurableGroup& stored) {
        Owners owners;
        for (const ClassicConsumer& each : classic_) {
            if (each.generation == stored.classic->generation && !each.to_sync)
                add(owners, each.id, each.owned);
        }
    }

    void take_step(ClassicConsumer& member) {
        member.take();
        if (member.joining || member.syncing) {
            if (pick(8) == 0) member.lose_answers();
            return;
        }
        if (member.generation < 0 || member.to_join) return member.join();
        if (member.to_sync) return member.sync();
        member.beat();
    }
    void beat(Consumer& member) {
        if (member.epoch != joins) return void(member.beat());
        if (pick(3) != 0) return;  // So that there are times with few of them.
        if (member.instance) member.id = "s" + std::to_string(++static_ids_);
        member.join(pick(3) == 0 ? both : only_t);
    }
    void leave(ClassicConsumer& member) {
        if (member.id.empty() || member.joining) return;
        member.leave();
    }
    void leave(Consumer& member) {
        bed_.beat(leave_heartbeat(member.id, leaves, member.instance));
        member.epoch = joins;
        member.owned.clear();
        member.told.clear();
    }
    void answer() {
        if (bed_.asked.empty()) return;
        bed_.shift = pick(4);
        auto outcome = bed_.outcome();
        if (pick(5) == 0) outcome.assignment = sdk::Error{sdk::Errc::internal, "it failed"};
        bed_.tell(outcome);
    }
    void change_policy() {
        bed_.limits.consumer_migration = ConsumerMigration{static_cast<int>(pick(4))};
        if (pick(2) == 0) bed_.limits.consumer_migration = ConsumerMigration::bidirectional;
    }
    void fail_over() {
        bed_.asked.clear();
        bed_.fail_over();
        for (ClassicConsumer& each : classic_) each.lose_answers();
    }

    const std::vector<std::string> only_t{"t"};
    const std::vector<std::string> both{"t", "u"};

    std::mt19937_64 random_;
    ConsumerBed bed_;
    std::vector<ClassicConsumer> classic_;
    std::vector<Consumer> consumers_;
    int static_ids_ = 0;
    bool was_classic_ = false;
    int changes_ = 0;
};

TEST(RandomEventsOfBothKinds, NeverGiveAPartitionToTwo) {
    int changes = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomMixed run{seed, seed % 2 == 0 ? eager : cooperative};
        for (int i = 0; i < 400; ++i) {
            run.step();
            run.check();
            if (testing::Test::HasFailure()) return;
        }
        changes += run.changes();
        run.come_to_rest();
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(changes, 100) << "it does not test what it is for";
}

}  // namespace
}  // namespace leat::groups
