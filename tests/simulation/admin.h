// Clients that make topics, and delete them.
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

// Makes topics, however often it takes, and learns their ids.
class TopicMaker : public Client {
public:
    TopicMaker(Environment environment, std::string name, std::vector<TopicPlan> topics)
        : Client{environment, std::move(name)}, topics_{std::move(topics)} {}

    bool done() const { return done_; }

protected:
    void ready() override;
    void make();
    virtual void all_made() {}
    virtual bool wants_to_make() const { return !done_; }
    const std::vector<TopicPlan>& topics() const { return topics_; }

    bool done_ = false;

private:
    void made(std::optional<std::span<const std::byte>> body, wire::Version version);
    void look();
    void looked(std::optional<std::span<const std::byte>> body);
    void again();

    const std::vector<TopicPlan> topics_;
    std::vector<sdk::Uuid> told_;  // By CreateTopics, if it was so kind.
};

// Makes a topic, lets it live for a while, deletes it, makes it again, and so on until calm.
class TopicChurner final : public TopicMaker {
public:
    TopicChurner(Environment environment, TopicPlan topic)
        : TopicMaker{environment, "churner", {std::move(topic)}} {}

    // The next life is the last one.
    void calm_down() { calm_ = true; }

private:
    void ready() override;
    void all_made() override;
    bool wants_to_make() const override { return !done_ && !removing_; }
    void end_life();
    void remove();
    void removed(std::optional<std::span<const std::byte>> body);
    void look_whether_gone();

    const std::string& name() const { return topics().front().name; }

    bool calm_ = false;
    bool removing_ = false;
};

}  // namespace leat::simulation
