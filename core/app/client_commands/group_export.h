// leat group export: a group as a file, for `leat assign simulate` and for whoever has no access to
// its brokers.
#pragma once

#include "core/app/command_line.h"

namespace leat::app {

void add_group_export(CommandLine& line, CLI::App& group);

}  // namespace leat::app
