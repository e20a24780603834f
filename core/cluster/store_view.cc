#include "core/cluster/store_view.h"

#include <algorithm>

#include "leat/sdk/ensure.h"

namespace leat::cluster {

using sdk::KeyValue;
using sdk::Revision;
using sdk::Uuid;

template <class Record>
std::optional<Record> StoreView::understand(const KeyValue& entry) {
    auto decoded = decode<Record>(entry);
    if (decoded) return std::move(*decoded);
    complaints_.push_back(decoded.error().what);
    return std::nullopt;
}

ImageDelta StoreView::reset(const sdk::Snapshot& snapshot) {
    for (const auto& entry : snapshot.entries) take(entry);
    drop_missing(snapshot);
    return finish();
}

ImageDelta StoreView::apply(std::span<const KeyValue> put,
                            std::span<const sdk::KeyDeleted> deleted) {
    for (const auto& entry : put) take(entry);
    for (const auto& gone : deleted) drop(gone.key, gone.revision);
    return finish();
}

const KeyValue* StoreView::find(std::string_view key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
}

Revision StoreView::revision(std::string_view key) const {
    const auto* found = find(key);
    return found == nullptr ? Revision{} : found->revision;
}

const PartitionImage* StoreView::partition(const Uuid& topic_id, std::int32_t index) const {
    const auto found = assemblies_.find(topic_id);
    if (found == assemblies_.end() || index < 0) return nullptr;
    const auto& partitions = found->second.partitions;
    const auto at = static_cast<std::size_t>(index);
    return at < partitions.size() && !partitions[at].replicas.empty() ? &partitions[at] : nullptr;
}

bool StoreView::shows(const sdk::Transaction& transaction) const {
    // A partition's value goes on changing, so that its revision must tell.
    const auto shows_partition = [&](const PartitionPath& path, const std::string& key, bool put) {
        const auto* found = partition(path.topic_id, path.index);
        if (found == nullptr || !put) return (found != nullptr) == put;
        return std::ranges::none_of(transaction.checks, [&](const sdk::Check& check) {
            return check.key == key && found->revision <= check.revision;
        });
    };
    for (const auto& operation : transaction.operations) {
        const auto* put = std::get_if<sdk::Put>(&operation);
        const auto& key = put != nullptr ? put->key : std::get<sdk::Delete>(operation).key;
        if (const auto path = parse_partition_key(key)) {
            if (!shows_partition(*path, key, put != nullptr)) return false;
            continue;
        }
        const auto* entry = find(key);
        if ((entry != nullptr) != (put != nullptr)) return false;
        if (put != nullptr && entry->value != put->value) return false;
    }
    return true;
}

bool StoreView::take(const KeyValue& entry) {
    if (const auto path = parse_partition_key(entry.key)) {
        take_partition(*path, entry);
        return true;
    }
    if (const auto gone = tombstones_.find(entry.key); gone != tombstones_.end()) {
        if (entry.revision <= gone->second) return false;
        tombstones_.erase(gone);
    }
    auto& slot = entries_[entry.key];
    if (slot.revision >= entry.revision) return false;
    slot = entry;
    changed(entry.key, &slot);
    return true;
}

void StoreView::drop(const std::string& key, Revision revision) {
    if (const auto path = parse_partition_key(key)) return drop_partition(*path, revision);
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.revision > revision) return;
    entries_.erase(found);
    tombstones_[key] = revision;
    forget_old_tombstones();
    changed(key, nullptr);
}

void StoreView::forget_old_tombstones() {
    if (tombstones_.size() <= most_tombstones) return;
    const auto oldest = std::ranges::min_element(
        tombstones_, {}, [](const auto& tombstone) { return tombstone.second; });
    const auto newest = std::ranges::max_element(
        tombstones_, {}, [](const auto& tombstone) { return tombstone.second; });
    const Revision middle{oldest->second.value + (newest->second.value - oldest->second.value) / 2};
    std::erase_if(tombstones_, [&](const auto& each) { return each.second <= middle; });
}

void StoreView::take_partition(const PartitionPath& path, const KeyValue& entry) {
    if (path.index > most_partition_index) {
        complaints_.push_back("There cannot be a partition " + entry.key + ".");
        return;
    }
    auto& partitions = assemblies_[path.topic_id].partitions;
    const auto index = static_cast<std::size_t>(path.index);
    if (partitions.size() <= index) partitions.resize(index + 1);
    auto& slot = partitions[index];
    if (slot.revision >= entry.revision) return;
    const auto state = understand<sdk::PartitionState>(entry);
    if (!state) return;
    if (state->leader_epoch < slot.leader_epoch) {
        complaints_.push_back("The leader epoch of " + entry.key +
                              " went down in the coordination store; the old one is kept.");
        return;
    }
    slot = PartitionImage::from(*state, entry.revision);
    dirty_.insert(path.topic_id);
}

