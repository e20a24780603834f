// leat group reset: where a group without members goes on reading.
#pragma once

#include "core/app/command_line.h"

namespace leat::app {

void add_group_reset(CommandLine& line, CLI::App& group);

}  // namespace leat::app
