// What an operator sets for all groups. Names and defaults are Kafka's (group.* and offset* broker
// configs).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/group_records/group_record.h"

namespace leat::groups {

// Kafka reads no string of a record that is longer. Newer versions of requests can carry such.
inline constexpr std::size_t most_string_bytes = 32'767;
inline constexpr std::size_t most_instance_id_bytes = 249;  // As Kafka's.

// Between the two protocols of groups, while members are there. An empty group always moves.
enum class ConsumerMigration {
    disabled,
    upgrade,        // A classic group becomes one of KIP-848 for a member that speaks it.
    downgrade,      // Back, when the last such member leaves and classic ones stay.
    bidirectional,  // Both.
};

struct GroupLimits {
    std::chrono::milliseconds least_session_timeout{6'000};     // group.min.session.timeout.ms
    std::chrono::milliseconds most_session_timeout{1'800'000};  // group.max.session.timeout.ms
    std::chrono::milliseconds initial_rebalance_delay{3'000};   // group.initial.rebalance.delay.ms
    std::int32_t most_members = 2'147'483'647;                  // group.max.size
    // A member that has no id yet cannot send heartbeats; it is given up after this.
    std::chrono::milliseconds new_member_join_timeout{300'000};
    std::int32_t most_metadata_bytes = 4'096;  // offset.metadata.max.bytes
    std::chrono::milliseconds offsets_retention{std::chrono::hours{24 * 7}};
    // Of their records: from oldest_ to newest_written_offsets (wire/group_records/group_record.h).
    wire::Version offset_commit_version = wire::newest_written_offsets;
    // A record of a group must fit a batch of its topic, or the group could never be stored.
    std::size_t most_record_bytes = 1'000'000;
    // Of all members together, whose metadata is in memory before any of it is stored. A member has
    // several protocols, of which one is stored.
    std::size_t most_group_bytes = 8'000'000;

    // Of groups whose members have the broker assign (KIP-848).
    std::chrono::milliseconds consumer_session_timeout{45'000};    // group.consumer.session...
    std::chrono::milliseconds consumer_heartbeat_interval{5'000};  // group.consumer.heartbeat...
    std::int32_t most_consumer_members = 2'147'483'647;            // group.consumer.max.size
    // group.consumer.assignors: those that members may choose. The first is for who chooses none.
    std::vector<std::string> consumer_assignors{"uniform", "range"};
    ConsumerMigration consumer_migration = ConsumerMigration::bidirectional;

    // The assignor that the operator wants for the group of that id ([groups]). Empty, or returns
    // nothing: its leader assigns.
    std::function<std::string(std::string_view group)> assignor_for{};
};

}  // namespace leat::groups
