#include "core/broker/metadata_topic_changes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace leat::broker {

using cluster::ChangedTopic;
using cluster::Stages;
using cluster::TopicRefusal;
using wire::ErrorCode;

namespace {

constexpr std::size_t most_attempts = 5;  // A conflict means that the view was old.

}  // namespace

MetadataTopicChanges::MetadataTopicChanges(MetadataStore& store, MetadataImages& images,
                                           std::shared_ptr<MetadataWrites> writes,
                                           std::shared_ptr<TopicTurns> turns, sdk::Shard& shard,
                                           const MetadataOptions& options)
    : store_{store},
      images_{images},
      writes_{std::move(writes)},
      turns_{std::move(turns)},
      shard_{shard},
      means_{.storages = options.storages,
             .not_rewritable = options.not_rewritable,
             .policies = options.policies,
             .config_defaults = options.config_defaults,
             .most_partitions = options.most_partitions} {}

std::shared_ptr<GatheredAnswers<ChangedTopic>> MetadataTopicChanges::gather(
    std::vector<ChangedTopic> unanswered, std::int32_t timeout_ms,
    sdk::Function<void(std::vector<ChangedTopic>)> done) {
    for (auto& answer : unanswered) {
        answer.error = ErrorCode::request_timed_out;
        answer.message = "The topic is still being changed.";
    }
    auto answers = GatheredAnswers<ChangedTopic>::begin(
        shard_, std::move(unanswered), std::chrono::milliseconds{timeout_ms}, std::move(done));
    requests_.add(answers);
    return answers;
}

void MetadataTopicChanges::grow(cluster::CreatePartitions request,
                                sdk::Function<void(std::vector<ChangedTopic>)> done) {
    std::map<std::string_view, int> times;
    for (const auto& topic : request.topics) ++times[topic.topic];
    std::vector<ChangedTopic> unanswered;
    std::vector<const cluster::MorePartitions*> wanted;
    for (const auto& topic : request.topics) {
        const int named = std::exchange(times[topic.topic], 0);
        if (named == 0) continue;
        unanswered.push_back({.topic = topic.topic});
        wanted.push_back(named == 1 ? &topic : nullptr);
    }
    const auto answers = gather(unanswered, request.timeout_ms, std::move(done));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] == nullptr) {
            answers->answer(i, {.topic = unanswered[i].topic,
                                .error = ErrorCode::invalid_request,
                                .message = "Duplicate topic name."});
            continue;
        }
        auto plan = [this, topic = *wanted[i]]() -> std::variant<Stages, TopicRefusal> {
            auto planned = cluster::plan_growth(topic, store_.view(), means_);
            if (auto* refused = std::get_if<TopicRefusal>(&planned)) return std::move(*refused);
            if (!store_.fence()) return Stages{};
            return cluster::growth_stages(std::get<cluster::GrowthPlan>(planned), store_.view(),
                                          *store_.fence());
        };
        change_one(wanted[i]->topic, std::move(plan), request.validate_only,
                   [answers, i](ChangedTopic changed) { answers->answer(i, std::move(changed)); });
    }
}

void MetadataTopicChanges::configure(cluster::AlterConfigs request,
                                     sdk::Function<void(std::vector<ChangedTopic>)> done) {
    std::vector<ChangedTopic> unanswered;
    for (const auto& topic : request.topics) unanswered.push_back({.topic = topic.topic});
    unanswered.resize(unanswered.size() + request.brokers.size());
    const auto answers = gather(std::move(unanswered), request.timeout_ms, std::move(done));
    std::size_t next = 0;
    const auto answer = [&] {
        return [answers, i = next++](ChangedTopic made) { answers->answer(i, std::move(made)); };
    };
    for (auto& topic : request.topics) {
        configure_topic(std::move(topic), request.validate_only, answer());
    }
    for (auto& broker : request.brokers) {
        configure_broker(std::move(broker), request.validate_only, answer());
    }
}

void MetadataTopicChanges::configure_topic(cluster::TopicConfigChange wanted, bool validate_only,
                                           Change done) {
    const std::string name = wanted.topic;
    auto plan = [this, wanted = std::move(wanted)]() -> std::variant<Stages, TopicRefusal> {
        auto planned = cluster::plan_configs(wanted, store_.view());
        if (auto* refused = std::get_if<TopicRefusal>(&planned)) return std::move(*refused);
        const auto& overrides = std::get<cluster::ConfigMap>(planned);
        const auto* topic = store_.view().image().topic(wanted.topic);
        if (auto refused = cluster::cannot_compact(topic->storage, overrides, means_)) {
            return std::move(*refused);
        }
        if (!store_.fence() || topic->overrides == overrides) return Stages{};
        return cluster::config_stages(topic->id, overrides, store_.view(), *store_.fence());
    };
    change_one(name, std::move(plan), validate_only, std::move(done));
}

