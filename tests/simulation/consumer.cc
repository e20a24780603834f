#include "tests/simulation/consumer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/wire/messages/list_offsets.h"

namespace leat::simulation {

using std::chrono::milliseconds;
using wire::ErrorCode;

namespace {

constexpr wire::Version fetch_version = 12;
constexpr wire::Version list_version = 7;
constexpr std::int64_t latest = -1;
constexpr std::int64_t earliest = -2;

// What a consumer of Kafka's own client handles; anything else ends it.
bool handled(ErrorCode error) {
    static constexpr std::int16_t codes[] = {1, 2, 3, 6, 9, 29, 56, 74, 75, 78, 100, 103, -1};
    return std::ranges::count(codes, static_cast<std::int16_t>(error)) > 0;
}

}  // namespace

Consumer::Consumer(Environment environment, ConsumerPlan plan)
    : Client{environment, plan.name}, plan_{std::move(plan)} {
    for (const auto& where : plan_.from) positions_[where] = 0;
    patience_ = plan_.longest_poll + std::chrono::seconds{6};
}

void Consumer::ready() { poll(); }

void Consumer::poll() {
    wire::FetchRequest fetch{
        .max_wait_ms = static_cast<std::int32_t>(plan_.longest_poll.count() / 1'000'000),
        .min_bytes = 1,
        .max_bytes = static_cast<std::int32_t>(300 + random().below(10'000))};
    for (const auto& [where, position] : positions_) {
        if (fetch.topics.empty() || fetch.topics.back().topic != where.first) {
            fetch.topics.push_back({.topic = where.first});
        }
        fetch.topics.back().partitions.push_back(
            {.partition = where.second,
             .fetch_offset = position,
             .partition_max_bytes = static_cast<std::int32_t>(100 + random().below(6000))});
    }
    request(fetch, fetch_version,
            [this](std::optional<std::span<const std::byte>> body) { polled(body); });
}

void Consumer::polled(std::optional<std::span<const std::byte>> body) {
    if (!body) return;
    const auto response = wire::decode<wire::FetchResponse>(*body, fetch_version);
    if (!response || response->error_code != ErrorCode::none) {
        return checker().violated("a Fetch answer is none");
    }
    back_off_ = false;
    for (const auto& topic : response->responses) {
        for (const auto& partition : topic.partitions) {
            take({topic.topic, partition.partition_index}, partition);
        }
    }
    if (random().chance(plan_.seeks)) seek();
    if (in_flight() > 0) return;  // A seek polls when it is answered.
    if (!back_off_) return poll();
    later(milliseconds{100}, [this] {
        if (is_connected() && in_flight() == 0) poll();
    });
}

void Consumer::take(const TopicPartition& where, const wire::FetchResponse::Partition& answer) {
    const auto position = positions_.find(where);
    if (position == positions_.end()) return checker().violated("a partition nobody asked for");
    if (answer.error_code != ErrorCode::none) {
        back_off_ = true;
        note("fetch of " + where.first + ": " + std::string{wire::name_of(answer.error_code)});
        if (answer.error_code == ErrorCode::offset_out_of_range) return out_of_range(where);
        const bool wrong = !handled(answer.error_code) ||
                           answer.error_code == ErrorCode::unknown_topic_or_partition ||
                           answer.error_code == ErrorCode::corrupt_message;
        if (wrong) {
            checker().violated("a consumer got " + std::string{wire::name_of(answer.error_code)});
        }
        return;
    }
    if (!answer.records) return checker().violated("records are null");
    for (SeenRecord& record : records_in(*answer.records)) {
        if (record.offset >= 0 && record.offset < position->second) continue;  // Mid-batch.
        if (record.offset != position->second) {
            return checker().violated("a consumer at " + std::to_string(position->second) +
                                      " was shown offset " + std::to_string(record.offset));
        }
        if (record.offset >= answer.high_watermark) {
            return checker().violated("a record above the high watermark was shown");
        }
        checker().shown(where, record);
        seen_[where].push_back(std::move(record));
        ++position->second;
    }
}

void Consumer::out_of_range(const TopicPartition& where) {
    if (!checker().may_end_below(where, positions_[where])) {
        return checker().violated("a position that was good is out of range");
    }
    seek_to(where, earliest);
}

void Consumer::seek() {
    const auto& where = plan_.from[random().below(plan_.from.size())];
    constexpr std::int64_t second = 1000;
    const auto now = environment_.world.wall_clock().value;
    const std::int64_t choices[] = {
        earliest, latest, now - static_cast<std::int64_t>(random().below(10 * second))};
    seek_to(where, choices[random().below(3)]);
}

void Consumer::seek_to(const TopicPartition& where, std::int64_t timestamp) {
    wire::ListOffsetsRequest list{.replica_id = -1};
    list.topics.push_back({.name = where.first});
    list.topics.back().partitions.push_back(
        {.partition_index = where.second, .timestamp = timestamp});
    request(list, list_version, [this, where](std::optional<std::span<const std::byte>> body) {
        if (!body) return;
        const auto response = wire::decode<wire::ListOffsetsResponse>(*body, list_version);
        const bool whole = response && response->topics.size() == 1 &&
                           response->topics[0].partitions.size() == 1;
        if (!whole) return checker().violated("a ListOffsets answer is none");
        const auto& found = response->topics[0].partitions[0];
        if (found.error_code == ErrorCode::none && found.offset >= 0) {
            note("seeks to " + std::to_string(found.offset));
            positions_[where] = found.offset;
            seen_[where].clear();
        }
        if (in_flight() == 0) poll();
    });
}

}  // namespace leat::simulation
