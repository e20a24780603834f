// How a broker ends in order.

#include <utility>

#include "core/app/assembly.h"

namespace leat::app {

void Assembly::stop(std::string why) {
    runtime_.at(0).post([this, why = std::move(why)] {
        if (std::exchange(stopping_, true)) {
            logger_->log(logging::Level::info, "stopping already",
                         {{"reason", why},
                          {"note",
                           "clients get a few seconds; kill -9 ends it "
                           "at once, and the next start recovers"}});
            return;
        }
        logger_->log(logging::Level::info, "stopping", {{"reason", why}});
        end();
    });
}

void Assembly::fail(sdk::Error error) {
    failure_ = std::move(error);
    if (!std::exchange(stopping_, true)) end();
}

void Assembly::end() {
    if (watcher_.stopping) watcher_.stopping();
    if (view_) view_->stops();
    services_ ? drain() : runtime_.stop();
}

sdk::Status Assembly::ended() {
    const sdk::Status closed = close_engines();
    if (failure_) return *failure_;
    if (closed) logger_->log(logging::Level::info, "stopped cleanly");
    return closed;
}

// Also when the broker never served: a port that is taken must not cost a recovery.
sdk::Status Assembly::close_engines() {
    if (drain_ && !logs_closed_well_) {
        return sdk::Error{sdk::Errc::io,
                          "partitions were offline or could not be synced when the broker stopped: "
                          "the log says which and why; the next start recovers them"};
    }
    sdk::Status closed;
    for (const auto& engine : engines_) {
        if (const auto status = engine.object->closed_cleanly(); !status) closed = status;
    }
    return closed;
}

void Assembly::drain() {
    if (drain_) return;
    drain_.emplace(*services_, runtime_);
    drain_->start([this](bool logs_closed_well) {
        logs_closed_well_ = logs_closed_well;
        runtime_.stop();
    });
}

}  // namespace leat::app
