// Bytes as tests write them down: "00ff".
#pragma once

#include <string>
#include <string_view>

#include "core/wire/codec.h"

namespace leat::wire {

inline Buffer from_hex(std::string_view hex) {
    Buffer bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(std::byte(std::stoi(std::string{hex.substr(i, 2)}, nullptr, 16)));
    return bytes;
}

}  // namespace leat::wire
