#include "nearer.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace leat::rack_aware {

using allotment::Allotment;
using sdk::GroupPartition;

namespace {

constexpr std::uint32_t no_rack = UINT32_MAX;
constexpr std::uint64_t looks_of_small_groups = 1'000'000;

}  // namespace

Nearer::Nearer(Allotment& allotment, sdk::AssignmentSteps& steps)
    : allotment_{allotment},
      steps_{steps},
      held_(allotment.members()),
      visited_(allotment.members(), 0),
      in_vain_{std::vector<std::uint32_t>(allotment.members(), 0),
               std::vector<std::uint32_t>(allotment.members(), 0)},
      arrivals_(allotment.members()) {
    number_racks();
    list_takers();
    std::uint64_t partitions = 0;
    for (const std::uint32_t topic : allotment.topics()) {
        partitions += static_cast<std::uint64_t>(allotment.partitions(topic));
        for (std::int32_t at = 0; at < allotment.partitions(topic); ++at)
            held_[allotment.owner({topic, at})].push_back({topic, at});
    }
    looks_left_ = looks_of_small_groups + 2 * partitions * allotment.members();
}

void Nearer::number_racks() {
    std::map<std::string, std::uint32_t, std::less<>> numbers;
    for (Rank rank = 0; rank < allotment_.members(); ++rank) {
        const std::string& name = allotment_.member(rank).rack;
        const auto number = static_cast<std::uint32_t>(numbers.size());
        rack_of_.push_back(name.empty() ? no_rack
                                        : numbers.try_emplace(name, number).first->second);
    }
    rack_count_ = numbers.size();
    for (const std::uint32_t topic : allotment_.topics()) {
        if (racks_.size() <= topic) racks_.resize(topic + 1);
        for (std::int32_t at = 0; at < allotment_.partitions(topic); ++at) {
            auto& own = racks_[topic].emplace_back();
            for (const std::string& name : allotment_.facts({topic, at}).racks)
                if (const auto found = numbers.find(name); found != numbers.end())
                    own.push_back(found->second);
        }
    }
}

void Nearer::list_takers() {
    bundle_of_.resize(racks_.size());
    for (const auto& bundle : allotment_.bundles()) {
        std::size_t fewest = SIZE_MAX;
        std::vector<Takers> by_rack(rack_count_);
        for (const Rank rank : allotment_.subscribers(bundle.front())) {
            fewest = std::min(fewest, allotment_.count(rank));
            if (rack_of_[rank] != no_rack) by_rack[rack_of_[rank]].ranks.push_back(rank);
        }
        for (const std::uint32_t topic : bundle) bundle_of_[topic] = fewest_.size();
        fewest_.push_back(fewest);
        takers_.push_back(std::move(by_rack));
        least_count_ = std::min(least_count_, fewest);
    }
}

bool Nearer::bring() {
    for (const bool everything : {false, true}) {
        everything_moves_ = everything;
        for (bool found = true; found;) {
            found = false;
            ++pass_;
            for (const std::uint32_t topic : allotment_.topics()) {
                if (!allotment_.look_at(topic, steps_)) return false;
                for (std::int32_t at = 0; at < allotment_.partitions(topic); ++at) {
                    if (is_near({topic, at}, allotment_.owner({topic, at}))) continue;
                    looks_ = 0;
                    found = search({topic, at}) || found;
                    if (!steps_.take(looks_)) return false;
                    if (looks_left_ < looks_) return true;
                    looks_left_ -= looks_;
                }
            }
        }
    }
    return true;
}

bool Nearer::search(GroupPartition far) {
    first_ = allotment_.owner(far);
    if (racks_of(far).empty() || !may_move(far, first_)) return false;
    ++searches_;
    queue_.clear();
    for (Takers* each : looked_at_) each->next = 0;
    looked_at_.clear();
    bool found = visit_takers(far, first_);
    for (std::size_t i = 0; i < queue_.size() && !found; ++i) {
        const Rank giver = queue_[i];
        for (const GroupPartition what : held_[giver]) {
            ++looks_;
            if (!is_near(what, giver) || !may_move(what, giver)) continue;
            found = visit_takers(what, giver);
            if (found) break;
        }
    }
    if (!found)
        for (const Rank met : queue_) searched_in_vain()[met] = pass_;
    return found;
}

bool Nearer::visit_takers(GroupPartition what, Rank giver) {
    for (const std::uint32_t rack : racks_of(what)) {
        Takers& takers = takers_[bundle_of_[what.topic]][rack];
        looked_at_.push_back(&takers);
        while (takers.next < takers.ranks.size()) {
            ++looks_;
            const Rank taker = takers.ranks[takers.next++];
            if (taker == first_ || visited_[taker] == searches_ || !may_take(taker, what.topic) ||
                searched_in_vain()[taker] == pass_)
                continue;
            if (visit(taker, {what, giver})) return true;
        }
    }
    return false;
}

bool Nearer::visit(Rank taker, Arrival arrival) {
    visited_[taker] = searches_;
    arrivals_[taker] = arrival;
    looks_ += held_[taker].size();
    const GroupPartition* back = best_return(taker);
    // Where all subscribe to the same, it does not matter who has one more than the others.
    const bool takes_one_more =
        allotment_.bundles().size() == 1 && allotment_.count(taker) + 1 == allotment_.count(first_);
    if (!back && !takes_one_more) {
        queue_.push_back(taker);
        return false;
    }
    carry_out(taker, takes_one_more ? nullptr : back);
    return true;
}

const GroupPartition* Nearer::best_return(Rank from) const {
    const GroupPartition* best = nullptr;
    int best_worth = 0;
    for (const GroupPartition& each : held_[from]) {
        if (!may_move(each, from) || !may_take(first_, each.topic) ||
            !allotment_.subscribes(first_, each.topic))
            continue;
        const bool far = !is_near(each, from);
        const bool comes_near = is_near(each, first_);
        if (!far && !comes_near) continue;
        const int worth =
            (comes_near ? 4 : 0) + (far ? 2 : 0) + (allotment_.earlier_owner(each) == from ? 0 : 1);
        if (worth > best_worth) {
            best_worth = worth;
            best = &each;
        }
    }
    return best;
}

void Nearer::carry_out(Rank last, const GroupPartition* back) {
    if (back) move(GroupPartition{*back}, last, first_);
    for (Rank to = last; to != first_;) {
        const Arrival arrival = arrivals_[to];
        move(arrival.what, arrival.from, to);
        to = arrival.from;
    }
}

void Nearer::move(GroupPartition what, Rank from, Rank to) {
    std::erase(held_[from], what);
    held_[to].push_back(what);
    allotment_.give(what, to);
}

bool Nearer::is_near(GroupPartition what, Rank rank) const {
    return rack_of_[rank] != no_rack && std::ranges::count(racks_of(what), rack_of_[rank]) > 0;
}

}  // namespace leat::rack_aware
