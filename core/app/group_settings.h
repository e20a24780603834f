// What the configuration says of consumer groups.
#pragma once

#include <vector>

#include "core/broker/group_coordinator.h"
#include "core/config/config.h"

namespace leat::app {

// Complaints where this program has no consumer groups.
std::vector<config::Complaint> check_groups(const config::Config& config);

// `config` outlives them.
broker::GroupSettings group_settings(const config::Config& config);

}  // namespace leat::app
