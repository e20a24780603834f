// The transactions of topic_plan.h.
#include <algorithm>

#include "core/cluster/topic_plan.h"
#include "leat/sdk/ensure.h"

namespace leat::cluster {

using sdk::Check;
using sdk::Delete;
using sdk::Put;
using sdk::Transaction;

namespace {

// A put and its check of absence are two, and the fence is one: stores may count all alike.
constexpr std::size_t puts_at_once = (sdk::most_operations - 4) / 2;
constexpr std::size_t deletes_at_once = sdk::most_operations - 4;

void put_new(Transaction& into, std::string key, std::string value) {
    into.checks.push_back({key, {}});
    into.operations.emplace_back(Put{.key = std::move(key), .value = std::move(value)});
}

std::vector<Transaction> without_partitions(const sdk::Uuid& id,
                                            const std::vector<std::int32_t>& indexes,
                                            const Check& fence) {
    std::vector<Transaction> made;
    for (std::size_t at = 0; at < indexes.size(); at += deletes_at_once) {
        auto& chunk = made.emplace_back();
        chunk.checks = {fence};
        const auto end = std::min(indexes.size(), at + deletes_at_once);
        for (auto i = at; i < end; ++i) {
            chunk.operations.emplace_back(Delete{keys::partition(id, indexes[i])});
        }
    }
    return made;
}

}  // namespace

Stages creation_stages(const TopicPlan& plan, const Check& fence) {
    sdk::ensure(!plan.partitions.empty(), "a topic has a partition");
    const auto& id = plan.record.id;
    const auto put_partition = [&](Transaction& into, std::size_t index) {
        put_new(into, keys::partition(id, static_cast<std::int32_t>(index)),
                encode(plan.partitions[index]));
    };
    Transaction last;  // A small topic is this one transaction.
    last.checks = {fence};
    const auto with_record = std::min(plan.partitions.size(), puts_at_once);
    for (std::size_t i = 0; i < with_record; ++i) put_partition(last, i);
    if (!plan.overrides.empty()) put_new(last, keys::topic_config(id), encode(plan.overrides));
    last.operations.emplace_back(Put{keys::topic(plan.record.name), encode(plan.record)});

    std::vector<Transaction> before;
    for (auto at = with_record; at < plan.partitions.size(); at += puts_at_once) {
        auto& chunk = before.emplace_back();
        chunk.checks = {fence};
        const auto end = std::min(plan.partitions.size(), at + puts_at_once);
        for (auto i = at; i < end; ++i) put_partition(chunk, i);
    }
    Stages stages;
    if (!before.empty()) stages.push_back(std::move(before));
    stages.push_back({std::move(last)});
    return stages;
}

Stages deletion_stages(const TopicImage& topic, const Check& fence) {
    const auto partitions = static_cast<std::int32_t>(topic.partitions.size());
    const DeletionRecord deletion{.name = topic.name, .id = topic.id, .partitions = partitions};
    Transaction first;
    first.checks = {fence, {keys::partition(topic.id, 0), topic.partitions.front().revision}};
    put_new(first, keys::deletion(topic.id), encode(deletion));
    first.operations.emplace_back(Delete{keys::topic(topic.name)});

    std::vector<std::int32_t> indexes;
    for (std::int32_t i = 0; i < partitions; ++i) indexes.push_back(i);
    auto stages = remaining_deletion_stages(deletion, indexes, fence);
    stages.insert(stages.begin(), {std::move(first)});
    return stages;
}

Stages remaining_deletion_stages(const DeletionRecord& deletion,
                                 const std::vector<std::int32_t>& partitions, const Check& fence) {
    Stages stages;
    auto chunks = without_partitions(deletion.id, partitions, fence);
    if (!chunks.empty()) stages.push_back(std::move(chunks));
    Transaction last;
    last.checks = {fence};
    last.operations.emplace_back(Delete{keys::topic_config(deletion.id)});
    last.operations.emplace_back(Delete{keys::deletion(deletion.id)});
    stages.push_back({std::move(last)});
    return stages;
}

Stages stray_stages(const StoreView::Stray& stray, const Check& fence) {
    Stages stages;
    auto chunks = without_partitions(stray.topic_id, stray.partitions, fence);
    if (!chunks.empty()) stages.push_back(std::move(chunks));
    if (stray.configured) {
        Transaction last;
        last.checks = {fence};
        last.operations.emplace_back(Delete{keys::topic_config(stray.topic_id)});
        stages.push_back({std::move(last)});
    }
    return stages;
}

}  // namespace leat::cluster
