#include "core/app/client_commands/offset_choice.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace leat::app {
namespace {

using sdk::Errc;
using sdk::Error;

template <class Number>
std::optional<Number> number_of(std::string_view text) {
    Number value = 0;
    const auto end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (text.empty() || read.ptr != end || read.ec != std::errc{} || value < 0) return std::nullopt;
    return value;
}

}  // namespace

sdk::Result<TopicChoice> parse_topic_choice(std::string_view text) {
    const auto colon = text.find(':');
    TopicChoice choice{.topic = std::string{text.substr(0, colon)}, .partitions = {}};
    const Error wrong{Errc::invalid_argument, "--topic takes TOPIC or TOPIC:PARTITION,..., not `" +
                                                  std::string{text} + "`"};
    if (choice.topic.empty()) return wrong;
    if (colon == std::string_view::npos) return choice;
    for (std::string_view rest = text.substr(colon + 1);;) {
        const auto comma = rest.find(',');
        const auto number = number_of<std::int32_t>(rest.substr(0, comma));
        if (!number) return wrong;
        choice.partitions.push_back(*number);
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    std::ranges::sort(choice.partitions);
    choice.partitions.erase(std::ranges::unique(choice.partitions).begin(),
                            choice.partitions.end());
    return choice;
}

sdk::Result<client::GroupOffsets> parse_offsets(std::string_view text) {
    client::GroupOffsets offsets;
    for (int line = 1; !text.empty(); ++line) {
        const auto end = text.find('\n');
        std::string_view row = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (row.ends_with('\r')) row.remove_suffix(1);
        if (row.empty()) continue;
        const auto wrong = [&](const std::string& what) {
            return Error{Errc::invalid_argument, "line " + std::to_string(line) + " " + what};
        };
        const auto second = row.rfind(',');
        const auto first = second == 0 || second == std::string_view::npos
                               ? std::string_view::npos
                               : row.rfind(',', second - 1);
        if (first == std::string_view::npos || first == 0)
            return wrong("is no topic,partition,offset");
        const auto partition = number_of<std::int32_t>(row.substr(first + 1, second - first - 1));
        const auto offset = number_of<std::int64_t>(row.substr(second + 1));
        if (!partition || !offset) return wrong("is no topic,partition,offset");
        const std::string topic{row.substr(0, first)};
        if (!offsets[topic].emplace(*partition, *offset).second) {
            return wrong("names " + topic + "/" + std::to_string(*partition) + " again");
        }
    }
    if (offsets.empty()) return Error{Errc::invalid_argument, "there is no offset in it"};
    return offsets;
}

}  // namespace leat::app
