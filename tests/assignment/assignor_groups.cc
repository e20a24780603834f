// Prints random groups and what `uniform` and `range` assign in them, for Assignors.java in
// tests/interop to hold against Apache Kafka's assignors. Each group lives on: what uniform
// assigned is what its members had when the next thing has happened to it.
//
// usage: assignor_groups SEED GROUPS
//
//   group 7                       one line each; topics and members are numbered as they come
//   topic ID-HIGH ID-LOW COUNT    the halves of the topic id as signed numbers
//   member ID INSTANCE TOPICS PREVIOUS       "-" for nothing, 0,2 and 0:1,2:0
//   uniform PARTITIONS            of the first member, the next line of the next
//   range PARTITIONS
//   end
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "leat/sdk/ensure.h"
#include "leat/sdk/testing/assignment_groups.h"
#include "plugins/assignment/range/range_assignor.h"
#include "plugins/assignment/uniform/uniform_assignor.h"

namespace {

using namespace leat::sdk;

struct Unlimited final : AssignmentSteps {
    bool take(std::uint64_t) override { return true; }
};

std::string text_of(const std::vector<GroupPartition>& partitions) {
    std::string text;
    for (const GroupPartition at : partitions)
        text += (text.empty() ? "" : ",") + std::to_string(at.topic) + ":" +
                std::to_string(at.partition);
    return text.empty() ? "-" : text;
}

std::string text_of(const std::vector<std::uint32_t>& topics) {
    std::string text;
    for (const std::uint32_t topic : topics)
        text += (text.empty() ? "" : ",") + std::to_string(topic);
    return text.empty() ? "-" : text;
}

void print(const char* name, const GroupAssignment& assignment) {
    for (const auto& each : assignment) std::printf("%s %s\n", name, text_of(each).c_str());
}

void print(const AssignmentInput& input) {
    for (const GroupTopic& topic : input.topics)
        std::printf(
            "topic %lld %lld %zu\n", static_cast<long long>(leat::uniform::half_of(topic.id, 0)),
            static_cast<long long>(leat::uniform::half_of(topic.id, 1)), topic.partitions.size());
    for (const GroupMember& member : input.members)
        std::printf("member %s %s %s %s\n", member.id.c_str(),
                    member.instance.value_or("-").c_str(), text_of(member.topics).c_str(),
                    text_of(member.previous).c_str());
}

GroupAssignment assigned(const GroupAssignor& assignor, const AssignmentInput& input) {
    Unlimited steps;
    auto assignment = assignor.assign(input, steps);
    ensure(assignment.has_value(), "an assignor with steps enough assigns");
    return std::move(*assignment);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) return std::fputs("usage: assignor_groups SEED GROUPS\n", stderr), 2;
    const int groups = std::atoi(arguments[2]);
    testing::RandomGroups random{std::strtoull(arguments[1], nullptr, 10)};
    const leat::uniform::UniformAssignor uniform;
    const leat::range::RangeAssignor range;
    AssignmentInput input;
    for (int i = 0; i < groups; ++i) {
        if (i % 12 == 0) {
            input = random.group();
        } else {
            random.happen(input);
            if (random.one_in(3)) random.happen(input);
        }
        std::printf("group %d\n", i);
        print(input);
        const GroupAssignment evenly = assigned(uniform, input);
        print("uniform", evenly);
        print("range", assigned(range, input));
        std::puts("end");
        testing::RandomGroups::settle(input, evenly);
    }
}
