#include <gtest/gtest.h>

#include "leat/sdk/testing/assignment_rules.h"
#include "plugins/assignment/sticky/sticky_assignor.h"
#include "tests/assignment/moves.h"

namespace leat::sdk::testing {
namespace {

// What members have above the even share has to go, and nothing else.
TEST(StickyTest, WhereAllSubscribeToTheSameOnlyWhatIsAboveTheShareMoves) {
    RandomGroups random{7};
    for (int i = 0; i < 2000; ++i) {
        const std::uint32_t members = 1 + random.up_to(12);
        AssignmentInput input = random.huge(members, 1 + random.up_to(60));
        std::size_t partitions = 0;
        for (std::uint32_t topic = 0; topic < input.topics.size(); ++topic)
            for (std::size_t at = 0; at < input.topics[topic].partitions.size(); ++at, ++partitions)
                if (const std::uint32_t to = random.up_to(members); to < members)
                    input.members[random.one_in(2) ? 0 : to].previous.push_back(
                        {topic, static_cast<std::int32_t>(at)});
        std::size_t one_more = partitions % members;
        std::size_t least = 0;
        for (const GroupMember& member : input.members) {
            std::size_t share = partitions / members;
            if (member.previous.size() > share && one_more > 0) ++share, --one_more;
            least += member.previous.size() - std::min(member.previous.size(), share);
        }
        CountedSteps steps;
        const auto given = sticky::StickyAssignor{}.assign(input, steps);
        ASSERT_TRUE(given);
        EXPECT_EQ(moves(input, *given), least) << "in situation " << i;
    }
}

}  // namespace
}  // namespace leat::sdk::testing
