// A client that makes topics.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/client.h"

namespace leat::simulation {

struct TopicPlan {
    std::string name;
    std::int32_t partitions = 1;
    std::vector<std::pair<std::string, std::string>> configs;
};

// Makes the topics of a run, however often it takes.
class TopicMaker final : public Client {
public:
    TopicMaker(Environment environment, std::vector<TopicPlan> topics)
        : Client{environment, "maker"}, topics_{std::move(topics)} {}

    bool done() const { return done_; }

private:
    void ready() override { make(); }
    void make();
    void made(std::optional<std::span<const std::byte>> body);

    const std::vector<TopicPlan> topics_;
    bool done_ = false;
};

}  // namespace leat::simulation
