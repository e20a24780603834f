#include "core/app/client_commands/client_commands.h"

namespace leat::app {

void add_client_commands(CommandLine& line) {
    add_topic_commands(line);
    add_group_commands(line);
    add_produce_command(line);
    add_consume_command(line);
    add_doctor_command(line);
}

}  // namespace leat::app
