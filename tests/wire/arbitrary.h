// Random messages that have a place for each of their values in one version.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <string>

#include "core/wire/fields.h"

namespace leat::wire {

// Owns what the views of its messages point to, so it has to outlive them.
class Arbitrary {
public:
    Arbitrary(std::uint64_t seed, Version version) : random_{seed}, version_{version} {}

    void fill(std::span<const Field> fields, void* object);

private:
    void value(const Field& field, const Type& type, void* to);
    void array(const Field& field, const Type& type, void* to);
    void number(const Type& type, void* to);
    std::string& text();
    std::size_t below(std::size_t limit) { return random_() % limit; }

    std::mt19937_64 random_;
    Version version_;
    std::deque<std::string> owned_;
    int depth_ = 0;
};

}  // namespace leat::wire
