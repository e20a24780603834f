#include "loads.h"

#include <algorithm>
#include <iterator>

namespace leat::lag_aware {

using allotment::Allotment;
using sdk::GroupPartition;

namespace {

std::int64_t median(std::vector<std::int64_t> lags) {
    if (lags.empty()) return 0;
    const auto middle = lags.begin() + static_cast<std::ptrdiff_t>(lags.size() / 2);
    std::ranges::nth_element(lags, middle);
    return *middle;
}

}  // namespace

Loads::Loads(Allotment& allotment, const Measure& measure, sdk::AssignmentSteps& steps)
    : allotment_{allotment}, measure_{measure}, steps_{steps}, loads_(allotment.members(), 0) {
    weigh();
    std::int64_t all = 0;
    for (const std::uint32_t topic : allotment.topics())
        for (std::int32_t at = 0; at < allotment.partitions(topic); ++at) {
            all += weight({topic, at});
            const Rank owner = allotment.owner({topic, at});
            if (owner != allotment::nobody) loads_[owner] += weight({topic, at});
        }
    const auto members = static_cast<std::int64_t>(std::max<std::size_t>(loads_.size(), 1));
    tolerated_ = all / members / 100 * measure.tolerated_spread;
}

void Loads::weigh() {
    for (const std::uint32_t topic : allotment_.topics()) {
        std::vector<std::int64_t> known;
        for (std::int32_t at = 0; at < allotment_.partitions(topic); ++at)
            if (const auto lag = allotment_.facts({topic, at}).lag)
                known.push_back(std::clamp<std::int64_t>(*lag, 0, most_lag));
        const std::int64_t usual = median(std::move(known));
        if (weights_.size() <= topic) weights_.resize(topic + 1);
        for (std::int32_t at = 0; at < allotment_.partitions(topic); ++at)
            weights_[topic].push_back(
                measure_.partition_weight +
                std::clamp<std::int64_t>(allotment_.facts({topic, at}).lag.value_or(usual), 0,
                                         most_lag));
    }
}

bool Loads::look_at(const Bundle& bundle) const {
    return std::ranges::all_of(
        bundle, [&](std::uint32_t topic) { return allotment_.look_at(topic, steps_); });
}

bool Loads::place_free() {
    for (const Bundle& bundle : allotment_.bundles()) {
        if (!look_at(bundle)) return false;
        std::vector<Weighed> free;
        for (const std::uint32_t topic : bundle)
            for (std::int32_t at = 0; at < allotment_.partitions(topic); ++at)
                if (allotment_.owner({topic, at}) == allotment::nobody)
                    free.push_back({{topic, at}, weight({topic, at})});
        std::ranges::stable_sort(free, std::ranges::greater{}, &Weighed::weight);
        ByLoad takers;
        for (const Rank rank : allotment_.subscribers(bundle.front()))
            takers.emplace(loads_[rank], rank);
        for (const Weighed& each : free) {
            const Rank taker = takers.extract(takers.begin()).value().second;
            give(each, taker);
            takers.emplace(loads_[taker], taker);
        }
    }
    return true;
}

void Loads::give(Weighed partition, Rank taker) {
    const Rank before = allotment_.owner(partition.what);
    if (before != allotment::nobody) loads_[before] -= partition.weight;
    loads_[taker] += partition.weight;
    allotment_.give(partition.what, taker);
}

bool Loads::level() {
    for (bool moved = true; moved;) {
        moved = false;
        for (const Bundle& bundle : allotment_.bundles()) {
            if (!look_at(bundle)) return false;
            const Leveled done = level(bundle);
            if (done == Leveled::stopped) return false;
            moved = moved || done == Leveled::moved;
        }
    }
    return true;
}

std::vector<Loads::Own> Loads::held_of(const Bundle& bundle) const {
    std::vector<Own> held(allotment_.members());
    std::size_t place = 0;
    for (const std::uint32_t topic : bundle)
        for (std::int32_t at = 0; at < allotment_.partitions(topic); ++at) {
            const Rank owner = allotment_.owner({topic, at});
            place_in(held[owner], owner, {topic, at})
                .emplace(std::pair{weight({topic, at}), place++}, GroupPartition{topic, at});
        }
    return held;
}

Loads::Leveled Loads::level(const Bundle& bundle) {
    std::vector<Own> held = held_of(bundle);
    ByLoad takers;
    ByLoad givers;  // Without those that have nothing worth a move, until their load changes.
    for (const Rank rank : allotment_.subscribers(bundle.front())) {
        takers.emplace(loads_[rank], rank);
        if (!held[rank].empty()) givers.emplace(loads_[rank], rank);
    }
    Leveled done = Leveled::even;
    while (!givers.empty()) {
        const auto [most, giver] = *givers.rbegin();
        const auto [least, taker] = *takers.begin();
        if (most - least <= tolerated_) break;
        if (!steps_.take(1)) return Leveled::stopped;
        auto moving = take_best(held[giver], most - least);
        if (!moving) {
            givers.erase({most, giver});
            continue;
        }
        give({moving->mapped(), moving->key().first}, taker);
        place_in(held[taker], taker, moving->mapped()).insert(std::move(*moving));
        done = Leveled::moved;
        for (const auto& [before, rank] : {std::pair{most, giver}, std::pair{least, taker}}) {
            takers.erase({before, rank});
            givers.erase({before, rank});
            takers.emplace(loads_[rank], rank);
            if (!held[rank].empty()) givers.emplace(loads_[rank], rank);
        }
    }
    return done;
}

std::optional<Loads::Weights::node_type> Loads::take_best(Own& own, std::int64_t gap) const {
    const auto gain = [&](Weights::iterator at) {
        return std::min(at->first.first, gap - at->first.first);
    };
    for (Weights* weights : {&own.fresh, &own.kept}) {
        // The gain rises up to half of the gap and falls behind it.
        const auto above = weights->lower_bound({gap / 2 + 1, 0});
        auto best = above;
        if (above != weights->begin() &&
            (above == weights->end() || gain(std::prev(above)) >= gain(above)))
            best = std::prev(above);
        if (best != weights->end() && gain(best) >= measure_.least_gain)
            return weights->extract(best);
    }
    return std::nullopt;
}

}  // namespace leat::lag_aware
