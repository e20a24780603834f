// The plugin instances that topics name, by the names that the configuration gave them. Made before
// the shards run, destroyed after; never changed between.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "leat/sdk/replication.h"
#include "leat/sdk/storage.h"

namespace leat::broker {

struct PluginInstances {
    std::map<std::string, sdk::StorageEngine*, std::less<>> storage;
    std::map<std::string, const sdk::ReplicationPolicy*, std::less<>> replication;
};

}  // namespace leat::broker
