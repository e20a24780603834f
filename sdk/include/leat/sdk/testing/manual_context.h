// A PluginContext for tests: what an instance logs is kept, its shard is turned by hand.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/plugin_context.h"

namespace leat::sdk::testing {

class ManualContext final : public PluginContext {
public:
    explicit ManualContext(Shard& shard, std::filesystem::path data_folder = {},
                           std::string instance = "test")
        : shard_{shard}, data_folder_{std::move(data_folder)}, instance_{std::move(instance)} {}

    void log(LogLevel, std::string_view event, std::initializer_list<LogField> fields) override {
        std::string line{event};
        for (const auto& [name, value] : fields) line.append(" ").append(name).append("=" + value);
        const std::scoped_lock held{mutex_};
        lines_.push_back(std::move(line));
    }
    const std::string& instance() const override { return instance_; }
    const std::filesystem::path& data_folder() const override { return data_folder_; }
    Shard& shard() override { return shard_; }
    Network* network() override { return network_; }
    std::uint64_t memory_budget() const override { return memory_budget_; }
    Counter& counter(std::string_view name) override {
        const std::scoped_lock held{mutex_};
        return counters_[std::string{name}];
    }

    void lend(Network* network) { network_ = network; }
    void limit_memory(std::uint64_t bytes) { memory_budget_ = bytes; }
    std::vector<std::string> lines() const {
        const std::scoped_lock held{mutex_};
        return lines_;
    }
    std::uint64_t count(const std::string& name) const {
        const std::scoped_lock held{mutex_};
        const auto found = counters_.find(name);
        return found == counters_.end() ? 0 : found->second.value();
    }

private:
    class Count final : public Counter {
    public:
        void add(std::uint64_t n) override { value_ += n; }
        std::uint64_t value() const { return value_; }

    private:
        std::atomic<std::uint64_t> value_{0};
    };

    Shard& shard_;
    const std::filesystem::path data_folder_;
    const std::string instance_;
    Network* network_ = nullptr;
    std::uint64_t memory_budget_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
    std::map<std::string, Count> counters_;
};

}  // namespace leat::sdk::testing
