#include "core/cluster/staged_write.h"

#include "core/cluster/records.h"
#include "leat/sdk/ensure.h"

namespace leat::cluster {

using sdk::ensure;

StagedWrite::StagedWrite(Stages stages) {
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        for (auto& transaction : stages[stage]) {
            all_.push_back({.transaction = std::move(transaction), .stage = stage});
        }
    }
}

StagedWrite::Orders StagedWrite::outcome(std::size_t i,
                                         const sdk::Result<sdk::CommitOutcome>& outcome) {
    ensure(i < all_.size() && !all_[i].done, "an outcome is of a transaction under way");
    auto& item = all_[i];
    if (!outcome) return --under_way_, fail(End::unavailable, outcome.error().what);
    if (const auto* unknown = std::get_if<sdk::Unknown>(&*outcome)) {
        item.doubtful = true;
        why_ = unknown->why;
        return {.look = {i}};
    }
    if (const auto* conflict = std::get_if<sdk::Conflict>(&*outcome)) {
        if (item.doubtful) return {.look = {i}};
        --under_way_;
        if (conflict->key == keys::controller_epoch) return fail(End::fenced, conflict->key);
        return fail(End::conflict, conflict->key);
    }
    --under_way_;
    item.done = true;
    return next();
}

StagedWrite::Orders StagedWrite::looked(std::size_t i, bool shows) {
    ensure(all_[i].doubtful && !all_[i].done, "only a doubtful one is looked at");
    --under_way_;
    if (shows) {
        all_[i].done = true;
    } else if (!ending_) {
        again_.push_back(i);
    }
    return next();
}

StagedWrite::Orders StagedWrite::fail(End end, std::string why) {
    if (!ending_) {
        ending_ = end;
        why_ = std::move(why);
    }
    return next();
}

StagedWrite::Orders StagedWrite::next() {
    Orders orders;
    while (first_open_ < all_.size() && all_[first_open_].done) ++first_open_;
    while (!ending_ && under_way_ < most_at_once && first_open_ < all_.size()) {
        std::size_t chosen = submitted_;
        if (!again_.empty()) {
            chosen = again_.front();
            again_.pop_front();
        } else if (submitted_ == all_.size() ||
                   all_[submitted_].stage != all_[first_open_].stage) {
            break;
        } else {
            ++submitted_;
        }
        if (++all_[chosen].attempts > most_attempts) {
            ending_ = End::unavailable;
            break;
        }
        ++under_way_;
        orders.commit.push_back(chosen);
    }
    if (first_open_ == all_.size()) {
        orders.end = End::done;
    } else if (ending_ && under_way_ == 0) {
        orders.end = ending_;
    }
    return orders;
}

}  // namespace leat::cluster
