#include "core/app/client_commands/broker_option.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <utility>

#include "core/config/units.h"

namespace leat::app {
namespace {

constexpr int wrong_usage = 2;
constexpr int stopped_by_a_signal = 130;  // As shells say it of SIGINT.

// The only way from a signal handler to a wait; -1 while nobody waits.
int signal_pipe = -1;

void on_signal(int) {
    static_cast<void>(!::write(signal_pipe, "", 1));
}

class Interruption {
public:
    Interruption() {
        if (::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) return;
        signal_pipe = pipe_[1];
        struct sigaction action {};
        action.sa_handler = on_signal;
        action.sa_flags = static_cast<int>(SA_RESETHAND);  // The second one is not to be survived.
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            struct sigaction before {};
            ::sigaction(signal, nullptr, &before);
            if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
        }
        ::signal(SIGPIPE, SIG_IGN);  // A write says it.
    }
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;
    ~Interruption() {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
        for (const int end : pipe_) ::close(end);
    }

    int descriptor() const { return pipe_[0]; }

private:
    int pipe_[2] = {-1, -1};
};

}  // namespace

void BrokerOption::add_to(CLI::App& command) {
    command.add_option("-b,--broker", brokers, "HOST:PORT of a broker; more with commas")
        ->envname("LEAT_BROKER")
        ->capture_default_str();
    command.add_option("--timeout", timeout, "How long to be patient with brokers")
        ->capture_default_str();
}

sdk::Result<client::Cluster> BrokerOption::cluster(client::Watch& watch) const {
    auto addresses = client::parse_addresses(brokers);
    if (!addresses) return addresses.error();
    const auto duration = config::parse_duration(timeout);
    constexpr auto longest = std::chrono::hours{1};
    if (!duration || duration->count() == 0 || *duration > longest) {
        return sdk::Error{sdk::Errc::invalid_argument,
                          "--timeout takes 1ms to 1h, like 30s, not `" + timeout + "`"};
    }
    return client::Cluster{std::move(*addresses), *duration, watch};
}

int say(const sdk::Error& error) {
    std::fprintf(stderr, "leat: %s\n", error.what.c_str());
    return 1;
}

int over_the_wire(const BrokerOption& broker, OverTheWire act) {
    const Interruption interruption;
    client::Watch watch;
    watch.stop_when(interruption.descriptor(), POLLIN);
    auto cluster = broker.cluster(watch);
    if (!cluster) return say(cluster.error()), wrong_usage;
    const auto code = act(*cluster);
    if (code) return *code;
    return code.error().code == sdk::Errc::closed ? stopped_by_a_signal : say(code.error());
}

}  // namespace leat::app
