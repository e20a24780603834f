// The options that every engine over these files declares, and what they say.
#pragma once

#include <vector>

#include "leat/sdk/settings.h"
#include "engine_state.h"

namespace leat::segment {

std::vector<sdk::Option> engine_options();

// Of a table in which every one of them has a value. Descriptors are shared with the rest of the
// process: of its limit (RLIMIT_NOFILE) at most a quarter goes to readers, another one to writers.
EngineOptions engine_settings(const sdk::Settings& settings);

}  // namespace leat::segment
