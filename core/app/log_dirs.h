// What DescribeLogDirs says of the places where logs are kept: one for each storage instance.
#pragma once

#include <filesystem>

#include "core/api/services.h"
#include "core/config/config.h"
#include "core/host/plugin_host.h"

namespace leat::app {

// `data` is the data folder's absolute path. An instance that is not durable has a name there, but
// no device: its space is not known.
api::LogDirs log_dirs(const config::Config& config, const std::filesystem::path& data,
                      const host::PluginHost& host);

}  // namespace leat::app
