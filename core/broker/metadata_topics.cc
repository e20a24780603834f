#include "core/broker/metadata_topics.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/cluster/topic_rules.h"

namespace leat::broker {

using cluster::CreatedTopic;
using cluster::DeletedTopic;
using wire::ErrorCode;

namespace {

constexpr std::size_t most_deletion_attempts = 5;
constexpr std::chrono::seconds pause_before_tidying_again{1};

}  // namespace

MetadataTopics::MetadataTopics(MetadataStore& store, MetadataImages& images,
                               std::shared_ptr<MetadataWrites> writes,
                               std::shared_ptr<TopicTurns> turns, sdk::Shard& shard,
                               const MetadataOptions& options)
    : store_{store},
      images_{images},
      writes_{std::move(writes)},
      turns_{std::move(turns)},
      shard_{shard},
      options_{options},
      means_{.storages = options.storages,
             .not_rewritable = options.not_rewritable,
             .policies = options.policies,
             .config_defaults = options.config_defaults,
             .most_partitions = options.most_partitions} {}

cluster::TopicTemplate MetadataTopics::template_for(const std::string& topic) const {
    return options_.template_for(topic);
}

void MetadataTopics::create(cluster::CreateTopics request,
                            sdk::Function<void(std::vector<CreatedTopic>)> done) {
    std::map<std::string_view, int> times;
    for (const auto& topic : request.topics) ++times[topic.name];
    std::vector<CreatedTopic> unanswered;
    std::vector<const cluster::NewTopic*> wanted;
    for (const auto& topic : request.topics) {
        const int named = std::exchange(times[topic.name], 0);
        if (named == 0) continue;
        unanswered.push_back({.name = topic.name,
                              .error = ErrorCode::request_timed_out,
                              .message = "The topic is still being made."});
        wanted.push_back(named == 1 ? &topic : nullptr);
    }
    const auto answers = GatheredAnswers<CreatedTopic>::begin(
        shard_, unanswered, std::chrono::milliseconds{request.timeout_ms}, std::move(done));
    creations_.add(answers);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] == nullptr) {
            answers->answer(i, {.name = unanswered[i].name,
                                .error = ErrorCode::invalid_request,
                                .message = "The request names this topic more than once."});
            continue;
        }
        create_one(*wanted[i], request.validate_only,
                   [answers, i](CreatedTopic created) { answers->answer(i, std::move(created)); });
    }
}

void MetadataTopics::create_one(const cluster::NewTopic& wanted, bool validate_only,
                                Creation done) {
    const auto refuse = [&](ErrorCode error, std::string message) {
        done({.name = wanted.name, .error = error, .message = std::move(message)});
    };
    if (stopped_ || !store_.fence())
        return refuse(ErrorCode::not_controller, not_controller_sentence);
    if (making_.contains(wanted.name)) {
        return refuse(ErrorCode::topic_already_exists,
                      "Topic '" + wanted.name + "' is being made already.");
    }
    for (const auto& other : making_) {
        if (!cluster::names_collide(other, wanted.name)) continue;
        return refuse(ErrorCode::invalid_topic_exception,
                      "Topic '" + wanted.name + "' collides with existing topic: " + other);
    }
    auto planned = cluster::plan_topic(wanted, store_.view(), template_for(wanted.name), means_,
                                       options_.make_uuid());
    if (auto* refusal = std::get_if<cluster::TopicRefusal>(&planned)) {
        return refuse(refusal->error, std::move(refusal->message));
    }
    const auto& plan = std::get<cluster::TopicPlan>(planned);
    if (validate_only) {
        return done({.name = wanted.name,
                     .topic = std::make_shared<const cluster::TopicImage>(
                         cluster::preview(plan, store_.view().topic_defaults()))});
    }
    making_.insert(wanted.name);
    busy_.insert(plan.record.id);
    writes_->run(cluster::creation_stages(plan, *store_.fence()),
                 [weak = weak_from_this(), record = plan.record, done = std::move(done)](
                     End end, const std::string& why) mutable {
                     if (const auto self = weak.lock())
                         self->created(record, end, why, std::move(done));
                 });
}

