// What the coordination store holds, as far as this process has seen: the machine between watch
// events and the image. Pure: entries in, image deltas out.
//
// Order      Per key, what is not newer is dropped, also after a deletion. Leader epochs never go
//            down. A read that is older than what is known takes nothing back.
// Wholeness  A topic is in the image once its record, all its partitions and the configs that its
//            record promises are known, and until its record is gone, whatever the order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/cluster/image.h"
#include "core/cluster/records.h"
#include "leat/sdk/coordination.h"

namespace leat::cluster {

// A partition index above it in the store is damage, not a partition.
inline constexpr std::int32_t most_partition_index = 1'000'000;
// Deleted keys whose last revision is remembered, against late repeats of older events.
inline constexpr std::size_t most_tombstones = 10'000;

class StoreView {
public:
    // `config_defaults` are of the TOML file of the broker `self`, for topics without an override.
    explicit StoreView(ConfigMap config_defaults, sdk::NodeId self = no_node)
        : file_defaults_{std::move(config_defaults)}, self_{self}, defaults_{file_defaults_} {}

    // All that is under "/", read as one.
    ImageDelta reset(const sdk::Snapshot& snapshot);
    // Single changes: from the watch, or what a commit of our own has put.
    ImageDelta apply(std::span<const sdk::KeyValue> put, std::span<const sdk::KeyDeleted> deleted);

    const Image& image() const { return image_; }
    // What topics go by where they have no override: the file's, under what was set since.
    const ConfigMap& topic_defaults() const { return defaults_; }

    // A key outside /partitions; null if it is not there.
    const sdk::KeyValue* find(std::string_view key) const;
    // Its revision, as a check needs it: 0 if there is none.
    sdk::Revision revision(std::string_view key) const;

    // As the store has it, of a topic in the image or not; null if there is none.
    const PartitionImage* partition(const sdk::Uuid& topic_id, std::int32_t index) const;

    // Whether everything that the transaction puts and deletes is as it would leave it.
    bool shows(const sdk::Transaction& transaction) const;

    // For the controller: what was begun and not finished.
    std::vector<DeletionRecord> deletions() const;
    struct Stray {
        sdk::Uuid topic_id;
        std::vector<std::int32_t> partitions;
        bool configured = false;
    };
    std::vector<Stray> strays() const;  // Partitions and configs of no topic and no deletion.
    // Indexes of the topic's partitions that are in the store.
    std::vector<std::int32_t> partitions_of(const sdk::Uuid& topic_id) const;

    // Sentences about values that could not be understood, since the last call.
    std::vector<std::string> take_complaints() { return std::exchange(complaints_, {}); }

private:
    struct Assembly {
        std::optional<TopicRecord> record;
        sdk::Revision created;
        std::vector<PartitionImage> partitions;  // By index; no replicas: not known.
    };

    bool take(const sdk::KeyValue& entry);  // False: not newer.
    void drop(const std::string& key, sdk::Revision revision);
    void take_partition(const PartitionPath& path, const sdk::KeyValue& entry);
    void drop_partition(const PartitionPath& path, sdk::Revision revision);
    void drop_missing(const sdk::Snapshot& snapshot);
    void changed(const std::string& key, const sdk::KeyValue* now);
    void topic_changed(const std::string& key, const sdk::KeyValue* now);
    void broker_changed(const std::string& key, const sdk::KeyValue* now);
    void refresh_facts();
    void refresh_broker_configs();
    ConfigMap stored_configs(const std::string& key);
    void forget_old_tombstones();
    ImageDelta finish();
    void assemble(const sdk::Uuid& id);
    std::shared_ptr<const TopicImage> build(const Assembly& from);

    template <class Record>
    std::optional<Record> understand(const sdk::KeyValue& entry);

    const ConfigMap file_defaults_;
    const sdk::NodeId self_;
    ConfigMap defaults_;
    Image image_;
    std::map<std::string, sdk::KeyValue, std::less<>> entries_;  // All but partitions.
    std::map<std::string, sdk::Revision, std::less<>> tombstones_;
    std::unordered_map<sdk::Uuid, Assembly> assemblies_;
    std::map<std::string, sdk::Uuid> topic_ids_;  // By key of the record.
    std::set<sdk::Uuid> dirty_;
    ImageDelta delta_;
    bool facts_changed_ = false;
    bool broker_configs_changed_ = false;
    std::vector<std::string> complaints_;
};

}  // namespace leat::cluster
