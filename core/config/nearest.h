// "did you mean": the candidate that a mistyped word was most likely meant to be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace leat::config {

// Nothing if no candidate is near: at most a third of the word's letters may be wrong. A letter
// that is missing, too much, another one, or swapped with its neighbour counts one.
std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string> candidates);

// "; did you mean `partitions`?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace leat::config
