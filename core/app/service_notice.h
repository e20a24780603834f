// Tells the service manager that started this program how far it is: systemd's protocol for units
// of Type=notify, sd_notify(3), one datagram to the socket that NOTIFY_SOCKET names.
#pragma once

#include <string_view>

#include "leat/sdk/result.h"

namespace leat::app {

// [any thread] `state` is lines such as "READY=1". Without NOTIFY_SOCKET nobody asked, and nothing
// is done. Waits for two seconds at most, should the manager's queue be full.
sdk::Status notify_service(std::string_view state);

}  // namespace leat::app
