#include "core/host/plugin_context.h"

#include <algorithm>
#include <utility>

namespace leat::host {

sdk::Counter& PluginCounters::counter(const std::string& instance, std::string_view name) {
    const std::lock_guard lock{mutex_};
    const std::pair key{instance, std::string{name}};
    if (const auto found = cells_.find(key); found != cells_.end()) return found->second;
    return cells_.size() < most_counters ? cells_[key] : cells_[{"", "left_out"}];
}

std::vector<PluginCounters::Reading> PluginCounters::readings() const {
    const std::lock_guard lock{mutex_};
    std::vector<Reading> readings;
    for (const auto& [key, cell] : cells_)
        readings.push_back({key.first, key.second, cell.value.load(std::memory_order_relaxed)});
    return readings;
}

InstanceContext::InstanceContext(std::string instance, Loan loan, logging::Logger& logger,
                                 PluginCounters& counters)
    : instance_{std::move(instance)},
      loan_{std::move(loan)},
      logger_{logger},
      counters_{counters} {}

void InstanceContext::log(sdk::LogLevel level, std::string_view event,
                          std::initializer_list<sdk::LogField> fields) {
    if (!logger_.keeps(level)) return;
    std::vector<logging::Field> all{{"instance", instance_}};
    all.insert(all.end(), fields.begin(), fields.end());
    logger_.log(level, event, std::span<const logging::Field>{all});
}

sdk::Counter& InstanceContext::counter(std::string_view name) {
    return counters_.counter(instance_, name);
}

}  // namespace leat::host
