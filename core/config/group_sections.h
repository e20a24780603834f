// The sections about consumer groups.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/config/schema.h"

namespace leat::config {

struct GroupCoordinatorSection {
    std::chrono::milliseconds initial_rebalance_delay{std::chrono::seconds{3}};
    std::chrono::milliseconds session_timeout_min{std::chrono::seconds{6}};
    std::chrono::milliseconds session_timeout_max{std::chrono::minutes{30}};
    std::int32_t most_members = INT32_MAX;
    std::int32_t most_metadata_bytes = 4096;
    std::chrono::milliseconds offsets_retention{std::chrono::hours{24 * 7}};
    std::chrono::milliseconds expiry_check_interval{std::chrono::minutes{10}};
    std::int32_t offset_commit_version = 4;
    std::chrono::milliseconds consumer_session_timeout{std::chrono::seconds{45}};
    std::chrono::milliseconds consumer_heartbeat_interval{std::chrono::seconds{5}};
    std::int32_t most_consumer_members = INT32_MAX;
    std::vector<std::string> consumer_assignors{"uniform", "range"};
    std::string consumer_migration = "bidirectional";
    std::chrono::milliseconds assignor_budget{std::chrono::seconds{5}};

    static constexpr std::string_view table = "group_coordinator";
    static constexpr std::string_view description = "Consumer groups.";
    static constexpr auto keys = std::tuple{
        key("initial_rebalance_delay", &GroupCoordinatorSection::initial_rebalance_delay,
            "How long an empty group waits for more members after the first one.")
            .between(0, 3'600'000),
        key("session_timeout_min", &GroupCoordinatorSection::session_timeout_min,
            "The shortest session timeout that a member may ask for.")
            .between(1, INT32_MAX),
        key("session_timeout_max", &GroupCoordinatorSection::session_timeout_max, "The longest.")
            .between(1, INT32_MAX),
        key("most_members", &GroupCoordinatorSection::most_members, "Of one group.")
            .between(1, INT32_MAX),
        key("most_metadata_bytes", &GroupCoordinatorSection::most_metadata_bytes,
            "Of the text that a client may keep beside an offset.")
            .between(0, 32'767),
        key("offsets_retention", &GroupCoordinatorSection::offsets_retention,
            "How long offsets are kept that no group uses any more.")
            .between(1, 3650ll * 86'400'000),
        key("expiry_check_interval", &GroupCoordinatorSection::expiry_check_interval,
            "How often offsets that are no longer kept are looked for.")
            .between(1, 86'400'000),
        key("offset_commit_version", &GroupCoordinatorSection::offset_commit_version,
            "In which version of their records offsets are written: 4 as by Kafka 4.4; 3 for "
            "programs that read __consumer_offsets and know no newer one, such as Burrow 1.2. Both "
            "are read, whichever is set.")
            .between(3, 4),
        key("consumer_session_timeout", &GroupCoordinatorSection::consumer_session_timeout,
            "Of members of the protocol of KIP-848, which do not ask for one.")
            .between(1, INT32_MAX),
        key("consumer_heartbeat_interval", &GroupCoordinatorSection::consumer_heartbeat_interval,
            "How often such members are told to send heartbeats.")
            .between(1, INT32_MAX),
        key("most_consumer_members", &GroupCoordinatorSection::most_consumer_members,
            "Of one group of that protocol.")
            .between(1, INT32_MAX),
        key("consumer_assignors", &GroupCoordinatorSection::consumer_assignors,
            "The assignment instances, or plugins, among which such members may choose "
            "(group.remote.assignor); the first is for those that choose none."),
        key("consumer_migration", &GroupCoordinatorSection::consumer_migration,
            "Whether a group may change its protocol while it has members: to that of KIP-848 when "
            "a member comes that speaks it (upgrade), back when the last such member goes "
            "(downgrade), both, or neither.")
            .one_of("disabled|upgrade|downgrade|bidirectional"),
        key("assignor_budget", &GroupCoordinatorSection::assignor_budget,
            "How long an assignor plugin may take for one group; one that takes longer is not "
            "asked again until it is reloaded.")
            .between(1, 600'000),
    };
};

// Like a storage instance.
struct AssignmentSection {
    std::string plugin;

    static constexpr std::string_view table = "assignment.NAME";
    static constexpr std::string_view description =
        "An instance of a group assignor. Each plugin is there under its own name as well, with "
        "its options' defaults, unless a section has that name.";
    static constexpr auto keys = std::tuple{
        key("plugin", &AssignmentSection::plugin,
            "The assignment plugin; `leat plugins` lists them.")
            .such_as("\"uniform\"")
            .needed(),
    };
};

// Of groups whose id a pattern matches.
struct GroupsSection {
    std::string assignor;

    static constexpr std::string_view table = "groups.PATTERN";
    static constexpr std::string_view description =
        "Consumer groups whose id matches, such as [groups.\"orders-*\"]; the first that matches "
        "counts.";
    static constexpr auto keys = std::tuple{
        key("assignor", &GroupsSection::assignor,
            "The assignment instance that decides for members of the classic protocol, in place of "
            "their leader, if they agree on range, roundrobin, sticky or cooperative-sticky, and "
            "for those of KIP-848, in place of their choice; empty: the leader, their choice.")
            .such_as("\"uniform\""),
    };
};

}  // namespace leat::config
