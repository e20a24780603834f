// Standard output for much: written when some has come together and when asked. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/client/watch.h"

namespace leat::app {

class Output {
public:
    // From now on the watch also ends its waits when nobody reads standard output any more.
    explicit Output(client::Watch& watch);

    // Errors are those of flush().
    sdk::Status put(std::string_view bytes);
    // Errc::closed when nobody reads any more, or as the watch has it; Errc::io with a sentence.
    sdk::Status flush();

    // Nobody reads: `leat consume | head` has seen enough.
    bool abandoned() const;

private:
    client::Watch& watch_;
    std::string held_;
};

}  // namespace leat::app
