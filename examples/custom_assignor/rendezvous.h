// A group assignor that remembers nothing: each partition is with the subscriber for which a hash
// of both is highest (Thaler and Ravishankar, "Using name-based mappings to increase hit rates",
// 1998). Whoever leaves takes only his own partitions along, and a static member that comes back
// has the same ones again, even if the whole group was away meanwhile: for consumers that keep a
// cache or a local store for each partition. What it gives up is evenness: how many partitions a
// member has is left to chance, so it wants many more partitions than members.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leat/sdk/assignment.h"

class Rendezvous final : public leat::sdk::GroupAssignor {
public:
    // What the kit holds it to: balance `none` promises no evenness.
    static constexpr leat::sdk::AssignmentCapabilities capabilities{.keeps_the_others = true};

    leat::sdk::Result<leat::sdk::GroupAssignment> assign(
        const leat::sdk::AssignmentInput& input, leat::sdk::AssignmentSteps& steps) const override {
        std::vector<std::vector<std::size_t>> subscribers(input.topics.size());
        std::vector<std::uint64_t> hashes;  // Of the members.
        for (std::size_t i = 0; i < input.members.size(); ++i) {
            hashes.push_back(hash_of(name_of(input.members[i])));
            for (const std::uint32_t topic : input.members[i].topics)
                subscribers[topic].push_back(i);
        }
        leat::sdk::GroupAssignment assignment(input.members.size());
        for (std::uint32_t topic = 0; topic < input.topics.size(); ++topic) {
            const auto& takers = subscribers[topic];
            const auto partitions =
                static_cast<std::int32_t>(input.topics[topic].partitions.size());
            if (takers.empty()) continue;
            if (!steps.take(takers.size() * static_cast<std::uint64_t>(partitions)))
                return leat::sdk::Error{leat::sdk::Errc::limit, "stopped at a topic"};
            const std::uint64_t place = hash_of(input.topics[topic].id);
            for (std::int32_t at = 0; at < partitions; ++at) {
                const auto worth = [&](std::size_t member) {
                    const std::uint64_t partition = mixed(place + static_cast<std::uint64_t>(at));
                    // Two hashes may be the same, two member ids are not.
                    return std::pair<std::uint64_t, std::string_view>{
                        mixed(hashes[member] ^ partition), input.members[member].id};
                };
                std::size_t best = takers.front();
                for (const std::size_t each : takers)
                    if (worth(each) > worth(best)) best = each;
                assignment[best].push_back({topic, at});
            }
        }
        return assignment;
    }

private:
    // Of a static member what stays when it restarts.
    static const std::string& name_of(const leat::sdk::GroupMember& member) {
        return member.instance ? *member.instance : member.id;
    }
    // The same on every broker: std::hash promises that for one run of one program only.
    template <class Bytes>
    static std::uint64_t hash_of_bytes(const Bytes& bytes) {
        std::uint64_t hash = 14695981039346656037U;  // FNV-1a.
        for (const auto byte : bytes)
            hash = (hash ^ static_cast<std::uint8_t>(byte)) * 1099511628211U;
        return hash;
    }
    static std::uint64_t hash_of(const std::string& name) { return hash_of_bytes(name); }
    static std::uint64_t hash_of(const leat::sdk::Uuid& id) { return hash_of_bytes(id.bytes); }

    // Every bit of `value` changes about half of the bits of this (SplitMix64's last step).
    static std::uint64_t mixed(std::uint64_t value) {
        value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
        value = (value ^ value >> 27) * 0x94d049bb133111ebU;
        return value ^ value >> 31;
    }
};
