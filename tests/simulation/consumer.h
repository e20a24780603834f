// Clients that read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/wire/messages/fetch.h"
#include "tests/simulation/client.h"

namespace leat::simulation {

struct ConsumerPlan {
    std::string name;
    std::vector<TopicPartition> from;
    sdk::Instant longest_poll = std::chrono::milliseconds{500};
    int seeks = 0;  // Chances in a thousand, per answer, that it goes elsewhere.
};

// Polls all its partitions on one connection, and goes on where it was after everything.
class Consumer final : public Client {
public:
    Consumer(Environment environment, ConsumerPlan plan);

    // By partition: where it will read next.
    const std::map<TopicPartition, std::int64_t>& positions() const { return positions_; }
    // Every record that was shown to it, since its last seek.
    const std::vector<SeenRecord>& seen(const TopicPartition& where) { return seen_[where]; }
    void stop_seeking() { plan_.seeks = 0; }

private:
    void ready() override;
    void poll();
    void polled(std::optional<std::span<const std::byte>> body);
    void take(const TopicPartition& where, const wire::FetchResponse::Partition& answer);
    void out_of_range(const TopicPartition& where);
    void seek();
    void seek_to(const TopicPartition& where, std::int64_t timestamp);

    ConsumerPlan plan_;
    std::map<TopicPartition, std::int64_t> positions_;
    std::map<TopicPartition, std::vector<SeenRecord>> seen_;
    bool back_off_ = false;
};

}  // namespace leat::simulation