void StoreView::drop_partition(const PartitionPath& path, Revision revision) {
    const auto found = assemblies_.find(path.topic_id);
    if (found == assemblies_.end()) return;
    auto& partitions = found->second.partitions;
    const auto index = static_cast<std::size_t>(path.index);
    if (index >= partitions.size() || partitions[index].revision > revision) return;
    partitions[index] = PartitionImage{};
    while (!partitions.empty() && partitions.back().replicas.empty()) partitions.pop_back();
    dirty_.insert(path.topic_id);
}

void StoreView::drop_missing(const sdk::Snapshot& snapshot) {
    std::vector<std::string_view> present;
    present.reserve(snapshot.entries.size());
    for (const auto& entry : snapshot.entries) present.push_back(entry.key);
    std::ranges::sort(present);
    const auto missing = [&](const std::string& key) {
        return !std::ranges::binary_search(present, std::string_view{key});
    };
    std::vector<std::string> gone;
    for (const auto& [key, entry] : entries_) {
        if (entry.revision <= snapshot.revision && missing(key)) gone.push_back(key);
    }
    for (const auto& [id, assembly] : assemblies_) {
        for (std::size_t i = 0; i < assembly.partitions.size(); ++i) {
            if (assembly.partitions[i].revision > snapshot.revision) continue;
            auto key = keys::partition(id, static_cast<std::int32_t>(i));
            if (missing(key)) gone.push_back(std::move(key));
        }
    }
    for (const auto& key : gone) drop(key, snapshot.revision);
}

void StoreView::changed(const std::string& key, const KeyValue* now) {
    if (key.starts_with(keys::topics)) return topic_changed(key, now);
    if (key.starts_with(keys::brokers)) return broker_changed(key, now);
    if (key.starts_with(keys::topic_configs)) {
        if (const auto id = parse_uuid(std::string_view{key}.substr(keys::topic_configs.size()))) {
            dirty_.insert(*id);
        }
        return;
    }
    if (key.starts_with(keys::broker_configs)) {
        broker_configs_changed_ = true;
        return;
    }
    facts_changed_ = facts_changed_ || key == keys::cluster || key == keys::controller ||
                     key == keys::controller_epoch;
}

void StoreView::topic_changed(const std::string& key, const KeyValue* now) {
    std::optional<TopicRecord> record;
    if (now != nullptr) {
        record = understand<TopicRecord>(*now);
        if (!record) return;
        if (record->partitions < 1 || record->partitions > most_partition_index ||
            keys::topic(record->name) != key) {
            complaints_.push_back("The value of " + key + " is not that of such a topic.");
            return;
        }
    }
    if (const auto before = topic_ids_.find(key); before != topic_ids_.end()) {
        assemblies_[before->second].record.reset();
        dirty_.insert(before->second);
        topic_ids_.erase(before);
    }
    if (!record) return;
    topic_ids_[key] = record->id;
    dirty_.insert(record->id);
    auto& assembly = assemblies_[record->id];
    assembly.record = std::move(record);
    assembly.created = now->revision;
}

void StoreView::broker_changed(const std::string& key, const KeyValue* now) {
    if (now == nullptr) {
        for (const auto& [id, broker] : image_.brokers()) {
            if (keys::broker(id) == key) delta_.brokers_gone.push_back(id);
        }
        std::erase_if(delta_.brokers,
                      [&](const auto& broker) { return keys::broker(broker->id) == key; });
        return;
    }
    const auto record = understand<BrokerRecord>(*now);
    if (!record) return;
    delta_.brokers.push_back(
        std::make_shared<const BrokerImage>(BrokerImage{.id = record->node,
                                                        .directory = record->directory,
                                                        .rack = record->rack,
                                                        .endpoints = record->endpoints,
                                                        .epoch = now->revision}));
}

void StoreView::refresh_facts() {
    ClusterFacts facts;
    if (const auto* entry = find(keys::cluster)) {
        if (const auto record = understand<ClusterRecord>(*entry)) {
            facts.cluster_id = record->cluster_id;
        }
    }
    if (const auto* entry = find(keys::controller)) {
        if (const auto record = understand<ControllerRecord>(*entry)) {
            facts.controller = record->node;
        }
    }
    if (const auto* entry = find(keys::controller_epoch)) {
        if (const auto record = understand<ControllerRecord>(*entry)) {
            facts.controller_epoch = record->epoch;
        }
    }
    delta_.facts = std::move(facts);
}

