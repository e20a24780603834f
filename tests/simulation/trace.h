// What happened in a run, as one number, and as lines for a person where asked for. Two runs of one
// seed must give the same number; the first line that differs says where a run stopped being one.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "leat/sdk/shard.h"

namespace leat::simulation {

class Trace {
public:
    explicit Trace(bool readable) : readable_{readable} {}

    bool readable() const { return readable_; }
    std::uint64_t hash() const { return hash_; }

    void mix(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3ull; }

    void note(sdk::Instant now, std::string_view who, const std::string& what) {
        mix(static_cast<std::uint64_t>(now.count()));
        for (const char c : who) mix(static_cast<unsigned char>(c));
        for (const char c : what) mix(static_cast<unsigned char>(c));
        if (!readable_) return;
        std::printf("%12.6f  %-10.*s %s\n", static_cast<double>(now.count()) / 1e9,
                    static_cast<int>(who.size()), who.data(), what.c_str());
    }

private:
    bool readable_;
    std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

}  // namespace leat::simulation
