// How a broker ends in order.

#include "core/api/session.h"
#include "core/app/assembly.h"

namespace leat::app {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds{2};
constexpr int most_polls = 5000;  // 10 s for running requests and unsent answers.

}  // namespace

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
    runtime_.stop_listening();
    for (std::size_t shard = 0; shard < runtime_.count(); ++shard) {
        runtime_.at(shard).post([this, shard] {
            const auto sessions = services_->sessions[shard];  // Sessions may go while it walks.
            for (api::Session* session : sessions) {
                if (services_->sessions[shard].contains(session)) session->drain();
            }
        });
    }
    runtime_.at(0).after(poll_interval, [this] { wait_for_sessions(most_polls); });
}

void Assembly::wait_for_sessions(int polls_left) {
    if (services_->open_sessions.load() == 0 || polls_left == 0) return close_partitions();
    runtime_.at(0).after(poll_interval, [this, polls_left] { wait_for_sessions(polls_left - 1); });
}

void Assembly::close_partitions() {
    // Counted on shard 0.
    auto left = std::make_shared<std::size_t>(runtime_.count());
    logs_closed_well_ = true;
    for (std::size_t shard = 0; shard < runtime_.count(); ++shard) {
        runtime_.at(shard).post([this, shard, left] {
            tables_->at(shard).close_all([this, left](bool well) {
                runtime_.at(0).post([this, left, well] {
                    logs_closed_well_ &= well;
                    if (--*left == 0) stop_metadata();
                });
            });
        });
    }
}

void Assembly::stop_metadata() {
    metadata_->stop([this] { runtime_.stop(); });
}

}  // namespace leat::app
