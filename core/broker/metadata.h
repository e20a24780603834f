// The control plane of this broker: it registers, takes part in the election of the controller,
// keeps every shard's image of the cluster, and, as controller, makes, changes and deletes topics.
// It carries out; the decisions are in core/cluster.
//
//   start -> session -> read -> register -> elect -> read again -> ready -> ... -> stop
//
// Threads    Lives on shard 0, as its CoordinationBackend does. What is marked [any shard] may be
//            called on every shard and answers on the one that is passed.
// Promise    A topic is reported created when every shard's image has it, and deleted when none has
//            it any more. A topic is in an image whole or not at all.
// Epochs     An image never goes back: older revisions and lower leader epochs are dropped.
// Sources    design: coordination backend; KIP-380, KIP-516; traps M1 to M15.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster/image.h"
#include "core/cluster/topic_plan.h"
#include "core/cluster/topic_request.h"
#include "core/runtime/shards.h"
#include "core/wire/error_code.h"
#include "leat/sdk/coordination.h"
#include "leat/sdk/function.h"
#include "leat/sdk/replication.h"

namespace leat::broker {

using cluster::TopicTemplate;

struct MetadataOptions {
    sdk::NodeId self{1};
    sdk::Uuid directory;    // Of the data folder (meta.properties).
    std::string rack;
    std::vector<cluster::Endpoint> endpoints;
    // What meta.properties or TOML say. Empty: take the store's, or make one in a store without.
    std::string cluster_id;
    sdk::SessionOptions session;

    bool auto_create = true;  // auto.create.topics.enable
    std::function<TopicTemplate(std::string_view topic)> template_for;
    cluster::ConfigMap config_defaults;  // This broker's, for topics without an override.
    std::set<std::string, std::less<>> storages;  // Instances that a topic may name.
    std::set<std::string, std::less<>> not_rewritable{};  // Those that cannot compact.
    std::map<std::string, const sdk::ReplicationPolicy*, std::less<>> policies;
    std::int32_t most_partitions = 200'000;  // In the cluster; PolicyViolation above.

    std::function<sdk::Uuid()> make_uuid;  // Random; the simulation's own there.
    // Hears a sentence about stored values that cannot be understood. [shard 0] May be empty.
    std::function<void(const std::string&)> complain{};
};

enum class Standing {
    starting,
    serving,  // Registered; the session lives, as far as this broker can know.
    fenced,   // The session is lost or silent for too long: must not acknowledge as a leader.
    stopped,
};

// What the rest of the broker hears. Each call on the shard of that listener.
class MetadataListener : public cluster::ImageListener {
public:
    virtual void standing_changed(Standing now) = 0;

protected:
    ~MetadataListener() = default;
};

// How many wait at most for a producer id block, for one topic to be auto-created, and so on.
inline constexpr std::size_t most_waiting_for_metadata = 100'000;

class Metadata {
public:
    Metadata(sdk::CoordinationBackend& backend, runtime::Shards& shards, MetadataOptions options);
    ~Metadata();
    Metadata(const Metadata&) = delete;
    Metadata& operator=(const Metadata&) = delete;

    // Before start(), from any thread. At most one listener a shard; it outlives this object.
    void listen(std::size_t shard, MetadataListener& listener);

    // [shard 0] `ready` hears once: success when this broker is registered, a controller is known
    // and every shard has the image; or why it can never be (another broker has this id, another
    // cluster's store). A store that does not answer is waited for.
    void start(sdk::Function<void(sdk::Status)> ready);

    // [shard 0] Fails what waits, stops taking part. `done` after the last callback. The session
    // ends with the backend's destruction.
    void stop(sdk::Task done);

    // [that shard] The image as that shard knows it. The reference stays valid; the content changes
    // between turns of the loop.
    const cluster::Image& image(std::size_t shard) const;

    sdk::NodeId self() const;  // [any shard]
    Standing standing(std::size_t shard) const;  // [that shard]
    bool auto_create_allowed() const;  // [any shard]

    // [any shard] `done` runs on `answer_on`, after everything is decided and visible everywhere,
    // or timeout_ms later: REQUEST_TIMED_OUT then, and the work goes on. NOT_CONTROLLER for all
    // topics if another broker is the controller.
    void create_topics(cluster::CreateTopics request, sdk::Shard& answer_on,
                       sdk::Function<void(std::vector<cluster::CreatedTopic>)> done);
    void delete_topics(std::vector<cluster::TopicToDelete> topics, std::int32_t timeout_ms,
                       sdk::Shard& answer_on,
                       sdk::Function<void(std::vector<cluster::DeletedTopic>)> done);

    // [any shard] As those two. A topic's changes and its deletion are made one after the other, in
    // the order in which they came. An answer without error: every shard's image has it, and the
    // open partitions act by it. So it is with the configs of brokers.
    void create_partitions(cluster::CreatePartitions request, sdk::Shard& answer_on,
                           sdk::Function<void(std::vector<cluster::ChangedTopic>)> done);
    void alter_configs(cluster::AlterConfigs request, sdk::Shard& answer_on,
                       sdk::Function<void(std::vector<cluster::ChangedTopic>)> done);

    // [any shard] For a client that named a topic that does not exist. Answers a topic that was
    // made, or that somebody else made meanwhile. Many calls for one name make one topic.
    // INVALID_TOPIC_EXCEPTION, UNKNOWN_TOPIC_OR_PARTITION (not allowed here), or a retriable error.
    void auto_create(std::string topic, sdk::Shard& answer_on,
                     sdk::Function<void(cluster::CreatedTopic)> done);

    // [any shard] An id that no producer of this cluster ever had, and none that is remembered by a
    // log opened here before. Retriable errors only.
    struct ProducerId {
        wire::ErrorCode error = wire::ErrorCode::none;
        std::int64_t id = -1;
    };
    void allocate_producer_id(sdk::Shard& answer_on, sdk::Function<void(ProducerId)> done);
    // [any shard] A log that was opened holds this id and none above: only higher ones from now on.
    void found_producer_id(std::int64_t highest);

private:
    class Driver;
    std::shared_ptr<Driver> driver_;  // Shared with what is on its way between shards.
};

}  // namespace leat::broker
