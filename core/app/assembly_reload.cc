// A plugin that is exchanged while the broker runs.

#include <utility>

#include "core/app/assembly.h"
#include "core/app/assignors.h"
#include "core/runtime/offload.h"

namespace leat::app {

void Assembly::reload_assignor(std::string name,
                               sdk::Function<void(sdk::Result<std::string>)> done) {
    if (!assignor_runner_ || stopping_) {
        return done(sdk::Error{sdk::Errc::unavailable, "the broker does not serve now"});
    }
    if (std::exchange(reloading_, true)) {
        return done(sdk::Error{sdk::Errc::conflict, "another reload is under way: try again"});
    }
    runtime::offload(
        runtime_.at(0),
        [this, name] { return reload_assignors(config_, name, host_, runtime_.at(0)); },
        [this, name, done = std::move(done)](sdk::Result<ReloadedAssignors> reloaded) mutable {
            reloading_ = false;
            if (!reloaded) {
                logger_->log(logging::Level::warn, "plugin not reloaded",
                             {{"plugin", name}, {"reason", reloaded.error().what}});
                return done(reloaded.error());
            }
            for (const broker::Assignor& each : reloaded->made) assignor_runner_->replace(each);
            const host::Origin& origin = reloaded->origin;
            logger_->log(logging::Level::info, "plugin reloaded",
                         {{"plugin", name}, {"version", origin.version}, {"file", origin.file}});
            done(name + ": version " + origin.version + " of " + origin.file +
                 ", from each group's next rebalance on");
        });
}

}  // namespace leat::app
