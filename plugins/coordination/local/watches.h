// Who wants to hear of changes under which prefix. [shard]
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/coordination.h"
#include "store.h"

namespace leat::local {

class Watches {
public:
    using Handle = std::shared_ptr<sdk::Watcher>;  // The map and a call that is running own it.

    // Replaces the watcher that the prefix had.
    Handle add(std::string prefix, sdk::Watcher watcher);
    bool has(const std::string& prefix, const Handle& handle) const;

    // The store keeps no trace of a deleted key, so a watcher that asks for what happened since a
    // revision before the last deletion has to read again.
    void forget_deletions_up_to(sdk::Revision revision) { last_deletion_ = revision; }
    bool may_miss_deletions(sdk::Revision after) const { return after < last_deletion_; }

    struct Delivery {
        std::string prefix;
        Handle watcher;
        std::vector<sdk::WatchEvent> events;
    };
    // The part of `events` that each watcher is to hear.
    std::vector<Delivery> sort(const std::vector<sdk::WatchEvent>& events) const;

private:
    std::map<std::string, Handle> watchers_;
    sdk::Revision last_deletion_;
};

// Everything under `prefix` that is newer than `after`.
std::vector<sdk::WatchEvent> changes_since(const Store& store, std::string_view prefix,
                                           sdk::Revision after);

}  // namespace leat::local
