// Standard input, piece by piece between delimiters. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/client/watch.h"

namespace leat::app {

class DelimitedInput {
public:
    // A piece that is longer ends the reading: it would be taken into memory whole.
    static constexpr std::size_t longest_piece = std::size_t{256} << 20;

    DelimitedInput(int descriptor, std::string delimiter, client::Watch& watch)
        : descriptor_{descriptor}, delimiter_{std::move(delimiter)}, watch_{watch} {}

    // The next piece, without its delimiter; good until the next call. Nothing at the end of the
    // input, where a last piece may stand without a delimiter, an empty one not. Errc::timed_out if
    // none came within `wait`: call again. Errc::closed as the watch has it.
    sdk::Result<std::optional<std::string_view>> next(std::chrono::milliseconds wait);

    std::uint64_t pieces() const { return pieces_; }  // So far: the number of the last one.

private:
    sdk::Status read_more(client::SteadyClock::time_point deadline);

    int descriptor_;
    std::string delimiter_;
    client::Watch& watch_;
    std::string held_;
    std::size_t begin_ = 0;     // Of what was not handed out.
    std::size_t searched_ = 0;  // Up to here there is no delimiter.
    bool ended_ = false;
    std::uint64_t pieces_ = 0;
};

}  // namespace leat::app
