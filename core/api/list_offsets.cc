#include "core/wire/messages/list_offsets.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/api/handlers.h"
#include "core/api/lookup.h"
#include "core/api/scatter.h"

namespace leat::api {
namespace {

using wire::ErrorCode;
using wire::ListOffsetsRequest;
using wire::ListOffsetsResponse;
using Wanted = ListOffsetsRequest::Partition;
using Partition = ListOffsetsResponse::Partition;

constexpr std::int64_t latest = -1;
constexpr std::int64_t earliest = -2;
constexpr std::int64_t newest = -3;            // KIP-734
constexpr std::int64_t earliest_local = -4;    // KIP-405; all of the log is local here
constexpr std::int64_t latest_tiered = -5;     // KIP-1005; nothing is tiered here
constexpr std::int64_t earliest_pending = -6;  // KIP-1023

struct Special {
    std::int64_t timestamp;
    wire::Version since;
};
constexpr std::array specials{
    Special{latest, 0},         Special{earliest, 0},      Special{newest, 7},
    Special{earliest_local, 8}, Special{latest_tiered, 9}, Special{earliest_pending, 11},
};

bool means_something(std::int64_t timestamp, wire::Version version) {
    if (timestamp >= 0) return true;
    const auto* found = std::ranges::find(specials, timestamp, &Special::timestamp);
    return found != specials.end() && version >= found->since;
}

template <class Give>
void look_up(broker::Partition& partition, const Wanted& wanted, Partition answer, Give give) {
    const auto at = [&](sdk::Offset offset, sdk::LeaderEpoch epoch) {
        answer.offset = offset.value;
        answer.leader_epoch = epoch.value;
        give(std::move(answer));
    };
    auto found = [answer, give](broker::TimeLookup lookup) mutable {
        answer.error_code = lookup.error;
        if (lookup.found) {
            answer.timestamp = lookup.found->timestamp.value;
            answer.offset = lookup.found->offset.value;
            answer.leader_epoch = lookup.epoch.value;
        }
        give(std::move(answer));
    };
    switch (wanted.timestamp) {
        case latest:
            return at(partition.high_watermark(), partition.leader_epoch());
        case earliest:
        case earliest_local:
            return at(partition.log_start(), partition.epoch_at(partition.log_start()));
        case newest:
            return partition.find_newest(std::move(found));
        case latest_tiered:
        case earliest_pending:
            return give(std::move(answer));
        default:
            return partition.find_by_time({wanted.timestamp}, std::move(found));
    }
}

// For version 0, as if all of the log were one segment: where it ends, or ended at the time, and
// where it begins. Kafka tells more segments, and by the time at which they were last written to.
Partition in_old_style(Partition answer, const Wanted& wanted, sdk::Offset first,
                       sdk::Offset last) {
    if (answer.error_code != ErrorCode::none) return answer;
    const std::int64_t end = answer.offset < 0 ? last.value : answer.offset;
    auto& offsets = answer.old_style_offsets;
    if (wanted.timestamp < 0 || end > first.value) offsets.push_back(end);
    if (end > first.value) offsets.push_back(first.value);
    offsets.resize(std::min<std::size_t>(offsets.size(), std::max(wanted.max_num_offsets, 0)));
    answer.offset = Partition{}.offset;
    answer.timestamp = Partition{}.timestamp;
    return answer;
}

// The request's partitions with each named once, and those that were named more often, by place of
// the topic and index: they are refused, as Kafka does.
struct Once {
    std::vector<ListOffsetsRequest::Topic> topics;
    std::set<std::pair<std::size_t, std::int32_t>> repeated;
};
Once each_once(const std::vector<ListOffsetsRequest::Topic>& asked) {
    Once once;
    std::map<std::string_view, std::size_t> places;
    std::set<std::pair<std::size_t, std::int32_t>> seen;
    for (const auto& topic : asked) {
        for (const Wanted& wanted : topic.partitions) {
            const auto [place, first] = places.try_emplace(topic.name, once.topics.size());
            if (first) once.topics.push_back({.name = topic.name});
            const std::pair named{place->second, wanted.partition_index};
            if (seen.insert(named).second) {
                once.topics[place->second].partitions.push_back(wanted);
            } else {
                once.repeated.insert(named);
            }
        }
    }
    return once;
}

constexpr wire::Version first_with_epochs = 4;

ListOffsetsResponse to_wire(const std::vector<ListOffsetsRequest::Topic>& asked,
                            std::vector<Partition> answers, wire::Version version) {
    ListOffsetsResponse response;
    std::size_t next = 0;
    if (version < first_with_epochs) {
        for (Partition& answer : answers) answer.leader_epoch = Partition{}.leader_epoch;
    }
    for (const auto& topic : asked) {
        auto& answered = response.topics.emplace_back();
        answered.name = topic.name;
        for (std::size_t i = 0; i < topic.partitions.size(); ++i) {
            answered.partitions.push_back(std::move(answers[next++]));
        }
    }
    return response;
}

}  // namespace

void list_offsets(Services& services, Request request, Reply reply) {
    const wire::Version version = request.header.version;
    auto decoded = wire::decode<ListOffsetsRequest>(request.header.body, version);
    if (!decoded) return reply.malformed(decoded.error());
    if (decoded->replica_id >= 0) return reply.close("ListOffsets: this broker has no followers");
    const cluster::Image& image = services.metadata.image(request.shard);
    const bool legal = is_isolation_level(decoded->isolation_level);
    auto [topics, repeated] = each_once(decoded->topics);
    Questions<Wanted, Partition> questions;
    for (std::size_t place = 0; place < topics.size(); ++place) {
        for (const Wanted& wanted : topics[place].partitions) {
            const std::int32_t index = wanted.partition_index;
            Partition blank{.partition_index = index};
            if (!legal || repeated.contains({place, index})) {
                blank.error_code = ErrorCode::invalid_request;
            } else if (!means_something(wanted.timestamp, version)) {
                blank.error_code = ErrorCode::unsupported_version;
            }
            questions.add(image, {.topic = topics[place].name, .index = index}, wanted, blank);
        }
    }
    const auto ask = [version](broker::Partition& partition, const Wanted& wanted, Partition answer,
                               auto give) {
        if (version > 0) return look_up(partition, wanted, std::move(answer), std::move(give));
        look_up(partition, wanted, std::move(answer),
                [wanted, first = partition.log_start(), last = partition.high_watermark(),
                 give = std::move(give)](Partition found) mutable {
                    give(in_old_style(std::move(found), wanted, first, last));
                });
    };
    std::move(questions).ask(
        services.tables, request.shard, ask,
        [topics = std::move(topics), reply = std::move(reply)](std::vector<Partition> all) mutable {
            reply.answer(to_wire(topics, std::move(all), reply.version()));
        });
}

}  // namespace leat::api
