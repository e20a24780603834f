// The metadata driver while the store misbehaves in every way that it may, from a seed.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/cluster/records.h"
#include "tests/broker/metadata_bed.h"

namespace leat::broker {
namespace {

using sdk::testing::CoordinationModel;
using testing::TestBroker;
using wire::ErrorCode;

class Story {
public:
    explicit Story(std::uint64_t seed)
        : random_{seed}, model_{seed}, broker_{model_, {.seed = seed}} {}

    void run() {
        ASSERT_TRUE(broker_.becomes_ready());
        model_.set_faults({.conflict = 15,
                           .lost_committed = 25,
                           .lost_uncommitted = 25,
                           .session_loss = 8,
                           .resync = 60,
                           .repeat = 60,
                           .most_delay = std::chrono::milliseconds{20}});
        for (int i = 0; i < 120; ++i) {
            const auto name = "t" + std::to_string(random_() % 6);
            if (random_() % 2 == 0) create(name);
            else remove(name);
            if (random_() % 4 == 0) take_producer_id();
            check_images();
        }
        model_.set_faults({});
        comes_to_rest();
    }

private:
    enum class Fate { present, absent, unknown };

    void create(const std::string& name) {
        const auto partitions = static_cast<std::int32_t>(1 + random_() % 150);
        const auto created = broker_.create(name, partitions);
        if (created.error == ErrorCode::none) {
            EXPECT_NE(fate(name), Fate::present) << name << " was made over one that is there";
            fates_[name] = Fate::present;
        } else if (created.error == ErrorCode::topic_already_exists) {
            EXPECT_NE(fate(name), Fate::absent) << name;
            fates_[name] = Fate::present;
        } else if (fate(name) == Fate::absent) {
            fates_[name] = Fate::unknown;
        }
    }
    void remove(const std::string& name) {
        const auto removed = broker_.remove({.name = name});
        if (removed.error == ErrorCode::none) {
            EXPECT_NE(fate(name), Fate::absent) << name;
            fates_[name] = Fate::absent;
        } else if (removed.error == ErrorCode::unknown_topic_or_partition) {
            EXPECT_NE(fate(name), Fate::present) << name << " was lost";
        } else if (fate(name) == Fate::present) {
            fates_[name] = Fate::unknown;
        }
    }
    void take_producer_id() {
        const auto got = broker_.producer_id();
        if (got.error == ErrorCode::none) {
            EXPECT_TRUE(producer_ids_.insert(got.id).second);
        }
    }
    void check_images() {
        for (std::size_t shard = 0; shard < broker_.shards.count(); ++shard) {
            EXPECT_TRUE(broker_.listeners[shard].whole);
            for (const auto& [name, topic] : broker_.image(shard).topics()) {
                for (const auto& partition : topic->partitions) {
                    EXPECT_EQ(partition.leader_epoch, sdk::LeaderEpoch{0});
                }
            }
        }
        const auto epoch = broker_.image().facts().controller_epoch;
        EXPECT_GE(epoch, controller_epoch_);
        controller_epoch_ = epoch;
    }
    // With a store that works again, nothing half done is left and all shards show what is stored.
    void comes_to_rest() {
        ASSERT_TRUE(broker_.shards.run_until([&] {
            return broker_.metadata->standing(1) == Standing::serving &&
                   broker_.create("last").error != ErrorCode::not_controller;
        }));
        ASSERT_TRUE(broker_.shards.run_until([&] {
            std::size_t stored = 0;
            for (const auto& [name, topic] : broker_.image(1).topics()) {
                stored += topic->partitions.size();
            }
            return model_.entries("/deletions/").empty() &&
                   model_.entries("/partitions/").size() == stored;
        })) << model_.entries("/deletions/").size()
            << " deletions are left over";
        std::set<std::string> stored;
        for (const auto& entry : model_.entries("/topics/")) stored.insert(entry.key.substr(8));
        for (std::size_t shard = 0; shard < broker_.shards.count(); ++shard) {
            std::set<std::string> shown;
            for (const auto& [name, topic] : broker_.image(shard).topics()) {
                shown.insert(std::string{name});
            }
            EXPECT_EQ(shown, stored);
        }
        for (const auto& [name, fate] : fates_) {
            if (fate == Fate::present) {
                EXPECT_TRUE(stored.contains(name)) << name;
            }
            if (fate == Fate::absent) {
                EXPECT_FALSE(stored.contains(name)) << name;
            }
        }
        EXPECT_EQ(broker_.complaints, std::vector<std::string>{});
    }
    Fate fate(const std::string& name) const {
        const auto found = fates_.find(name);
        return found == fates_.end() ? Fate::absent : found->second;
    }

    std::mt19937_64 random_;
    CoordinationModel model_;
    TestBroker broker_;
    std::map<std::string, Fate> fates_;
    std::set<std::int64_t> producer_ids_;
    std::int32_t controller_epoch_ = -1;
};

TEST(MetadataFaults, WhateverTheStoreDoesTopicsStayWholeAndAnswersTrue) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Story{seed}.run();
        if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace leat::broker
