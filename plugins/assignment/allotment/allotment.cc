#include "allotment.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace leat::allotment {

using sdk::GroupPartition;

Allotment::Allotment(const sdk::AssignmentInput& input)
    : input_{input},
      order_(input.members.size()),
      subscribers_(input.topics.size()),
      counts_(input.members.size(), 0) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {},
                      [&](std::size_t at) -> const std::string& { return input.members[at].id; });
    for (const sdk::GroupTopic& topic : input.topics)
        owners_.emplace_back(topic.partitions.size(), nobody);
    for (std::size_t rank = 0; rank < order_.size(); ++rank)
        for (const std::uint32_t topic : member(rank).topics) subscribers_[topic].push_back(rank);
    list_topics();
    for (std::size_t rank = 0; rank < order_.size(); ++rank)
        for (const GroupPartition at : member(rank).previous)
            if (subscribes(rank, at.topic)) give(at, rank);
    earlier_ = owners_;
}

void Allotment::list_topics() {
    for (std::uint32_t topic = 0; topic < subscribers_.size(); ++topic)
        if (!subscribers_[topic].empty()) topics_.push_back(topic);
    std::ranges::sort(topics_, {}, [&](std::uint32_t topic) {
        return std::tuple{subscribers_[topic].size(), input_.topics[topic].id};
    });
    std::map<std::vector<std::size_t>, std::size_t> bundle_of;
    for (const std::uint32_t topic : topics_) {
        const auto [at, made] = bundle_of.try_emplace(subscribers_[topic], bundles_.size());
        if (made) bundles_.emplace_back();
        bundles_[at->second].push_back(topic);
    }
}

bool Allotment::subscribes(std::size_t rank, std::uint32_t topic) const {
    return std::ranges::binary_search(member(rank).topics, topic);
}

void Allotment::give(GroupPartition at, std::size_t rank) {
    std::size_t& owner = owners_[at.topic][static_cast<std::size_t>(at.partition)];
    if (owner != nobody) --counts_[owner];
    owner = rank;
    ++counts_[rank];
}

bool Allotment::look_at(std::uint32_t topic, sdk::AssignmentSteps& steps) const {
    return steps.take(owners_[topic].size() + subscribers_[topic].size());
}

bool Allotment::place_free(sdk::AssignmentSteps& steps) {
    for (const std::uint32_t topic : topics_) {
        if (!look_at(topic, steps)) return false;
        std::set<std::pair<std::size_t, std::size_t>> takers;
        for (const std::size_t rank : subscribers_[topic]) takers.emplace(counts_[rank], rank);
        for (std::int32_t at = 0; at < partitions(topic); ++at) {
            if (owner({topic, at}) != nobody) continue;
            const std::size_t taker = takers.extract(takers.begin()).value().second;
            give({topic, at}, taker);
            takers.emplace(counts_[taker], taker);
        }
    }
    return true;
}

bool Allotment::even_out(sdk::AssignmentSteps& steps) {
    for (bool moved = true; moved;) {
        moved = false;
        for (const Bundle& bundle : bundles_) {
            for (const std::uint32_t topic : bundle)
                if (!look_at(topic, steps)) return false;
            moved = even_out(bundle) || moved;
        }
    }
    return true;
}

Allotment::Held Allotment::held_of(const Bundle& bundle) const {
    Held held(order_.size());
    for (const std::uint32_t topic : bundle)
        for (std::int32_t at = 0; at < partitions(topic); ++at)
            held[owner({topic, at})].push_back({topic, at});
    for (std::size_t rank = 0; rank < held.size(); ++rank)
        std::ranges::stable_partition(held[rank],
                                      [&](GroupPartition at) { return earlier_owner(at) == rank; });
    return held;
}

bool Allotment::even_out(const Bundle& bundle) {
    Held held = held_of(bundle);
    std::set<std::pair<std::size_t, std::size_t>> takers;
    std::set<std::pair<std::size_t, std::size_t>> givers;
    for (const std::size_t rank : subscribers_[bundle.front()]) {
        takers.emplace(counts_[rank], rank);
        if (!held[rank].empty()) givers.emplace(counts_[rank], rank);
    }
    bool moved = false;
    while (!givers.empty() && givers.rbegin()->first >= takers.begin()->first + 2) {
        const auto [most, giver] = *givers.rbegin();
        const auto [fewest, taker] = *takers.begin();
        const GroupPartition at = held[giver].back();
        held[giver].pop_back();
        held[taker].push_back(at);
        give(at, taker);
        moved = true;
        for (const auto& [before, rank] : {std::pair{most, giver}, std::pair{fewest, taker}}) {
            takers.erase({before, rank});
            givers.erase({before, rank});
            takers.emplace(counts_[rank], rank);
            if (!held[rank].empty()) givers.emplace(counts_[rank], rank);
        }
    }
    return moved;
}

sdk::GroupAssignment Allotment::told() const {
    sdk::GroupAssignment assignment(order_.size());
    for (const std::uint32_t topic : topics_)
        for (std::int32_t at = 0; at < partitions(topic); ++at)
            assignment[order_[owner({topic, at})]].push_back({topic, at});
    return assignment;
}

}  // namespace leat::allotment
