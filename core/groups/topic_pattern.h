// A regular expression over topic names that a member subscribes by (KIP-848). The broker resolves
// it, so it takes Google's RE2, as Kafka does: time is linear in the name, whatever the pattern,
// and memory has a limit. No back references, no lookahead.
//
// Threads    Any number may ask one pattern at the same time.
// Left out   of a program without consumer groups (LEAT_CONSUMER_GROUPS): there nothing compiles.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "leat/sdk/result.h"

namespace re2 {
class RE2;
}

namespace leat::groups {

// What one pattern may take, compiled and as it is asked. An ordinary one takes some KiB.
inline constexpr std::int64_t most_pattern_bytes = 1 << 20;

class TopicPattern {
public:
    // The error's sentence is for the client that sent the pattern.
    static sdk::Result<TopicPattern> compile(std::string_view pattern);

    TopicPattern(TopicPattern&& other) noexcept;
    TopicPattern& operator=(TopicPattern&& other) noexcept;
    ~TopicPattern();

    // Whether it describes the whole name: "a" does not match "ab".
    bool matches(std::string_view topic) const;

private:
    explicit TopicPattern(std::unique_ptr<re2::RE2> compiled);

    std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace leat::groups
