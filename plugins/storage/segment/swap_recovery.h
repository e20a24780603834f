// What a crash left of segments that were being replaced by others, by Leat or by Apache Kafka.
//
// As Kafka decides (LogLoader; KAFKA-6264): files named `.cleaned` were being written and go. Those
// named `.swap` are whole, unless one named `.cleaned` begins at or below them (then only part of
// the new ones had been named). A whole one replaces what lies between its first and its last
// offset: those files go, and it gets its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine_state.h"
#include "leat/sdk/result.h"

namespace leat::segment {

inline constexpr std::string_view cleaned_suffix = ".cleaned";
inline constexpr std::string_view swap_suffix = ".swap";

inline bool is_of_a_swap(std::string_view name) {
    return name.ends_with(cleaned_suffix) || name.ends_with(swap_suffix);
}

// [worker] `names` are those in `folder`; some are of a swap. Errc::corrupt, and nothing is
// changed, if a whole one is not what it should be.
sdk::Status finish_swaps(EngineState& engine, const std::string& folder,
                         const std::vector<std::string>& names);

}  // namespace leat::segment
