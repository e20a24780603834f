// leat admin: asks a running broker by the socket in its data folder. Prints what it answers; 1 if
// it does not run, or refuses.
#pragma once

#include <string>

#include "core/app/broker_http.h"

namespace leat::app {

struct AdminCommand {
    BrokerAddress broker;
    std::string action;    // "log-level", "stop", "metrics", "ready", "reload"
    std::string level;     // Of log-level; empty asks what it is.
    std::string plugin{};  // Of reload.
};

int admin(const AdminCommand& asked);

}  // namespace leat::app
