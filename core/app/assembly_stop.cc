// How a broker ends in order.

#include "core/app/assembly.h"

#include <utility>

namespace leat::app {

void Assembly::stop() {
    runtime_.at(0).post([this] {
        if (std::exchange(stopping_, true)) return;
        logger_->log(logging::Level::info, "stopping");
        services_ ? drain() : runtime_.stop();
    });
}

void Assembly::fail(sdk::Error error) {
    failure_ = std::move(error);
    stopping_ = true;
    services_ ? drain() : runtime_.stop();
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
