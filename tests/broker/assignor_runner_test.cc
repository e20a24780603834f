// Foreign assignors: what they see, and what comes of those that fail, lie or hang.
#include "core/broker/assignor_runner.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "tests/broker/partition_bed.h"

namespace leat::broker {
namespace {

using namespace std::chrono_literals;
using sdk::AssignmentInput;
using sdk::AssignmentSteps;
using sdk::GroupAssignment;

// Runs what it is given when the test says so.
class HeldThread final : public runtime::LoneThread {
public:
    void run(sdk::Task work) override { waiting_.push_back(std::move(work)); }
    void leave_behind() override {
        ++left_;
        for (auto& work : waiting_) stuck_.push_back(std::move(work));
        waiting_.clear();
    }
    bool work() {
        if (waiting_.empty()) return false;
        auto next = std::move(waiting_.front());
        waiting_.erase(waiting_.begin());
        next();
        return true;
    }
    // A thread that was left behind comes back after all.
    void stuck_work() {
        for (auto& work : std::exchange(stuck_, {})) work();
    }
    int left() const { return left_; }

private:
    std::vector<sdk::Task> waiting_;
    std::vector<sdk::Task> stuck_;
    int left_ = 0;
};

class Told final : public sdk::GroupAssignor {
public:
    using Answer =
        std::function<sdk::Result<GroupAssignment>(const AssignmentInput&, AssignmentSteps&)>;
    explicit Told(Answer answer) : answer_{std::move(answer)} {}
    sdk::Result<GroupAssignment> assign(const AssignmentInput& input,
                                        AssignmentSteps& steps) const override {
        return answer_(input, steps);
    }

private:
    Answer answer_;
};

Assignor assignor(std::string name, Told::Answer answer,
                  sdk::AssignmentCapabilities capabilities = {}) {
    return {std::move(name), std::make_shared<Told>(std::move(answer)), capabilities};
}

// All partitions of all topics are the member's at `position`.
GroupAssignment all_to(std::size_t position, const AssignmentInput& input) {
    GroupAssignment assignment(input.members.size());
    for (std::uint32_t topic = 0; topic < input.topics.size(); ++topic) {
        for (std::size_t i = 0; i < input.topics[topic].partitions.size(); ++i) {
            assignment[position].push_back({topic, static_cast<std::int32_t>(i)});
        }
    }
    return assignment;
}
Told::Answer gives_all_to(std::size_t position) {
    return [position](const AssignmentInput& input, AssignmentSteps&) {
        return all_to(position, input);
    };
}

// Topic "t" has the bed's one partition. Members a and b; the built-in assignor gives all to b.
class AForeignAssignor : public testing::PartitionBed {
protected:
    AForeignAssignor() {
        auto topic = std::make_shared<cluster::TopicImage>();
        topic->name = "t";
        topic->id = key_.topic_id;
        topic->partitions.resize(1);
        cluster::ImageDelta delta;
        delta.topics.push_back(std::move(topic));
        image_.apply(delta);
    }

    void begin(std::vector<Assignor> assignors) {
        runner_.emplace([this]() -> const cluster::Image& { return image_; }, tables(), thread_,
                        lines_, std::move(assignors),
                        AssignorRunner::Options{5s, assignor("ours", gives_all_to(1))});
    }
    static groups::AssignmentRequest request(std::string name, std::uint64_t number = 1) {
        groups::AssignmentRequest made{
            .group = "g", .number = number, .assignor = std::move(name), .input = {}};
        made.input.group = "g";
        made.input.topics.push_back({.id = {}, .name = "t", .partitions = {}});
        made.input.members.push_back({.id = "a", .topics = {0}});
        made.input.members.push_back({.id = "b", .topics = {0}});
        return made;
    }
    using Outcome = std::shared_ptr<std::optional<groups::AssignmentOutcome>>;
    Outcome ask(groups::AssignmentRequest request, CommittedOffsets committed = {}) {
        auto outcome = std::make_shared<std::optional<groups::AssignmentOutcome>>();
        runner_->ask(shard_, std::move(request), std::move(committed),
                     [outcome](groups::AssignmentOutcome came) { *outcome = std::move(came); });
        workers_work();
        return outcome;
    }
    groups::AssignmentOutcome answer_to(groups::AssignmentRequest request,
                                        CommittedOffsets committed = {}) {
        const auto outcome = ask(std::move(request), std::move(committed));
        EXPECT_TRUE(thread_.work());
        turn();
        EXPECT_TRUE(*outcome);
        return **outcome;
    }
    static constexpr const char* nobody = "nobody";
    static std::string owner_in(const groups::AssignmentOutcome& outcome) {
        if (!outcome.assignment) return outcome.assignment.error().what;
        for (std::size_t i = 0; i < outcome.assignment->size(); ++i) {
            if (!outcome.assignment->at(i).empty()) return outcome.input.members[i].id;
        }
        return nobody;
    }
    std::uint64_t errors(const std::string& name) { return runner_->calls().at(name).errors; }

