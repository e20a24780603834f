// Changing topics that exist, more partitions and other configs, and the configs of brokers: the
// controller's work, and what its callers wait for.
//
// Threads    Shard 0 only: Metadata brings callers here and answers back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/broker/gathered_answers.h"
#include "core/broker/metadata.h"
#include "core/broker/metadata_images.h"
#include "core/broker/metadata_store.h"
#include "core/broker/metadata_writes.h"
#include "core/broker/topic_turns.h"
#include "core/cluster/topic_change.h"
#include "core/cluster/topic_request.h"

namespace leat::broker {

class MetadataTopicChanges : public std::enable_shared_from_this<MetadataTopicChanges> {
public:
    MetadataTopicChanges(MetadataStore& store, MetadataImages& images,
                         std::shared_ptr<MetadataWrites> writes, std::shared_ptr<TopicTurns> turns,
                         sdk::Shard& shard, const MetadataOptions& options);

    void grow(cluster::CreatePartitions request,
              sdk::Function<void(std::vector<cluster::ChangedTopic>)> done);
    void configure(cluster::AlterConfigs request,
                   sdk::Function<void(std::vector<cluster::ChangedTopic>)> done);

    // Answers who waits: as if the time were up, for what is under way may still be done.
    void stop();

private:
    using Change = sdk::Function<void(cluster::ChangedTopic)>;
    using End = MetadataWrites::End;
    // What is to be written, which may be nothing, or why not: from the view of this moment.
    using Plan = std::function<std::variant<cluster::Stages, cluster::TopicRefusal>()>;

    std::shared_ptr<GatheredAnswers<cluster::ChangedTopic>> gather(
        std::vector<cluster::ChangedTopic> unanswered, std::int32_t timeout_ms,
        sdk::Function<void(std::vector<cluster::ChangedTopic>)> done);
    void configure_topic(cluster::TopicConfigChange wanted, bool validate_only, Change done);
    void configure_broker(cluster::BrokerConfigChange wanted, bool validate_only, Change done);
    void change_one(const std::string& topic, Plan plan, bool validate_only, Change done);
    static void answer(const std::string& topic, const Plan& plan, Change done);
    void write(const std::string& topic, const Plan& plan, std::size_t attempt, Change done);
    void written(const std::string& topic, const Plan& plan, std::size_t attempt, Change done,
                 End end, const std::string& why);

    MetadataStore& store_;
    MetadataImages& images_;
    const std::shared_ptr<MetadataWrites> writes_;
    const std::shared_ptr<TopicTurns> turns_;
    sdk::Shard& shard_;
    const cluster::TopicMeans means_;
    UnansweredRequests<cluster::ChangedTopic> requests_;
    bool stopped_ = false;
};

}  // namespace leat::broker
