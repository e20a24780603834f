// Who has a log open, over all shards. An engine keeps a partition under its topic's name; a topic
// that is deleted and made again under that name has another id, and maybe another shard. The new
// one's log is opened when the old one's has been destroyed: what the old one still writes (a last
// sync, a side file) must not reach the new one's bytes.
//
// Threads    [any shard]. Taken when a log is opened and closed, never between.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/ensure.h"
#include "leat/sdk/function.h"
#include "leat/sdk/shard.h"

namespace leat::broker {

class OpenLogs {
public:
    // `turn` runs on `shard`, the caller's: within this call if nobody has `name`, else after
    // those who asked before have let go. Whoever asked calls release() once after that.
    void claim(const std::string& name, sdk::Shard& shard, sdk::Task turn) {
        {
            const std::lock_guard lock{mutex_};
            const auto [held, first] = waiting_.try_emplace(name);
            if (!first) {
                held->second.emplace_back(&shard, std::move(turn));
                return;
            }
        }
        turn();
    }

    void release(const std::string& name) {
        const std::lock_guard lock{mutex_};
        const auto held = waiting_.find(name);
        sdk::ensure(held != waiting_.end(), "a log that is let go was claimed");
        if (held->second.empty()) {
            waiting_.erase(held);
            return;
        }
        auto [shard, turn] = std::move(held->second.front());
        held->second.erase(held->second.begin());
        shard->post(std::move(turn));
    }

private:
    std::mutex mutex_;
    // One entry for each name that is held.
    std::map<std::string, std::vector<std::pair<sdk::Shard*, sdk::Task>>, std::less<>> waiting_;
};

}  // namespace leat::broker
