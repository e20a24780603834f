// What full and incremental fetches share: from what a client names to a look at a partition, and
// from what was seen to the answer's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/api/services.h"
#include "core/api/session.h"
#include "core/broker/fetch.h"
#include "core/broker/session_partitions.h"
#include "core/wire/messages/fetch.h"

namespace leat::api {

inline constexpr wire::Version first_fetch_with_topic_ids = 13;

broker::SessionPartitions::Asked asked_of(const wire::FetchRequest::Partition& partition);

// How much and how long, bounded; without items.
broker::FetchRequest fetch_limits(const Services& services, const wire::FetchRequest& asked);

// A look at a partition, or why there is none.
broker::FetchItem look_at(std::variant<broker::PartitionRef, wire::ErrorCode> found,
                          const broker::SessionPartitions::Asked& asked, bool legal);

// Takes partitions in their order and answers with them.
class FetchAnswer {
public:
    // [the connection's shard] Its image tells who leads.
    FetchAnswer(const cluster::Image& image, wire::Version version, std::int8_t isolation_level)
        : image_{image}, version_{version}, isolation_level_{isolation_level} {}

    // One after the other; a topic that is named again at once goes on.
    void topic(std::string_view name, const sdk::Uuid& id);
    void partition(std::int32_t index, broker::ReadOutcome outcome);

    void send(wire::ErrorCode error, std::int32_t session_id, Reply reply);

private:
    const cluster::Image& image_;
    const wire::Version version_;
    const std::int8_t isolation_level_;
    const cluster::TopicImage* known_ = nullptr;
    wire::FetchResponse response_;
    std::vector<std::vector<sdk::Slice>> records_;
};

}  // namespace leat::api
