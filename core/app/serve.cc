#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/app/assembly.h"
#include "core/app/commands.h"
#include "core/app/service_notice.h"

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

int refuse(const std::string& what) {
    const bool complaints = !what.empty() && what.back() == '\n';  // With their places before them.
    std::fprintf(stderr, complaints ? "%s" : "leat: %s\n", what.c_str());
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

// SIGTERM, SIGINT and SIGHUP, taken by a thread that does nothing else. They are blocked before any
// other thread is made, so that no other one gets them. SIGHUP is a terminal that went away, and
// stops the broker in order, unless it was to be ignored (nohup).
class Signals {
public:
    Signals() {
        ::signal(SIGPIPE, SIG_IGN);
        ::sigemptyset(&signals_);
        ::sigaddset(&signals_, SIGTERM);
        ::sigaddset(&signals_, SIGINT);
        struct sigaction hangup {};
        ::sigaction(SIGHUP, nullptr, &hangup);
        if (hangup.sa_handler != SIG_IGN) ::sigaddset(&signals_, SIGHUP);
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
            while (::sigwait(&signals_, &signal) == 0 && !ended_) {
                broker.stop(std::string{"SIG"} + ::sigabbrev_np(signal));
            }
        }};
    }

private:
    sigset_t signals_{};
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

// A manager that cannot be told will take the broker for one that hangs: the log says why.
void notify(logging::Logger& logger, std::string_view state) {
    if (const auto told = notify_service(state); !told) {
        logger.log(logging::Level::warn, "service manager", {{"reason", told.error().what}});
    }
}

sdk::Status serve(Assembly& broker, logging::Logger& logger) {
    Signals signals;
    if (const auto status = broker.prepare(); !status) return status;
    signals.stop_on_signal(broker);
    return broker.run({.serving =
                           [&logger](const std::vector<Assembly::Listening>& listening) {
                               announce(listening);
                               notify(logger, "READY=1\nSTATUS=serving\n");
                           },
                       .stopping = [&logger] { notify(logger, "STOPPING=1\nSTATUS=stopping\n"); }});
}

}  // namespace

int serve(const std::filesystem::path& file) {
    auto loading = config::load(file);
    if (!loading.ok()) return refuse(config::text_of(judge(loading).mistakes));
    auto opened = logging::open_adjustable_logger(logger_options(loading.config.log));
    if (!opened) return refuse(opened.error().what);
    logging::Logger& logger = **opened;
    const bool in_a_file = !loading.config.log.file.empty();
    Assembly broker{std::move(loading.config), std::move(*opened)};
    const auto status = serve(broker, logger);
    if (!status && in_a_file) {
        logger.log(logging::Level::error, "stopped", {{"reason", status.error().what}});
    }
    const int code = status ? 0 : refuse(status.error().what);
    if (broker.left_a_thread()) {
        std::fflush(nullptr);
        std::_Exit(code);
    }
    return code;
}

}  // namespace leat::app
