// Every wait of the command line: for a socket, for a while. A wait ends early, with Errc::closed,
// when one of the descriptors that are watched beside it says that it is over: the pipe into which
// a signal handler writes, a standard output that nobody reads any more. One thread.
#pragma once

#include <poll.h>

#include <chrono>
#include <vector>

#include "leat/sdk/result.h"

namespace leat::client {

using SteadyClock = std::chrono::steady_clock;

class Watch {
public:
    // From now on a wait ends when `descriptor` (borrowed) has one of `events`, an error or a
    // hangup. No events: only those two, which is how a pipe without a reader shows.
    void stop_when(int descriptor, short events);

    // Until `descriptor` has one of `events`: then ok, also for an error, which the next read or
    // write will say. Errc::timed_out at the deadline, Errc::closed when it is over.
    sdk::Status until_ready(int descriptor, short events, SteadyClock::time_point deadline);
    // Errc::closed if it is over before.
    sdk::Status pause(std::chrono::milliseconds duration);

    bool over();  // Without waiting.

private:
    std::vector<pollfd> watched_;  // And the one that is waited for, while it is.
};

}  // namespace leat::client