// No turns: who comes second finds another revision than it checks, and plans anew.
void MetadataTopicChanges::configure_broker(cluster::BrokerConfigChange wanted, bool validate_only,
                                            Change done) {
    if (stopped_ || !store_.fence()) {
        return done({{}, ErrorCode::not_controller, not_controller_sentence});
    }
    const Plan plan = [this, wanted = std::move(wanted)]() -> std::variant<Stages, TopicRefusal> {
        auto planned = cluster::plan_broker_configs(wanted, store_.view());
        if (auto* refused = std::get_if<TopicRefusal>(&planned)) return std::move(*refused);
        const auto& configs = std::get<cluster::ConfigMap>(planned);
        const bool set = configs == cluster::broker_configs(wanted.broker, store_.view());
        if (!store_.fence() || set) return Stages{};
        return cluster::broker_config_stages(wanted.broker, configs, store_.view(),
                                             *store_.fence());
    };
    validate_only ? answer({}, plan, std::move(done)) : write({}, plan, 1, std::move(done));
}

void MetadataTopicChanges::answer(const std::string& topic, const Plan& plan, Change done) {
    const auto planned = plan();
    const auto* refused = std::get_if<TopicRefusal>(&planned);
    done(refused == nullptr ? ChangedTopic{.topic = topic}
                            : ChangedTopic{topic, refused->error, refused->message});
}

void MetadataTopicChanges::change_one(const std::string& topic, Plan plan, bool validate_only,
                                      Change done) {
    if (stopped_ || !store_.fence()) {
        return done({topic, ErrorCode::not_controller, not_controller_sentence});
    }
    const auto there = store_.view().image().share(topic);
    if (validate_only || !there) return MetadataTopicChanges::answer(topic, plan, std::move(done));
    // Shared by the turn and by who cannot get one.
    auto answer = std::make_shared<Change>(std::move(done));
    auto work = [weak = weak_from_this(), turns = turns_, id = there->id, topic, answer,
                 plan = std::move(plan)]() mutable {
        const auto self = weak.lock();
        if (!self) return turns->leave(id);
        self->write(topic, plan, 1, [turns, id, answer](ChangedTopic changed) {
            turns->leave(id);
            (*answer)(std::move(changed));
        });
    };
    if (!turns_->enter(there->id, std::move(work))) {
        (*answer)({topic, ErrorCode::request_timed_out, "Too many changes of this topic wait."});
    }
}

void MetadataTopicChanges::write(const std::string& topic, const Plan& plan, std::size_t attempt,
                                 Change done) {
    if (stopped_ || !store_.fence()) {
        return done({topic, ErrorCode::not_controller, not_controller_sentence});
    }
    auto planned = plan();
    if (auto* refused = std::get_if<TopicRefusal>(&planned)) {
        return done({topic, refused->error, std::move(refused->message)});
    }
    auto& stages = std::get<Stages>(planned);
    if (stages.empty()) {  // So it is already; but who made it so may not have been answered yet.
        return written(topic, plan, attempt, std::move(done), End::done, {});
    }
    writes_->run(std::move(stages),
                 [weak = weak_from_this(), topic, plan, attempt, done = std::move(done)](
                     End end, const std::string& why) mutable {
                     const auto self = weak.lock();
                     if (self) self->written(topic, plan, attempt, std::move(done), end, why);
                 });
}

void MetadataTopicChanges::written(const std::string& topic, const Plan& plan, std::size_t attempt,
                                   Change done, End end, const std::string& why) {
    if (end == End::conflict && attempt < most_attempts) {
        return store_.refresh(
            [weak = weak_from_this(), topic, plan, attempt, done = std::move(done)]() mutable {
                const auto self = weak.lock();
                if (self) self->write(topic, plan, attempt + 1, std::move(done));
            });
    }
    if (end != End::done) return done({topic, error_of(end), sentence_of(end, why)});
    images_.when_applied([topic, done = std::move(done)]() mutable { done({.topic = topic}); });
}

void MetadataTopicChanges::stop() {
    stopped_ = true;
    requests_.stop();
}

}  // namespace leat::broker
