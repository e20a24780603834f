// Making and deleting topics: the controller's work, and what its callers wait for.
//
// Threads    Shard 0 only: Metadata brings callers here and answers back.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/broker/gathered_answers.h"
#include "core/broker/metadata.h"
#include "core/broker/metadata_images.h"
#include "core/broker/metadata_store.h"
#include "core/broker/metadata_writes.h"
#include "core/broker/topic_turns.h"
#include "core/cluster/topic_plan.h"
#include "core/cluster/topic_request.h"

namespace leat::broker {

class MetadataTopics : public std::enable_shared_from_this<MetadataTopics> {
public:
    MetadataTopics(MetadataStore& store, MetadataImages& images,
                   std::shared_ptr<MetadataWrites> writes, std::shared_ptr<TopicTurns> turns,
                   sdk::Shard& shard, const MetadataOptions& options);

    void create(cluster::CreateTopics request,
                sdk::Function<void(std::vector<cluster::CreatedTopic>)> done);
    void remove(std::vector<cluster::TopicToDelete> topics, std::int32_t timeout_ms,
                sdk::Function<void(std::vector<cluster::DeletedTopic>)> done);
    void auto_create(const std::string& topic, sdk::Function<void(cluster::CreatedTopic)> done);

    // Finishes what an earlier controller, or a failure, left half done.
    void clean_up();
    // Answers who waits: as if the time were up, for what is under way may still be done.
    void stop();

private:
    using Creation = sdk::Function<void(cluster::CreatedTopic)>;
    using Deletion = sdk::Function<void(cluster::DeletedTopic)>;
    using End = MetadataWrites::End;

    void create_one(const cluster::NewTopic& wanted, bool validate_only, Creation done);
    void created(const cluster::TopicRecord& record, End end, const std::string& why,
                 Creation done);
    void mark_deleted(cluster::DeletedTopic answer, std::size_t attempt, Deletion done);
    void finish_deletion(const cluster::DeletionRecord& deletion);
    void tidied(const sdk::Uuid& id, End end);

    cluster::TopicTemplate template_for(const std::string& topic) const;

    MetadataStore& store_;
    MetadataImages& images_;
    const std::shared_ptr<MetadataWrites> writes_;
    const std::shared_ptr<TopicTurns> turns_;
    sdk::Shard& shard_;
    const MetadataOptions& options_;
    cluster::TopicMeans means_;
    std::set<std::string, std::less<>> making_;  // Names under way.
    std::set<sdk::Uuid> busy_;                   // Topics being made or deleted.
    std::map<std::string, std::vector<Creation>, std::less<>> auto_creations_;
    UnansweredRequests<cluster::CreatedTopic> creations_;
    UnansweredRequests<cluster::DeletedTopic> deletions_;
    bool stopped_ = false;
};

}  // namespace leat::broker
