#include "core/groups/group_partition.h"

namespace leat::groups {
namespace {

// The next character; a byte that begins none stands for itself.
char32_t next(std::string_view& text) {
    const auto first = static_cast<unsigned char>(text.front());
    std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    if (length > text.size()) length = 1;
    char32_t character = length == 1 ? first : first & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        character = (character << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
    }
    text.remove_prefix(length);
    return character;
}

}  // namespace

std::int32_t partition_of_group(std::string_view group, std::int32_t partitions) {
    std::uint32_t hash = 0;
    const auto add = [&hash](std::uint32_t unit) { hash = 31 * hash + unit; };
    while (!group.empty()) {
        const char32_t character = next(group);
        if (character < 0x10000) {
            add(character);
            continue;
        }
        add(0xD800 + ((character - 0x10000) >> 10));
        add(0xDC00 + ((character - 0x10000) & 0x3FF));
    }
    const auto wrapped = static_cast<std::int32_t>(hash);
    const std::int32_t positive = wrapped == INT32_MIN ? 0 : wrapped < 0 ? -wrapped : wrapped;
    return positive % partitions;
}

}  // namespace leat::groups
