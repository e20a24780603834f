// A client that asks for offsets, by time and otherwise, and holds every answer against the model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/wire/messages/list_offsets.h"
#include "tests/simulation/client.h"
#include "tests/simulation/disk.h"

namespace leat::simulation {

class OffsetAsker final : public Client {
public:
    OffsetAsker(Environment environment, const SimDisk& disk, std::vector<TopicPartition> about)
        : Client{environment, "asker"}, disk_{disk}, about_{std::move(about)} {}

    // Answers that were held against the model.
    std::uint64_t compared() const { return compared_; }

private:
    using Answer = wire::ListOffsetsResponse::Partition;
    struct Question {
        TopicPartition where;
        const Life* life;
        std::int64_t timestamp;  // Or -1 to -6, which mean ends.
        wire::Version version;
        sdk::Offset end;  // Of the log when it was asked.
    };

    void ready() override { ask(); }
    void ask();
    std::int64_t timestamp_for(const Life& life, std::int32_t index, wire::Version version);
    void answered(const Question& question, std::span<const std::byte> body);
    void compare(const Question& question, const Answer& answer);
    std::optional<std::string> wrong(const Question& question, const Answer& answer) const;
    std::optional<std::string> wrong_end(const Question& question, const Answer& answer) const;
    std::optional<std::string> wrong_newest(const Question& question, const Answer& answer) const;
    std::optional<std::string> wrong_time(const Question& question, const Answer& answer) const;

    const SimDisk& disk_;
    const std::vector<TopicPartition> about_;
    std::uint64_t compared_ = 0;
};

}  // namespace leat::simulation
