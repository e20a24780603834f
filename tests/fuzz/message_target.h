// Any message decoded from hostile bytes: within its budget of memory, and what was understood
// comes out of a second encoding and decoding as it was.
#pragma once

#include "core/wire/codec.h"
#include "tests/fuzz/targets.h"

namespace leat::fuzz {

// What decoding may allocate: its budget; up to twice a string's characters where they are charged
// once; a sentence about what is wrong.
constexpr std::size_t decode_allowance(std::size_t body) {
    return wire::decode_budget(body) + body + 4096;
}

// `body` is a block of its own.
void decode_hostile(const wire::MessageTraits& traits, std::span<std::byte> body,
                    wire::Version version);

}  // namespace leat::fuzz
