// What the host lends to each instance of a plugin. It outlives the instance. No third-party type
// is in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "leat/sdk/network.h"
#include "leat/sdk/result.h"
#include "leat/sdk/shard.h"

namespace leat::sdk {

enum class LogLevel { debug, info, warn, error };

// One key=value of a structured log line.
using LogField = std::pair<std::string_view, std::string>;

class Counter {
public:
    virtual void add(std::uint64_t n) = 0;  // Any thread.

protected:
    ~Counter() = default;
};

class PluginContext {
public:
    // [any thread] One structured line, marked with the instance's name. `event` is a short
    // sentence, the facts go into the fields.
    virtual void log(LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) = 0;

    // The instance's name in the configuration: `fast` for [storage.fast].
    virtual const std::string& instance() const = 0;

    // A folder of its own, made before the instance is. Empty where the host runs without a disk.
    virtual const std::filesystem::path& data_folder() const = 0;

    // The shard that this instance lives on (coordination), or shard 0 (everything else).
    virtual Shard& shard() = 0;

    // The broker's network, for plugins that speak to their like on other nodes. Null unless the
    // plugin is a coordination backend.
    virtual Network* network() = 0;

    // Bytes of memory that this instance may hold; 0 is no limit of its own.
    virtual std::uint64_t memory_budget() const = 0;

    // A counter that lives as long as the host, told as `leat_plugin_counter_total` with the
    // instance and `name` as labels. [any thread]
    virtual Counter& counter(std::string_view name) = 0;

protected:
    ~PluginContext() = default;
};

}  // namespace leat::sdk
