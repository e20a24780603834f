#include "core/app/group_settings.h"

#include "core/app/data_folder.h"
#include "core/groups/built_in.h"

namespace leat::app {
namespace {

// As Java writes it (RFC 9562): tools and people know member ids by this look.
std::string random_id() {
    constexpr char digits[] = "0123456789abcdef";
    const sdk::Uuid uuid = random_uuid();
    std::string text;
    for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += digits[uuid.bytes[i] >> 4];
        text += digits[uuid.bytes[i] & 15];
    }
    return text;
}

// Of a text that the configuration has checked.
groups::ConsumerMigration migration(std::string_view policy) {
    using groups::ConsumerMigration;
    if (policy == "upgrade") return ConsumerMigration::upgrade;
    if (policy == "downgrade") return ConsumerMigration::downgrade;
    if (policy == "bidirectional") return ConsumerMigration::bidirectional;
    return ConsumerMigration::disabled;
}

}  // namespace

std::vector<config::Complaint> check_groups(const config::Config& config) {
    if (groups::built_in) return {};
    std::vector<config::Complaint> complaints;
    const auto refuse = [&](config::Place place) {
        complaints.push_back(
            config.source.complaint(place, "this program was built without consumer groups"));
    };
    if (config.group_coordinator_place) refuse(*config.group_coordinator_place);
    for (const auto& group : config.groups) refuse(group.assignor_place);
    return complaints;
}

broker::GroupSettings group_settings(const config::Config& config) {
    const config::GroupCoordinatorSection& given = config.group_coordinator;
    return {
        .limits = {.least_session_timeout = given.session_timeout_min,
                   .most_session_timeout = given.session_timeout_max,
                   .initial_rebalance_delay = given.initial_rebalance_delay,
                   .most_members = given.most_members,
                   .most_metadata_bytes = given.most_metadata_bytes,
                   .offsets_retention = given.offsets_retention,
                   .offset_commit_version = wire::Version(given.offset_commit_version),
                   .consumer_session_timeout = given.consumer_session_timeout,
                   .consumer_heartbeat_interval = given.consumer_heartbeat_interval,
                   .most_consumer_members = given.most_consumer_members,
                   .consumer_assignors = given.consumer_assignors,
                   .consumer_migration = migration(given.consumer_migration),
                   .assignor_for =
                       [&config](std::string_view group) { return config.assignor_for(group); }},
        .expiry_check = given.expiry_check_interval,
        .make_id = random_id};
}

}  // namespace leat::app
