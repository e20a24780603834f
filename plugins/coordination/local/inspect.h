// The journal and the snapshot, told item by item: `leat dump`.
#pragma once

#include <vector>

#include "leat/sdk/inspection.h"

namespace leat::local {

std::vector<sdk::FileInspector> inspectors();

}  // namespace leat::local
