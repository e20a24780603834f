// What an instance of a plugin is lent: the host's side of sdk/plugin_context.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/logging/logger.h"
#include "leat/sdk/plugin_context.h"

namespace leat::host {

// The counters of all plugins. Any thread; the lock is held only while a counter is made or listed,
// a plugin keeps the reference and adds without it.
class PluginCounters {
public:
    static constexpr std::size_t most_counters = 10'000;  // Further ones share one.

    sdk::Counter& counter(const std::string& instance, std::string_view name);

    struct Reading {
        std::string instance;
        std::string counter;
        std::uint64_t value;
    };
    std::vector<Reading> readings() const;  // By instance and name.

private:
    struct Cell final : sdk::Counter {
        void add(std::uint64_t n) override { value.fetch_add(n, std::memory_order_relaxed); }
        std::atomic<std::uint64_t> value{0};
    };

    mutable std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, Cell> cells_;
};

// What the broker lends to one instance. All of it outlives the instance.
struct Loan {
    sdk::Shard& shard;
    sdk::Network* network = nullptr;    // For coordination backends only.
    std::filesystem::path data_folder;  // Made (0700) if it is missing; empty: no disk.
    std::uint64_t memory_budget = 0;    // Bytes; 0: no limit of its own.
};

class InstanceContext final : public sdk::PluginContext {
public:
    InstanceContext(std::string instance, Loan loan, logging::Logger& logger,
                    PluginCounters& counters);

    void log(sdk::LogLevel level, std::string_view event,
             std::initializer_list<sdk::LogField> fields) override;
    const std::string& instance() const override { return instance_; }
    const std::filesystem::path& data_folder() const override { return loan_.data_folder; }
    sdk::Shard& shard() override { return loan_.shard; }
    sdk::Network* network() override { return loan_.network; }
    std::uint64_t memory_budget() const override { return loan_.memory_budget; }
    sdk::Counter& counter(std::string_view name) override;

private:
    const std::string instance_;
    const Loan loan_;
    logging::Logger& logger_;
    PluginCounters& counters_;
};

}  // namespace leat::host
