#include "core/api/drain.h"

#include <chrono>
#include <utility>

#include "core/api/session.h"

namespace leat::api {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds{2};
constexpr auto patience = std::chrono::seconds{10};  // For running requests and unsent answers.

}  // namespace

void Drain::start(sdk::Function<void(bool)> done) {
    done_ = std::move(done);
    network_.stop_listening();
    for (std::size_t shard = 0; shard < services_.shards.count(); ++shard) {
        services_.shards.at(shard).post([this, shard] {
            services_.draining[shard] = 1;
            const auto sessions = services_.sessions[shard];  // Sessions may go while it walks.
            for (const auto& [number, session] : sessions) {
                if (services_.sessions[shard].contains(number)) session->drain();
            }
        });
    }
    services_.shards.at(0).after(
        poll_interval,
        [this, until = services_.shards.at(0).now() + patience] { wait_for_sessions(until); });
}

void Drain::wait_for_sessions(sdk::Instant until) {
    const std::size_t open = services_.counts->open.load();
    if (open == 0) return close_partitions();
    sdk::Shard& shard = services_.shards.at(0);
    if (shard.now() >= until) {
        services_.logger.log(logging::Level::warn, "the drain timed out",
                             {{"connections", std::to_string(open)},
                              {"note", "they are closed with their answers unsent"}});
        return close_partitions();
    }
    shard.after(poll_interval, [this, until] { wait_for_sessions(until); });
}

void Drain::close_partitions() {
    still_closing_ = services_.shards.count();
    for (std::size_t shard = 0; shard < services_.shards.count(); ++shard) {
        services_.shards.at(shard).post([this, shard] {
            services_.groups.at(shard)->resign();
            services_.tables.at(shard).close_all([this](bool well) {
                services_.shards.at(0).post([this, well] {
                    logs_closed_well_ &= well;
                    if (--still_closing_ > 0) return;
                    services_.metadata.stop([this] { done_(logs_closed_well_); });
                });
            });
        });
    }
}

}  // namespace leat::api
