// Which partitions are to be reset, and to what, as it stands on a command line or in a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/client/groups.h"

namespace leat::app {

// The lines of a file of offsets, "topic,partition,offset" as Kafka's tool reads them.
// Errc::invalid_argument, with the line's number, for what is none or names a partition twice.
sdk::Result<client::GroupOffsets> parse_offsets(std::string_view text);

// "orders", or "orders:0,2" with its partitions, ascending. Errc::invalid_argument for what is
// neither.
struct TopicChoice {
    std::string topic;
    std::vector<std::int32_t> partitions;  // Empty: all.
};
sdk::Result<TopicChoice> parse_topic_choice(std::string_view text);

}  // namespace leat::app
