// A broker as a child process, and the commands that speak to it as others.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "tests/app/child.h"

namespace leat::app {

class BrokerProcess {
public:
    // `more` is TOML, appended.
    explicit BrokerProcess(std::string_view more = "")
        : config_{folder_.config(more)}, broker_{std::in_place, serve()}, port_{broker_->port()} {
        EXPECT_NE(port_, 0) << broker_->err();
    }

    // Ends it so and starts it over the same data, on another port. `more` takes the place of what
    // it had of TOML.
    void restart(int signal, const std::optional<std::string>& more = {}) {
        broker_->signal(signal);
        EXPECT_EQ(broker_->wait(), signal == SIGKILL ? 128 + SIGKILL : 0) << broker_->err();
        if (more) config_ = folder_.config(*more);
        broker_.emplace(serve());
        port_ = broker_->port();
        EXPECT_NE(port_, 0) << broker_->err();
    }

    std::uint16_t port() const { return port_; }
    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    pid_t pid() const { return broker_->pid(); }
    const Folder& folder() const { return folder_; }

    // The arguments, and which broker.
    std::vector<std::string> command(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--broker", address()});
        return arguments;
    }
    // To its end.
    Ended run(const std::vector<std::string>& arguments) const {
        return app::run(command(arguments));
    }

private:
    std::vector<std::string> serve() const { return {"serve", config_}; }

    Folder folder_;
    std::string config_;
    std::optional<Child> broker_;
    std::uint16_t port_;
};

}  // namespace leat::app