void MetadataTopics::created(const cluster::TopicRecord& record, End end, const std::string& why,
                             Creation done) {
    making_.erase(record.name);
    busy_.erase(record.id);
    if (end != End::done) {
        done({.name = record.name, .error = error_of(end), .message = sentence_of(end, why)});
        return clean_up();
    }
    CreatedTopic answer{.name = record.name, .topic = store_.view().image().share(record.id)};
    if (!answer.topic) {  // Deleted again, in the same breath.
        answer.error = ErrorCode::request_timed_out;
        answer.message = "The topic was deleted while it was being made.";
    }
    images_.when_applied([done = std::move(done), answer = std::move(answer)]() mutable {
        done(std::move(answer));
    });
}

void MetadataTopics::auto_create(const std::string& topic, Creation done) {
    if (auto there = store_.view().image().share(topic)) {
        return images_.when_applied([done = std::move(done), there, topic]() mutable {
            done({.name = topic, .topic = there});
        });
    }
    if (!options_.auto_create && !cluster::Image::is_internal(topic)) {
        return done({.name = topic,
                     .error = ErrorCode::unknown_topic_or_partition,
                     .message = "There is no such topic, and topics are not made by themselves."});
    }
    if (auto_creations_.size() >= most_waiting_for_metadata) {
        return done({.name = topic, .error = ErrorCode::leader_not_available});
    }
    const auto [waiting, first] = auto_creations_.try_emplace(topic);
    if (waiting->second.size() >= most_waiting_for_metadata) {
        return done({.name = topic, .error = ErrorCode::leader_not_available});
    }
    waiting->second.push_back(std::move(done));
    if (!first) return;
    create_one({.name = topic}, false, [weak = weak_from_this(), topic](CreatedTopic created) {
        const auto self = weak.lock();
        if (!self) return;
        // Not the asking client's business which broker makes topics: it asks again.
        if (created.error == ErrorCode::not_controller ||
            created.error == ErrorCode::request_timed_out ||
            created.error == ErrorCode::topic_already_exists) {
            created.error = ErrorCode::leader_not_available;
        }
        if (created.error == ErrorCode::invalid_request) {  // Of a name that is not for clients.
            created.error = ErrorCode::unknown_topic_or_partition;
        }
        const auto found = self->auto_creations_.find(topic);
        if (found == self->auto_creations_.end()) return;
        auto waiters = std::move(found->second);
        self->auto_creations_.erase(found);
        for (auto& waiter : waiters) waiter(created);
    });
}

void MetadataTopics::remove(std::vector<cluster::TopicToDelete> topics, std::int32_t timeout_ms,
                            sdk::Function<void(std::vector<DeletedTopic>)> done) {
    const bool may_delete = !stopped_ && store_.fence();
    const auto planned = cluster::plan_deletions(topics, store_.view().image());
    auto unanswered = planned;
    for (auto& answer : unanswered) {
        answer.error = ErrorCode::request_timed_out;
        answer.message = "The topic is still being deleted.";
    }
    const auto answers = GatheredAnswers<DeletedTopic>::begin(
        shard_, std::move(unanswered), std::chrono::milliseconds{timeout_ms}, std::move(done));
    deletions_.add(answers);
    for (std::size_t i = 0; i < planned.size(); ++i) {
        DeletedTopic answer = planned[i];
        if (!may_delete) {
            answer.error = ErrorCode::not_controller;
            answer.message = not_controller_sentence;
        } else if (answer.error == ErrorCode::none && busy_.contains(answer.id)) {
            const bool by_id =
                std::ranges::find(topics, answer.id, &cluster::TopicToDelete::id) != topics.end();
            answer.error =
                by_id ? ErrorCode::unknown_topic_id : ErrorCode::unknown_topic_or_partition;
            answer.message = "The topic is being deleted already.";
        }
        if (answer.error != ErrorCode::none) {
            answers->answer(i, std::move(answer));
            continue;
        }
        const auto id = answer.id;
        auto work = [weak = weak_from_this(), turns = turns_, answer, answers, i] {
            const auto self = weak.lock();
            if (!self) return turns->leave(answer.id);
            self->mark_deleted(answer, 1, [turns, id = answer.id, answers, i](DeletedTopic gone) {
                turns->leave(id);
                answers->answer(i, std::move(gone));
            });
        };
        if (turns_->enter(id, std::move(work))) continue;
        answer.error = ErrorCode::request_timed_out;
        answer.message = "Too many changes of this topic wait.";
        answers->answer(i, std::move(answer));
    }
}

