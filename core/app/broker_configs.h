// The configuration under the names that Kafka has for it.
#pragma once

#include <vector>

#include "core/cluster/topic_config.h"
#include "core/config/config.h"

namespace leat::app {

// What DescribeConfigs says of this broker, in order of name: Kafka's names for what Leat has.
std::vector<cluster::ConfigEntry> broker_configs(const config::Config& config);

}  // namespace leat::app
