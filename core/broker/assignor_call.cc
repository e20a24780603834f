#include "core/broker/assignor_call.h"

#include <exception>
#include <utility>

#include "core/groups/assignment_check.h"

namespace leat::broker {
namespace {

class Steps final : public sdk::AssignmentSteps {
public:
    explicit Steps(const std::atomic<bool>& given_up) : given_up_{given_up} {}
    bool take(std::uint64_t) override { return !given_up_.load(std::memory_order_relaxed); }

private:
    const std::atomic<bool>& given_up_;
};

// A good assignment, or what was wrong: its own refusal (unavailable), or a breach of the rules.
sdk::Result<sdk::GroupAssignment> ask(const sdk::GroupAssignor& assignor,
                                      const AssignorCall& call) {
    const auto breach = [](std::string what) {
        return sdk::Error{sdk::Errc::internal, std::move(what)};
    };
    Steps steps{call.given_up};
    try {
        auto assignment = assignor.assign(call.input, steps);
        if (!assignment) {
            return sdk::Error{sdk::Errc::unavailable, "failed: " + assignment.error().what};
        }
        auto violation = groups::violation_in(call.input, *assignment);
        if (violation) return breach(std::move(*violation));
        return assignment;
    } catch (const std::exception& exception) {
        return breach(std::string{"threw: "} + exception.what());
    } catch (...) {
        return breach("threw something that is no std::exception");
    }
}

}  // namespace

AssignorAnswer carry_out(AssignorCall& call) {
    std::optional<std::string> failure = std::move(call.not_called);
    bool misbehaved = false;
    if (!failure) {
        auto assignment = ask(*call.assignor.object, call);
        if (assignment) return {std::move(assignment), call.assignor.name};
        failure = assignment.error().what;
        misbehaved = assignment.error().code == sdk::Errc::internal;
    }
    sdk::GroupAssignment last;
    for (const sdk::GroupMember& member : call.input.members) last.push_back(member.previous);
    if (!groups::violation_in(call.input, last)) {
        return {std::move(last), "the last assignment", std::move(failure), misbehaved};
    }
    return {ask(*call.built_in.object, call), "the built-in " + call.built_in.name,
            std::move(failure), misbehaved};
}

}  // namespace leat::broker
