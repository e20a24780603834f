#include "tests/simulation/admin.h"

#include "core/wire/messages/create_topics.h"

namespace leat::simulation {

using wire::ErrorCode;

namespace {

constexpr wire::Version create_version = 7;

}  // namespace

void TopicMaker::make() {
    wire::CreateTopicsRequest create{.timeout_ms = 3000};
    for (const TopicPlan& plan : topics_) {
        auto& topic = create.topics.emplace_back();
        topic.name = plan.name;
        topic.num_partitions = plan.partitions;
        topic.replication_factor = 1;
        for (const auto& [name, value] : plan.configs) topic.configs.push_back({name, value});
    }
    request(create, create_version,
            [this](std::optional<std::span<const std::byte>> body) { made(body); });
}

void TopicMaker::made(std::optional<std::span<const std::byte>> body) {
    if (!body) return;
    const auto response = wire::decode<wire::CreateTopicsResponse>(*body, create_version);
    if (!response || response->topics.size() != topics_.size()) {
        return checker().violated("a CreateTopics answer is none");
    }
    done_ = true;
    for (const auto& topic : response->topics) {
        if (topic.error_code == ErrorCode::none) continue;
        if (topic.error_code == ErrorCode::topic_already_exists) continue;
        note("not made: " + std::string{wire::name_of(topic.error_code)});
        done_ = false;
    }
    if (done_) return;
    later(std::chrono::milliseconds{100}, [this] {
        if (is_connected() && in_flight() == 0) make();
    });
}

}  // namespace leat::simulation
