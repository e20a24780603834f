// Gathers the answers to the parts of one request, each of which comes in its own time, and answers
// once: when all are there, or with what is there when the time is up or who gathers stops.
//
// Threads    One shard, that of begin().
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "leat/sdk/function.h"
#include "leat/sdk/shard.h"

namespace leat::broker {

template <class Answer>
class GatheredAnswers : public std::enable_shared_from_this<GatheredAnswers<Answer>> {
public:
    using Done = sdk::Function<void(std::vector<Answer>)>;

    // `unanswered` has one for each part, as it is to be answered if the time runs out. `done` runs
    // in a later turn of the loop, or within stop().
    static std::shared_ptr<GatheredAnswers> begin(sdk::Shard& shard, std::vector<Answer> unanswered,
                                                  std::chrono::milliseconds timeout, Done done) {
        auto made =
            std::make_shared<GatheredAnswers>(shard, std::move(unanswered), std::move(done));
        const auto pause = std::max(timeout, std::chrono::milliseconds{0});
        // Holds it until then: a part that is lost must not swallow the answer.
        made->timer_ = shard.after(pause, [made] { made->finish(); });
        if (made->missing_ == 0) shard.post([made] { made->finish(); });
        return made;
    }

    GatheredAnswers(sdk::Shard& shard, std::vector<Answer> unanswered, Done done)
        : shard_{shard},
          answers_{std::move(unanswered)},
          missing_{answers_.size()},
          done_{std::move(done)} {}

    // Once for each part.
    void answer(std::size_t part, Answer answer) {
        if (!done_) return;
        answers_[part] = std::move(answer);
        if (--missing_ > 0) return;
        shard_.post([self = this->shared_from_this()] { self->finish(); });
    }

    // Answers now.
    void stop() { finish(); }

private:
    void finish() {
        if (!done_) return;
        shard_.cancel(timer_);
        auto done = std::move(done_);
        done_ = nullptr;
        done(std::move(answers_));
    }

    sdk::Shard& shard_;
    std::vector<Answer> answers_;
    std::size_t missing_;
    Done done_;
    sdk::TimerId timer_ = sdk::TimerId::none;
};

// The requests of one kind that are not answered yet, for who must answer them when it stops. They
// hold themselves.
template <class Answer>
class UnansweredRequests {
public:
    void add(const std::shared_ptr<GatheredAnswers<Answer>>& one) {
        std::erase_if(all_, [](const auto& other) { return other.expired(); });
        all_.push_back(one);
    }
    void stop() {
        for (const auto& each : std::exchange(all_, {})) {
            if (const auto answers = each.lock()) answers->stop();
        }
    }

private:
    std::vector<std::weak_ptr<GatheredAnswers<Answer>>> all_;
};

}  // namespace leat::broker
