#include "core/broker/assignor_runner.h"

#include <utility>

#include "core/groups/assignment_topics.h"

namespace leat::broker {

using groups::AssignmentOutcome;
using groups::AssignmentRequest;

AssignorRunner::AssignorRunner(ImageOf image, PartitionTables& tables, runtime::LoneThread& thread,
                               logging::Logger& logger, std::vector<Assignor> assignors,
                               Options options)
    : image_{std::move(image)},
      tables_{tables},
      shard_{tables.shard(0)},
      thread_{thread},
      logger_{logger},
      options_{std::move(options)} {
    for (Assignor& each : assignors) {
        names_.insert(each.name);
        calls_[each.name];
        std::string name = each.name;
        assignors_.emplace(std::move(name), Known{std::move(each)});
    }
}

void AssignorRunner::ask(sdk::Shard& home, AssignmentRequest request, CommittedOffsets committed,
                         Done done) {
    auto back = [&home, done = std::move(done)](AssignmentOutcome outcome) mutable {
        home.post([done = std::move(done), outcome = std::move(outcome)]() mutable {
            done(std::move(outcome));
        });
    };
    shard_.post([this, request = std::move(request), committed = std::move(committed),
                 back = std::move(back)]() mutable {
        take(std::move(request), std::move(committed), std::move(back));
    });
}

void AssignorRunner::take(AssignmentRequest request, CommittedOffsets committed, Done done) {
    const auto known = assignors_.find(request.assignor);
    if (known == assignors_.end() || waiting_.size() >= most_waiting) {
        sdk::Error error =
            known == assignors_.end()
                ? sdk::Error{sdk::Errc::not_found, "there is no assignor " + request.assignor}
                : sdk::Error{sdk::Errc::unavailable, "too many groups wait for one"};
        return done(
            {std::move(request.group), request.number, std::move(request.input), std::move(error)});
    }
    groups::fill_in_topics(request.input, image_());
    sdk::AssignmentInput input = std::move(request.input);
    gather_facts(tables_, known->second.assignor.capabilities, std::move(committed),
                 std::move(input),
                 [this, request = std::move(request),
                  done = std::move(done)](sdk::AssignmentInput complete) mutable {
                     request.input = std::move(complete);
                     waiting_.push_back({std::move(request), std::move(done)});
                     next();
                 });
}

void AssignorRunner::next() {
    if (current_ || waiting_.empty()) return;
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
    const auto& quarantined = assignors_.at(current_->request.assignor).quarantined;
    current_->asked = !quarantined;
    if (!quarantined) return call(std::nullopt);
    call("is not asked until it is reloaded or the broker starts again: before, it " +
         *quarantined);
}

void AssignorRunner::call(std::optional<std::string> not_called) {
    const Assignor& assignor = assignors_.at(current_->request.assignor).assignor;
    call_ = std::make_shared<AssignorCall>();
    call_->assignor = assignor;
    call_->built_in = options_.built_in;
    call_->not_called = std::move(not_called);
    call_->input = current_->request.input;
    const std::uint64_t number = ++last_call_;
    timer_ = shard_.after(options_.budget, [this] { overrun(); });
    thread_.run([this, number, call = call_]() mutable {
        auto answer = std::make_shared<AssignorAnswer>(carry_out(*call));
        if (call->given_up) return;  // Then `this` may be no more.
        shard_.post(
            [this, number, answer = std::move(answer)] { answered(number, std::move(*answer)); });
    });
}

void AssignorRunner::answered(std::uint64_t number, AssignorAnswer answer) {
    if (number != last_call_ || !call_) return;  // It came when its time had just passed.
    shard_.cancel(timer_);
    if (answer.misbehaved) answer.failure = quarantine(*answer.failure);
    call_.reset();
    const AssignmentRequest& request = current_->request;
    if (answer.failure) {
        failed(request.assignor, request.group, *answer.failure);
    } else {
        calls_[request.assignor].made(true);
    }
    finish({request.group, request.number, request.input, std::move(answer.assignment),
            std::move(answer.by)});
}

void AssignorRunner::overrun() {
    const std::string spent = std::to_string(options_.budget.count()) + " ms";
    std::string what;
    if (current_->asked) what = quarantine("took longer than " + spent);
    call_->given_up = true;
    call_.reset();
    thread_.leave_behind();
    if (std::exchange(current_->asked, false)) return call(std::move(what));
    const AssignmentRequest& request = current_->request;
    failed(request.assignor, request.group, "is quarantined");
    finish({request.group, request.number, request.input,
            sdk::Error{sdk::Errc::internal, "the built-in assignor took longer than " + spent}});
}

// The one that was called, which another may have replaced since.
std::string AssignorRunner::quarantine(const std::string& what) {
    Known& known = assignors_.at(current_->request.assignor);
    if (known.assignor.object != call_->assignor.object) return what;
    known.quarantined = what;
    ++calls_[known.assignor.name].quarantines;
    return what + ", and is not asked again until it is reloaded";
}

void AssignorRunner::finish(AssignmentOutcome outcome) {
    Done done = std::move(current_->done);
    current_.reset();
    done(std::move(outcome));
    next();
}

void AssignorRunner::failed(const std::string& name, const std::string& group,
                            const std::string& what) {
    calls_[name].made(false);
    const auto admitted = lines_.admit(name, shard_.now());
    if (!admitted) return;
    logger_.log(logging::Level::error, "group assignor failed",
                {{"assignor", name},
                 {"group", group},
                 {"reason", what},
                 {"left_out", std::to_string(*admitted)}});
}

bool AssignorRunner::replace(const Assignor& assignor) {
    const auto known = assignors_.find(assignor.name);
    if (known == assignors_.end()) return false;
    known->second = {assignor, std::nullopt};
    return true;
}

}  // namespace leat::broker
