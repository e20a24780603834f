// Decides when a connection should live on another shard. A Produce to a partition of another
// shard costs two hand-offs between threads; who sends all that it has there had better be there.
// A machine: it hears what the connection asks for, in order.
//
// It moves after `first_run` Produce requests in a row that all went to partitions of one other
// shard, if that one has no more connections than its own. Every move doubles the run that the next
// one needs, and there are at most `most_moves`, so a client that changes its mind does not wander.
// A connection that has fetched stays where its fetch session is.
#pragma once

#include <cstddef>
#include <optional>

namespace leat::api {

class ShardPreference {
public:
    static constexpr std::size_t first_run = 32;
    static constexpr int most_moves = 6;

    // A Produce, all of whose partitions live on `shard`; nothing: on several, or there are none.
    void produced(std::optional<std::size_t> shard) {
        if (!shard) return start_over();
        run_ = shard == run_of_ ? run_ + 1 : 1;
        run_of_ = shard;
    }
    // Any other request.
    void asked_otherwise() { start_over(); }
    void fetched() { stays_ = true; }

    // Where it would like to go from `here`, if anywhere. Whether it may is then asked by
    // `unbalances()`, and answered by moved() or stayed().
    std::optional<std::size_t> wanted(std::size_t here) const {
        if (stays_ || moves_ >= most_moves || run_ < needed_ || run_of_ == here) {
            return std::nullopt;
        }
        return run_of_;
    }
    static bool unbalances(std::size_t connections_here, std::size_t connections_there) {
        return connections_there > connections_here;
    }
    void moved() {
        ++moves_;
        needed_ *= 2;
        start_over();
    }
    void stayed() { start_over(); }

private:
    void start_over() {
        run_ = 0;
        run_of_.reset();
    }

    std::optional<std::size_t> run_of_;
    std::size_t run_ = 0;
    std::size_t needed_ = first_run;
    int moves_ = 0;
    bool stays_ = false;
};

}  // namespace leat::api
