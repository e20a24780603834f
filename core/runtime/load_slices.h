// Brings the bytes of slices into one buffer, for those who must look at them. The hot path never
// does.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leat/sdk/result.h"
#include "leat/sdk/slice.h"

namespace leat::runtime {

// [worker] Replaces what is in `bytes`. Errc::io if a file cannot be read, or is shorter than its
// slice.
sdk::Status load(std::span<const sdk::Slice> slices, std::vector<std::byte>& bytes);

}  // namespace leat::runtime
