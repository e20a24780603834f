// The subcommands that speak to a broker over the wire, this one or any other that Kafka clients
// can talk to. A library of its own: a small binary leaves it out (LEAT_CLIENT_COMMANDS=OFF).
//
// Exit codes: 0 done (also when nobody reads the output any more), 1 a broker refuses or is not
// there (a sentence on stderr says why), 2 wrong usage, 130 stopped by ctrl-C or SIGTERM.
#pragma once

#include "core/app/command_line.h"

namespace leat::app {

void add_client_commands(CommandLine& line);

// Each adds its own; their options live as long as `line`.
void add_topic_commands(CommandLine& line);
void add_group_commands(CommandLine& line);
void add_produce_command(CommandLine& line);
void add_consume_command(CommandLine& line);
void add_doctor_command(CommandLine& line);

}  // namespace leat::app