// The topic is gone for everybody when its record is; its partitions' keys follow unseen.
void MetadataTopics::mark_deleted(DeletedTopic answer, std::size_t attempt, Deletion done) {
    const auto topic = store_.view().image().share(answer.id);
    if (!topic || !store_.fence()) {
        answer.error = topic ? ErrorCode::not_controller : ErrorCode::unknown_topic_or_partition;
        answer.message = topic ? not_controller_sentence : "The topic has been deleted.";
        return done(std::move(answer));
    }
    busy_.insert(topic->id);
    auto stages = cluster::deletion_stages(*topic, *store_.fence());
    stages.resize(1);
    writes_->run(
        std::move(stages), [weak = weak_from_this(), answer = std::move(answer), attempt,
                            done = std::move(done)](End end, const std::string& why) mutable {
            const auto self = weak.lock();
            if (!self) return;
            self->busy_.erase(answer.id);
            if (end == End::conflict && attempt < most_deletion_attempts) {
                return self->store_.refresh(
                    [weak, answer = std::move(answer), attempt, done = std::move(done)]() mutable {
                        const auto still = weak.lock();
                        if (still)
                            still->mark_deleted(std::move(answer), attempt + 1, std::move(done));
                    });
            }
            if (end != End::done) {
                answer.error = error_of(end);
                answer.message = sentence_of(end, why);
                return done(std::move(answer));
            }
            self->images_.when_applied(
                [done = std::move(done), answer]() mutable { done(std::move(answer)); });
            self->clean_up();
        });
}

void MetadataTopics::finish_deletion(const cluster::DeletionRecord& deletion) {
    busy_.insert(deletion.id);
    writes_->run(cluster::remaining_deletion_stages(
                     deletion, store_.view().partitions_of(deletion.id), *store_.fence()),
                 [weak = weak_from_this(), id = deletion.id](End end, const std::string&) {
                     if (const auto self = weak.lock()) self->tidied(id, end);
                 });
}

void MetadataTopics::tidied(const sdk::Uuid& id, End end) {
    busy_.erase(id);
    if (end == End::done) return;
    shard_.after(pause_before_tidying_again, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->clean_up();
    });
}

void MetadataTopics::clean_up() {
    if (stopped_ || !store_.fence()) return;
    for (const auto& deletion : store_.view().deletions()) {
        if (!busy_.contains(deletion.id)) finish_deletion(deletion);
    }
    for (const auto& stray : store_.view().strays()) {
        if (busy_.contains(stray.topic_id)) continue;
        busy_.insert(stray.topic_id);
        writes_->run(cluster::stray_stages(stray, *store_.fence()),
                     [weak = weak_from_this(), id = stray.topic_id](End end, const std::string&) {
                         if (const auto self = weak.lock()) self->tidied(id, end);
                     });
    }
}

void MetadataTopics::stop() {
    stopped_ = true;
    creations_.stop();
    deletions_.stop();
    for (auto& [topic, waiters] : std::exchange(auto_creations_, {})) {
        for (auto& waiter : waiters) {
            waiter({.name = topic, .error = ErrorCode::leader_not_available});
        }
    }
}

}  // namespace leat::broker
