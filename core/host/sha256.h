// SHA-256 (FIPS 180-4), for one thing: a plugin library's seal says what the linker wrote, so that
// a damaged copy is refused instead of run. It guards against accidents, not against an attacker.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace leat::host {

std::string sha256_hex(std::span<const std::byte> bytes);  // 64 lower case digits.

// The same without the processor's SHA extensions, which the tests hold against each other.
std::string sha256_hex_portably(std::span<const std::byte> bytes);

}  // namespace leat::host
