// A group "g" of classic consumers and those of KIP-848, for stories of how it changes its kind.
#pragma once

#include <gtest/gtest.h>

#include "tests/groups/mixed_bed.h"

namespace leat::groups {

using Partitions = std::set<std::int32_t>;

class Migration : public testing::Test {
protected:
    Migration() {
        bed.limits.initial_rebalance_delay = 0ms;
        bed.start();
        bed.topic("t", 1, 3);
    }
    // "app-1" and, unless it is alone, "app-2": stable in the classic protocol.
    void classic_ones(bool alone = false) {
        a.join();
        if (!alone) b.join();
        for (int round = 0; round < 4; ++round) {
            a.go_on();
            if (!alone) b.go_on();
        }
        ASSERT_EQ(bed.machine->describe_group("g").group_state, "Stable");
    }
    void all_go_on() {
        for (int round = 0; round < 5; ++round) {
            bed.assign();
            for (ClassicConsumer* each : {&a, &b}) {
                if (each->generation >= 0) each->go_on();
            }
            for (Consumer* each : {&x, &y}) {
                if (each->epoch == joins) continue;
                each->beat();
                each->revoke();
            }
        }
    }
    std::string type() const {
        return bed.described().error_code == ErrorCode::none ? "consumer" : "classic";
    }
    std::string kind() const {
        const auto group = bed.machine->describe_group("g");
        return group.error_code == ErrorCode::none ? group.group_state
                                                   : group.error_message.value_or("");
    }
    void check_replay() const {
        DurableGroups replayed;
        for (const Record& record : bed.log) replayed.replay(record);
        EXPECT_EQ(replayed, bed.machine->durable());
        const auto* group = replayed.find("g");
        ASSERT_NE(group, nullptr);
        EXPECT_NE(group->classic.has_value(), !group->consumer.empty()) << "it is of one kind";
    }

    ConsumerBed bed;
    ClassicConsumer a{bed, eager};
    ClassicConsumer b{bed, eager};
    Consumer x{bed, "x"};
    Consumer y{bed, "y"};
};

}  // namespace leat::groups
