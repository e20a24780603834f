// A group assignor whose doing is easy to see: everything to one member, the one whose client id is
// first or last in the alphabet. TAKER says which, so that two builds of it differ. For `trouble`,
// it does what assignors must not.
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "leat/sdk/plugin.h"

namespace {

using namespace leat::sdk;

class OneTakesAll final : public GroupAssignor {
public:
    explicit OneTakesAll(std::string trouble) : trouble_{std::move(trouble)} {}

    Result<GroupAssignment> assign(const AssignmentInput& input, AssignmentSteps&) const override {
        if (trouble_ == "throw") throw std::runtime_error{"cannot count to two"};
        while (trouble_ == "hang") std::this_thread::sleep_for(std::chrono::hours{1});
        GroupAssignment assignment(input.members.size());
        if (input.members.empty()) return assignment;
        const auto [first, last] =
            std::ranges::minmax_element(input.members, {}, &GroupMember::client_id);
        auto& taken = assignment[static_cast<std::size_t>(TAKER - input.members.begin())];
        for (std::uint32_t topic = 0; topic < input.topics.size(); ++topic) {
            const auto count = static_cast<std::int32_t>(input.topics[topic].partitions.size());
            for (std::int32_t at = 0; at < count; ++at) taken.push_back({topic, at});
        }
        if (trouble_ == "lie") taken.push_back(taken.front());
        return assignment;
    }

private:
    const std::string trouble_;
};

Result<std::unique_ptr<GroupAssignor>> make(PluginContext&, const Settings& settings) {
    return std::unique_ptr<GroupAssignor>{std::make_unique<OneTakesAll>(settings.text("trouble"))};
}

}  // namespace

LEAT_PLUGIN("one_takes_all", "1.0.0", [](leat::sdk::Registrar& host) {
    host.group_assignor(
        {.name = "one_takes_all",
         .description = "Everything to one member.",
         .options = {{"trouble", OptionKind::text, std::string{"none"}, "What it does wrong.",
                      INT64_MIN, INT64_MAX, "none|throw|lie|hang"}},
         .capabilities = {},
         .make = make});
});
