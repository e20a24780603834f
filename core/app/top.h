// leat top: what a running broker does, once a second on a terminal, once elsewhere.
#pragma once

#include "core/app/broker_http.h"

namespace leat::app {

struct TopCommand {
    BrokerAddress broker;
    bool once = false;
};

// 1: the broker does not run, or went away.
int top(const TopCommand& asked);

}  // namespace leat::app
