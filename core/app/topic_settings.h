// From the configuration's topic sections to what the control plane works with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/broker/metadata.h"
#include "core/cluster/topic_config.h"
#include "core/config/config.h"

namespace leat::app {

// How a topic of this name is made where its creation does not say.
broker::TopicTemplate topic_template(const config::Config& config, std::string_view topic);

// [topic_defaults] as Kafka's topic configs: for topics without an override.
cluster::ConfigMap topic_defaults(const config::Config& config);

// Every value under [topic_defaults.config] and the templates' that its key does not take.
std::vector<config::Complaint> check_topic_configs(const config::Config& config);

}  // namespace leat::app
