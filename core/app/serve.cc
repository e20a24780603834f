#include <csignal>
#include <cstdio>
#include <thread>

#include "core/app/assembly.h"
#include "core/app/commands.h"
#include "core/app/topic_settings.h"

namespace leat::app {
namespace {

logging::LoggerOptions logger_options(const config::LogSection& section) {
    using logging::Level;
    return {.level = section.level == "debug"   ? Level::debug
                     : section.level == "warn"  ? Level::warn
                     : section.level == "error" ? Level::error
                                                : Level::info,
            .format = section.format == "json" ? logging::Format::json : logging::Format::text,
            .file = section.file};
}

int refuse(const sdk::Error& error) {
    const bool ends_line = !error.what.empty() && error.what.back() == '\n';
    std::fprintf(stderr, "leat: %s%s", error.what.c_str(), ends_line ? "" : "\n");
    return 1;
}

// What programs that start a broker wait for, on the standard output.
void announce(const std::vector<Assembly::Listening>& listening) {
    for (const auto& [listener, at] : listening) {
        std::printf("listening on %s:%u (%s)\n", at.host.c_str(), at.port, listener.c_str());
    }
    std::printf("ready\n");
    std::fflush(stdout);
}

// SIGTERM and SIGINT, taken by a thread that does nothing else. They are blocked before any other
// thread is made, so that no other one gets them.
class Signals {
public:
    Signals() {
        ::signal(SIGPIPE, SIG_IGN);
        ::sigemptyset(&signals_);
        ::sigaddset(&signals_, SIGTERM);
        ::sigaddset(&signals_, SIGINT);
        ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    }
    ~Signals() {
        if (!thread_.joinable()) return;
        ended_ = true;
        ::pthread_kill(thread_.native_handle(), SIGTERM);
        thread_.join();
    }

    void stop_on_signal(Assembly& broker) {
        thread_ = std::thread{[this, &broker] {
            int signal = 0;
            while (::sigwait(&signals_, &signal) == 0 && !ended_) broker.stop();
        }};
    }

private:
    sigset_t signals_{};
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

}  // namespace

int serve(const std::filesystem::path& file) {
    auto loading = config::load(file);
    if (loading.ok()) loading.complaints = check_topic_configs(loading.config);
    if (!loading.ok()) {
        std::fputs(config::text_of(loading.complaints).c_str(), stderr);
        return 1;
    }
    auto logger = logging::open_logger(logger_options(loading.config.log));
    if (!logger) return refuse(logger.error());
    Assembly broker{std::move(loading.config), std::move(*logger)};
    Signals signals;
    if (const auto status = broker.prepare(); !status) return refuse(status.error());
    signals.stop_on_signal(broker);
    if (const auto status = broker.run(announce); !status) return refuse(status.error());
    return 0;
}

}  // namespace leat::app
