// Any message decoded from hostile bytes: within its budget of memory, and what was understood
// comes out of a second encoding and decoding as it was.
#pragma once

#include "core/wire/codec.h"
#include "tests/fuzz/targets.h"

namespace leat::fuzz {

// `body` is a block of its own.
void decode_hostile(const wire::MessageTraits& traits, std::span<std::byte> body,
                    wire::Version version);

}  // namespace leat::fuzz
