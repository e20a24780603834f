// In which order the subscribers of one topic take partitions and give them away, so that their
// counts come together from both ends.
//
// Takers are those with the lowest count, one partition each; when all of them have taken, the next
// level's members join them, and the round begins again. Givers likewise from the highest count
// down; one that has nothing to give is passed over for good.
//
// The counts are the caller's, and change under it as it gives what this says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace leat::uniform {

class Turns {
public:
    static constexpr std::size_t nobody = SIZE_MAX;

    // `members` are positions in `counts`, at least one. Of equal ones the first takes first and
    // gives last.
    Turns(const std::vector<std::int32_t>& counts, std::vector<std::size_t> members)
        : counts_{counts}, members_{std::move(members)} {
        std::ranges::stable_sort(members_, {}, [&](std::size_t member) { return counts[member]; });
        difference_ = count(members_.size() - 1) - count(0);
        take_level_ = count(0) - 1;
        give_level_ = count(members_.size() - 1) + 1;
        give_begin_ = give_end_ = give_next_ = members_.size();
    }

    // Between the highest and the lowest count when this began.
    std::int32_t difference() const { return difference_; }

    // Nothing that moves from whoever gives to whoever takes would help.
    bool even() const { return give_level_ - take_level_ <= 1; }

    std::size_t next_to_take() {
        if (take_next_ >= take_end_) {
            ++take_level_;
            while (take_end_ < members_.size() && count(take_end_) == take_level_) ++take_end_;
            take_next_ = 0;
        }
        return members_[take_next_++];
    }

    // Or nobody, when all were passed over.
    std::size_t next_to_give() {
        if (give_next_ <= give_begin_) {
            const bool all_passed_over = give_end_ <= give_begin_ && give_begin_ > 0;
            give_level_ = all_passed_over ? count(give_begin_ - 1) : give_level_ - 1;
            while (give_begin_ > 0 && count(give_begin_ - 1) == give_level_) --give_begin_;
            give_next_ = give_end_;
        }
        if (give_next_ == 0) return nobody;
        return members_[--give_next_];
    }

    // The last that next_to_give() named.
    void pass_over_giver() { std::swap(members_[give_next_], members_[--give_end_]); }

private:
    std::int32_t count(std::size_t at) const { return counts_[members_[at]]; }

    const std::vector<std::int32_t>& counts_;
    std::vector<std::size_t> members_;  // By count.
    std::int32_t difference_ = 0;
    std::int32_t take_level_ = 0;  // What the takers had when their round began.
    std::size_t take_end_ = 0;     // Takers are [0, take_end_).
    std::size_t take_next_ = 0;
    std::int32_t give_level_ = 0;
    std::size_t give_begin_ = 0;  // Givers are [give_begin_, give_end_).
    std::size_t give_end_ = 0;
    std::size_t give_next_ = 0;  // One above the next; at give_begin_ the round is over.
};

}  // namespace leat::uniform
