#include "tests/simulation/admin.h"

#include <algorithm>

#include "core/wire/messages/create_topics.h"
#include "core/wire/messages/delete_topics.h"
#include "core/wire/messages/metadata.h"

namespace leat::simulation {

using std::chrono::milliseconds;
using wire::ErrorCode;

namespace {

constexpr wire::Version delete_version = 6;  // By id.
constexpr wire::Version metadata_version = 12;
using Body = std::optional<std::span<const std::byte>>;

wire::MetadataRequest ask_about(const std::vector<TopicPlan>& topics) {
    wire::MetadataRequest request{.allow_auto_topic_creation = false};
    request.topics.emplace();
    for (const TopicPlan& plan : topics) request.topics->push_back({.name = plan.name});
    return request;
}

}  // namespace

void TopicMaker::ready() {
    if (!done_) make();
}

void TopicMaker::make() {
    wire::CreateTopicsRequest create{.timeout_ms = 3000};
    for (const TopicPlan& plan : topics_) {
        auto& topic = create.topics.emplace_back();
        topic.name = plan.name;
        topic.num_partitions = plan.partitions;
        topic.replication_factor = 1;
        for (const auto& [name, value] : plan.configs) topic.configs.push_back({name, value});
    }
    const auto version = static_cast<wire::Version>(2 + random().below(6));
    request(create, version, [this, version](Body body) { made(body, version); });
}

void TopicMaker::made(Body body, wire::Version version) {
    if (!body) return;
    const auto response = wire::decode<wire::CreateTopicsResponse>(*body, version);
    if (!response || response->topics.size() != topics_.size()) {
        return checker().violated("a CreateTopics answer is none");
    }
    told_.clear();
    bool there = true;
    for (const auto& topic : response->topics) {
        told_.push_back(topic.topic_id);
        if (topic.error_code == ErrorCode::none) continue;
        if (topic.error_code == ErrorCode::topic_already_exists) continue;
        note("not made: " + std::string{wire::name_of(topic.error_code)});
        there = false;
    }
    there ? look() : again();
}

void TopicMaker::look() {
    request(ask_about(topics_), metadata_version, [this](Body body) { looked(body); });
}

void TopicMaker::looked(Body body) {
    if (!body) return;
    const auto response = wire::decode<wire::MetadataResponse>(*body, metadata_version);
    if (!response || response->topics.size() != topics_.size()) {
        return checker().violated("a Metadata answer is none");
    }
    const auto there = [](const auto& topic) { return topic.error_code == ErrorCode::none; };
    if (!std::ranges::all_of(response->topics, there)) return again();  // Being made by another.
    for (std::size_t i = 0; i < topics_.size(); ++i) {
        const auto& topic = response->topics[i];
        if (!told_[i].is_zero() && told_[i] != topic.topic_id) {
            return checker().violated(topics_[i].name + " was made with another id");
        }
        if (checker().lives().born(topics_[i].name, topic.topic_id) == nullptr) {
            return checker().violated(topics_[i].name + " was made again with an old id");
        }
        note("made " + checker().lives().latest(topics_[i].name)->label);
    }
    done_ = true;
    all_made();
}

void TopicMaker::again() {
    later(milliseconds{100}, [this] {
        if (is_connected() && in_flight() == 0 && wants_to_make()) make();
    });
}

void TopicChurner::ready() {
    if (removing_) return remove();
    TopicMaker::ready();
}

void TopicChurner::all_made() {
    if (calm_) return;
    later(random().between(milliseconds{50}, milliseconds{1500}), [this] { end_life(); });
}

void TopicChurner::end_life() {
    if (calm_) return;
    done_ = false;
    removing_ = true;
    checker().lives().condemned(name());
    note("deletes " + checker().lives().latest(name())->label);
    if (is_connected() && in_flight() == 0 && removing_) remove();
}

void TopicChurner::remove() {
    wire::DeleteTopicsRequest request_{.timeout_ms = 3000};
    request_.topics.push_back({.topic_id = checker().lives().latest(name())->id});
    request(request_, delete_version, [this](Body body) { removed(body); });
}

void TopicChurner::removed(Body body) {
    if (!body) return;
    const auto response = wire::decode<wire::DeleteTopicsResponse>(*body, delete_version);
    if (!response || response->responses.size() != 1) {
        return checker().violated("a DeleteTopics answer is none");
    }
    const ErrorCode error = response->responses[0].error_code;
    // Unknown is also what is just being deleted for an earlier request.
    if (error == ErrorCode::none || error == ErrorCode::unknown_topic_id) {
        return look_whether_gone();
    }
    note("not deleted: " + std::string{wire::name_of(error)});
    later(milliseconds{100}, [this] {
        if (is_connected() && in_flight() == 0 && removing_) remove();
    });
}

void TopicChurner::look_whether_gone() {
    request(ask_about(topics()), metadata_version, [this](Body body) {
        if (!body) return;
        const auto response = wire::decode<wire::MetadataResponse>(*body, metadata_version);
        if (!response || response->topics.size() != 1) {
            return checker().violated("a Metadata answer is none");
        }
        const Life* life = checker().lives().latest(name());
        const auto& topic = response->topics[0];
        if (topic.error_code == ErrorCode::none && topic.topic_id == life->id) {
            later(milliseconds{50}, [this] {
                if (is_connected() && in_flight() == 0 && removing_) remove();
            });
            return;
        }
        removing_ = false;
        checker().lives().died(name());
        for (std::int32_t i = 0; i < topics().front().partitions; ++i) {
            checker().died({life->label, i});
        }
        note("deleted " + life->label);
        later(random().between(sdk::Instant{0}, milliseconds{300}), [this] {
            if (is_connected() && in_flight() == 0 && wants_to_make()) make();
        });
    });
}

}  // namespace leat::simulation
