#include "watches.h"

#include <utility>
#include <variant>

namespace leat::local {

namespace {

std::string_view key_of(const sdk::WatchEvent& event) {
    if (const auto* changed = std::get_if<sdk::KeyChanged>(&event)) return changed->entry.key;
    if (const auto* deleted = std::get_if<sdk::KeyDeleted>(&event)) return deleted->key;
    return {};
}

}  // namespace

Watches::Handle Watches::add(std::string prefix, sdk::Watcher watcher) {
    auto handle = std::make_shared<sdk::Watcher>(std::move(watcher));
    watchers_.insert_or_assign(std::move(prefix), handle);
    return handle;
}

bool Watches::has(const std::string& prefix, const Handle& handle) const {
    const auto found = watchers_.find(prefix);
    return found != watchers_.end() && found->second == handle;
}

std::vector<Watches::Delivery> Watches::sort(const std::vector<sdk::WatchEvent>& events) const {
    std::vector<Delivery> deliveries;
    for (const auto& [prefix, watcher] : watchers_) {
        Delivery delivery{.prefix = prefix, .watcher = watcher, .events = {}};
        for (const sdk::WatchEvent& event : events)
            if (key_of(event).starts_with(prefix)) delivery.events.push_back(event);
        if (!delivery.events.empty()) deliveries.push_back(std::move(delivery));
    }
    return deliveries;
}

std::vector<sdk::WatchEvent> changes_since(const Store& store, std::string_view prefix,
                                           sdk::Revision after) {
    std::vector<sdk::WatchEvent> events;
    store.for_each(prefix, [&](const Entry& entry) {
        if (entry.revision() <= after) return;
        events.emplace_back(sdk::KeyChanged{{.key = std::string{entry.key()},
                                             .value = std::string{entry.value()},
                                             .revision = entry.revision()}});
    });
    return events;
}

}  // namespace leat::local
