// What the configuration says of consumer groups.
#pragma once

#include "core/broker/group_coordinator.h"
#include "core/config/config.h"

namespace leat::app {

broker::GroupSettings group_settings(const config::Config& config);

}  // namespace leat::app