    cluster::Image image_;
    HeldThread thread_;
    std::optional<AssignorRunner> runner_;
};

TEST_F(AForeignAssignor, DecidesOnItsOwnThread) {
    begin({assignor("mine", gives_all_to(0))});
    const auto outcome = ask(request("mine", 7));
    EXPECT_FALSE(*outcome);
    thread_.work();
    turn();
    ASSERT_TRUE(*outcome);
    EXPECT_EQ(owner_in(**outcome), "a");
    EXPECT_EQ((*outcome)->number, 7u);
    EXPECT_EQ((*outcome)->by, "mine");
    EXPECT_EQ((*outcome)->input.topics[0].id, key_.topic_id);
    EXPECT_EQ(runner_->calls().at("mine").calls, 1u);
    EXPECT_EQ(errors("mine"), 0u);
}

TEST_F(AForeignAssignor, ThatNobodyKnowsIsAnError) {
    begin({});
    const auto outcome = ask(request("mine"));
    ASSERT_TRUE(*outcome);
    EXPECT_EQ(owner_in(**outcome), "there is no assignor mine");
}

TEST_F(AForeignAssignor, SeesLagAndSizesOnlyIfItLooksAtThem) {
    std::vector<sdk::PartitionFacts> seen;
    const auto look = [&seen](const AssignmentInput& input, AssignmentSteps&) {
        seen.push_back(input.topics.at(0).partitions.at(0));
        return all_to(0, input);
    };
    begin({assignor("looks", look, {.needs_lag = true, .needs_sizes = true}),
           assignor("looks_not", look)});
    produce(one_record());
    produce(one_record());
    answer_to(request("looks"), {{"t", {{0, 1}}}});
    EXPECT_EQ(seen.back().lag, 1);
    EXPECT_GT(seen.back().bytes.value_or(0), 0u);
    answer_to(request("looks"));
    EXPECT_FALSE(seen.back().lag) << "nothing is committed";
    answer_to(request("looks_not"), {{"t", {{0, 1}}}});
    EXPECT_FALSE(seen.back().lag);
    EXPECT_FALSE(seen.back().bytes);
}

TEST_F(AForeignAssignor, DoesNotWaitLongForAPartitionThatCannotTell) {
    begin({assignor("mine", gives_all_to(0), {.needs_lag = true})});
    auto outcome = std::make_shared<std::optional<groups::AssignmentOutcome>>();
    runner_->ask(shard_, request("mine"), {},
                 [outcome](groups::AssignmentOutcome came) { *outcome = std::move(came); });
    turn();  // The partition is being opened: its worker does not get on.
    EXPECT_FALSE(thread_.work());
    shard_.advance(longest_gathering);
    EXPECT_TRUE(thread_.work());
    turn();
    ASSERT_TRUE(*outcome);
    EXPECT_FALSE((*outcome)->input.topics[0].partitions[0].lag);
}

TEST_F(AForeignAssignor, ThatThrowsGivesWayToTheBuiltInOne) {
    begin({assignor("mine", [](const auto&, auto&) -> sdk::Result<GroupAssignment> {
        throw std::runtime_error{"cannot count"};
    })});
    const auto outcome = answer_to(request("mine"));
    EXPECT_EQ(owner_in(outcome), "b");
    EXPECT_EQ(outcome.by, "the built-in ours");
    EXPECT_EQ(errors("mine"), 1u);
    EXPECT_TRUE(
        lines_.say("group assignor failed assignor=mine group=g reason=threw: "
                   "cannot count"))
        << lines_.all();
}

TEST_F(AForeignAssignor, ThatThrowsSomethingOddOrReturnsAnErrorIsContainedToo) {
    begin({assignor("odd", [](const auto&, auto&) -> sdk::Result<GroupAssignment> { throw 7; }),
           assignor("sorry", [](const auto&, auto&) -> sdk::Result<GroupAssignment> {
               return sdk::Error{sdk::Errc::internal, "no idea"};
           })});
    EXPECT_EQ(owner_in(answer_to(request("odd"))), "b");
    EXPECT_EQ(owner_in(answer_to(request("sorry"))), "b");
    EXPECT_TRUE(lines_.say("reason=failed: no idea")) << lines_.all();
}

TEST_F(AForeignAssignor, ThatLiesIsSeen) {
    begin({assignor("mine", [](const AssignmentInput& input, AssignmentSteps&) {
        auto twice = all_to(0, input);
        twice[1] = twice[0];
        return twice;
    })});
    EXPECT_EQ(owner_in(answer_to(request("mine"))), "b");
    EXPECT_EQ(errors("mine"), 1u);
    EXPECT_TRUE(lines_.say("assignor=mine")) << lines_.all();
}

TEST_F(AForeignAssignor, ThatFailsLeavesTheGroupWhatItHadIfThatIsStillGood) {
    begin({assignor("mine", [](const auto&, auto&) -> sdk::Result<GroupAssignment> { throw 7; })});
    auto with_last = request("mine");
    with_last.input.members[0].previous = {{0, 0}};
    const auto outcome = answer_to(with_last);
    EXPECT_EQ(owner_in(outcome), "a");
    EXPECT_EQ(outcome.by, "the last assignment");
}

TEST_F(AForeignAssignor, ThatFailsOftenFillsNoLog) {
    begin({assignor("mine", [](const auto&, auto&) -> sdk::Result<GroupAssignment> { throw 7; })});
    for (int i = 0; i < 5; ++i) answer_to(request("mine"));
    const std::string once = lines_.all();
    EXPECT_EQ(once.find("failed"), once.rfind("failed"));
    EXPECT_EQ(errors("mine"), 5u);
    shard_.advance(61s);
    answer_to(request("mine"));
    EXPECT_TRUE(lines_.say("left_out=4")) << lines_.all();
}

TEST_F(AForeignAssignor, ThatHangsIsLeftBehindAndOthersGoOn) {
    begin({assignor("hangs", gives_all_to(0)), assignor("mine", gives_all_to(0))});
    const auto hung = ask(request("hangs"));
    const auto behind = ask(request("mine"));
    shard_.advance(4s);
    EXPECT_EQ(thread_.left(), 0);
    shard_.advance(1s);
    EXPECT_EQ(thread_.left(), 1);
    EXPECT_FALSE(*hung);
    thread_.work();  // The built-in one, on another thread.
    turn();
    ASSERT_TRUE(*hung);
    EXPECT_EQ(owner_in(**hung), "b");
    EXPECT_TRUE(lines_.say("took longer than 5000 ms")) << lines_.all();
    thread_.work();
    turn();
    ASSERT_TRUE(*behind);
    EXPECT_EQ(owner_in(**behind), "a");
    thread_.stuck_work();  // It comes back when nobody waits any more.
    turn();
    EXPECT_EQ(runner_->calls().at("hangs").calls, 1u);
}

TEST_F(AForeignAssignor, ThatHungIsNotAskedAgainUntilItIsReplaced) {
    int asked = 0;
    begin({assignor("hangs", [&asked](const AssignmentInput& input, AssignmentSteps&) {
        ++asked;
        return all_to(0, input);
    })});
    ask(request("hangs"));
    shard_.advance(5s);
    thread_.work();
    EXPECT_EQ(owner_in(answer_to(request("hangs", 2))), "b");
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(errors("hangs"), 2u);
    EXPECT_TRUE(runner_->replace(assignor("hangs", gives_all_to(0))));
    EXPECT_EQ(owner_in(answer_to(request("hangs", 3))), "a");
    EXPECT_FALSE(runner_->replace(assignor("other", gives_all_to(0))));
}

TEST_F(AForeignAssignor, ThatThrewOrLiedIsNotAskedAgainForAnyGroupUntilItIsReplaced) {
    for (const bool lies : {false, true}) {
        SCOPED_TRACE(lies ? "lies" : "throws");
        int asked = 0;
        begin({assignor("mine",
                        [&](const AssignmentInput& input,
                            AssignmentSteps&) -> sdk::Result<GroupAssignment> {
                            ++asked;
                            if (!lies) throw std::runtime_error{"cannot count"};
                            return GroupAssignment(input.members.size());
                        }),
               assignor("other", gives_all_to(0))});
        EXPECT_EQ(owner_in(answer_to(request("mine"))), "b");
        auto of_another = request("mine", 2);
        of_another.group = of_another.input.group = "another";
        EXPECT_EQ(owner_in(answer_to(of_another)), "b");
        EXPECT_EQ(asked, 1);
        EXPECT_EQ(errors("mine"), 2u);
        EXPECT_EQ(runner_->calls().at("mine").quarantines, 1u);
        EXPECT_TRUE(lines_.say("and is not asked again until it is reloaded")) << lines_.all();
        EXPECT_EQ(owner_in(answer_to(request("other"))), "a");
        EXPECT_TRUE(runner_->replace(assignor("mine", gives_all_to(0))));
        EXPECT_EQ(owner_in(answer_to(request("mine", 3))), "a");
    }
}

TEST_F(AForeignAssignor, ThatReturnsAnErrorKeepsTheRulesAndIsAskedAgain) {
    int asked = 0;
    begin({assignor(
        "mine",
        [&](const AssignmentInput& input, AssignmentSteps&) -> sdk::Result<GroupAssignment> {
            if (++asked == 1) return sdk::Error{sdk::Errc::internal, "no idea"};
            return all_to(0, input);
        })});
    EXPECT_EQ(owner_in(answer_to(request("mine"))), "b");
    EXPECT_EQ(owner_in(answer_to(request("mine", 2))), "a");
    EXPECT_EQ(runner_->calls().at("mine").quarantines, 0u);
}

TEST_F(AForeignAssignor, ThatHasTakenThePlaceOfOneThatFailsMeanwhileIsAsked) {
    begin({assignor("mine", [](const auto&, auto&) -> sdk::Result<GroupAssignment> { throw 7; })});
    ask(request("mine"));
    EXPECT_TRUE(runner_->replace(assignor("mine", gives_all_to(0))));
    thread_.work();
    turn();
    EXPECT_EQ(errors("mine"), 1u);
    EXPECT_EQ(owner_in(answer_to(request("mine", 2))), "a");
}

TEST_F(AForeignAssignor, ThatCountsItsStepsHearsThatItsTimeIsOver) {
    std::vector<bool> may_go_on;
    begin({assignor("mine", [&](const AssignmentInput& input, AssignmentSteps& steps) {
        may_go_on.push_back(steps.take(1));
        if (may_go_on.size() == 1) shard_.advance(5s);  // As if meanwhile.
        may_go_on.push_back(steps.take(1));
        return all_to(0, input);
    })});
    const auto outcome = ask(request("mine"));
    thread_.work();
    EXPECT_EQ(may_go_on, (std::vector<bool>{true, false}));
    thread_.work();
    turn();
    ASSERT_TRUE(*outcome);
    EXPECT_EQ(owner_in(**outcome), "b");
}

}  // namespace
}  // namespace leat::broker