ConfigMap StoreView::stored_configs(const std::string& key) {
    const auto* entry = find(key);
    if (entry == nullptr) return {};
    return understand<ConfigMap>(*entry).value_or(ConfigMap{});
}

// Every topic may go by other configs than before.
void StoreView::refresh_broker_configs() {
    BrokerConfigs now{.all_brokers = stored_configs(keys::broker_config(std::nullopt)),
                      .own = stored_configs(keys::broker_config(self_))};
    if (now == image_.broker_configs()) return;
    defaults_ = cluster::topic_defaults(file_defaults_, now);
    for (const auto& [id, assembly] : assemblies_) {
        if (assembly.record) dirty_.insert(id);
    }
    delta_.broker_configs = std::move(now);
}

ImageDelta StoreView::finish() {
    if (std::exchange(facts_changed_, false)) refresh_facts();
    if (std::exchange(broker_configs_changed_, false)) refresh_broker_configs();
    for (const auto& id : std::exchange(dirty_, {})) assemble(id);
    auto delta = std::exchange(delta_, {});
    image_.apply(delta);
    return delta;
}

void StoreView::assemble(const Uuid& id) {
    const auto found = assemblies_.find(id);
    if (found == assemblies_.end()) return;
    const auto& assembly = found->second;
    const auto shown = image_.share(id);
    if (!assembly.record) {
        if (shown) delta_.topics_gone.push_back(shown);
        if (assembly.partitions.empty()) assemblies_.erase(found);
        return;
    }
    const auto count = static_cast<std::size_t>(assembly.record->partitions);
    const bool whole =
        assembly.partitions.size() >= count &&
        std::all_of(assembly.partitions.begin(),
                    assembly.partitions.begin() + static_cast<std::ptrdiff_t>(count),
                    [](const PartitionImage& each) { return !each.replicas.empty(); });
    const bool configured = !assembly.record->configured || find(keys::topic_config(id)) != nullptr;
    if (whole && configured) delta_.topics.push_back(build(assembly));
}

std::shared_ptr<const TopicImage> StoreView::build(const Assembly& from) {
    const auto& record = *from.record;
    auto made = std::make_shared<TopicImage>();
    made->name = record.name;
    made->id = record.id;
    made->internal = record.internal;
    made->storage = record.storage;
    made->replication = record.replication;
    made->created = from.created;
    if (const auto* entry = find(keys::topic_config(record.id))) {
        if (auto configs = understand<ConfigMap>(*entry)) made->overrides = std::move(*configs);
    }
    made->config = resolve_topic_config(made->overrides, defaults_);
    made->partitions.assign(from.partitions.begin(), from.partitions.begin() + record.partitions);
    return made;
}

std::vector<DeletionRecord> StoreView::deletions() const {
    std::vector<DeletionRecord> found;
    for (auto at = entries_.lower_bound(keys::deletions);
         at != entries_.end() && at->first.starts_with(keys::deletions); ++at) {
        if (auto record = decode<DeletionRecord>(at->second)) found.push_back(std::move(*record));
    }
    return found;
}

std::vector<std::int32_t> StoreView::partitions_of(const Uuid& topic_id) const {
    std::vector<std::int32_t> indexes;
    const auto found = assemblies_.find(topic_id);
    if (found == assemblies_.end()) return indexes;
    const auto& partitions = found->second.partitions;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        if (!partitions[i].replicas.empty()) indexes.push_back(static_cast<std::int32_t>(i));
    }
    return indexes;
}

std::vector<StoreView::Stray> StoreView::strays() const {
    std::map<Uuid, Stray> found;
    const auto wanted = [&](const Uuid& id) {
        const auto assembly = assemblies_.find(id);
        return (assembly != assemblies_.end() && assembly->second.record) ||
               find(keys::deletion(id)) != nullptr;
    };
    for (const auto& [id, assembly] : assemblies_) {
        if (!wanted(id)) found[id] = {.topic_id = id, .partitions = partitions_of(id)};
    }
    for (auto at = entries_.lower_bound(keys::topic_configs);
         at != entries_.end() && at->first.starts_with(keys::topic_configs); ++at) {
        const auto id = parse_uuid(std::string_view{at->first}.substr(keys::topic_configs.size()));
        if (!id || wanted(*id)) continue;
        found[*id].topic_id = *id;
        found[*id].configured = true;
    }
    std::vector<Stray> strays;
    for (auto& [id, stray] : found) strays.push_back(std::move(stray));
    return strays;
}

}  // namespace leat::cluster
