#include "core/app/client_commands/client_commands.h"

namespace leat::app {

void add_client_commands(CommandLine& line) {
    add_topic_commands(line);
}

}  // namespace leat::app
