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
    int seeks = 0;   // Chances in a thousand, per answer, that it goes elsewhere.
    int ghosts = 0;  // The same that it asks for what was deleted.
};

// Polls all its partitions on one connection, in any version of Fetch, and goes on where it was
// after everything; of a topic that was made anew it begins at the start.
class Consumer final : public Client {
public:
    Consumer(Environment environment, ConsumerPlan plan);

    // It has read as far as `end_of` says, in the topics that live now.
    template <class EndOf>
    bool at_end(EndOf end_of) const {
        for (const auto& [where, reading] : readings_) {
            const Life* life = checker().lives().living(where.first);
            if (life == nullptr) continue;
            const std::int64_t read = reading.life == life ? reading.position : 0;
            if (read != end_of(*life, where.second)) return false;
        }
        return true;
    }
    // Every record that was shown to it, since its last seek.
    const std::vector<SeenRecord>& seen(const TopicPartition& where) {
        return readings_[where].seen;
    }
    void stop_seeking() { plan_.seeks = 0; }

private:
    struct Reading {
        const Life* life = nullptr;
        std::int64_t position = 0;
        std::vector<SeenRecord> seen{};
    };
    // What a Fetch or ListOffsets meant by the names in it.
    using Meant = std::map<TopicPartition, const Life*>;

    void ready() override;
    void poll();
    void polled(std::span<const std::byte> body, wire::Version version, const Meant& meant);
    void take(const TopicPartition& where, const Life& life, bool by_id,
              const wire::FetchResponse::Partition& answer);
    void take_records(const TopicPartition& where, const Life& life,
                      const wire::FetchResponse::Partition& answer);
    void failed(const TopicPartition& where, const Life& life, wire::ErrorCode error);
    void out_of_range(const TopicPartition& where);
    void go_on();
    bool ask_a_ghost();
    void seek();
    void seek_to(const TopicPartition& where, std::int64_t timestamp);

    ConsumerPlan plan_;
    std::map<TopicPartition, Reading> readings_;
    bool back_off_ = false;
};

}  // namespace leat::simulation
