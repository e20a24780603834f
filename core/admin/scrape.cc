#include "core/admin/scrape.h"

#include <utility>

#include "core/broker/partition_table.h"

namespace leat::admin {
namespace {

PartitionState state_of(const broker::Partition& partition) {
    switch (partition.state()) {
        case broker::Partition::State::opening:
            return PartitionState::opening;
        case broker::Partition::State::open:
            return PartitionState::open;
        case broker::Partition::State::offline:
            return PartitionState::offline;
        case broker::Partition::State::closing:
        case broker::Partition::State::closed:
            return PartitionState::closing;
    }
    return PartitionState::closing;
}

void read(broker::Partition& partition, Reading& reading) {
    TopicReading topic{partition.traffic(), 0};
    // A storage that throws now takes the partition offline: it is then counted as that.
    if (partition.state() == broker::Partition::State::open) {
        topic.log_bytes = partition.stored_bytes().value_or(0);
    }
    ++reading.partitions[static_cast<std::size_t>(state_of(partition))];
    reading.log_bytes[partition.setup().engine_name] += topic.log_bytes;
    reading.topics[partition.setup().id.topic].add(topic);
}

}  // namespace

void Reading::merge(const Reading& other) {
    sockets.open += other.sockets.open;
    sockets.opened += other.sockets.opened;
    sockets.moved += other.sockets.moved;
    sockets.received_bytes += other.sockets.received_bytes;
    sockets.sent_bytes += other.sockets.sent_bytes;
    for (std::size_t i = 0; i < requests.durations.size(); ++i) {
        requests.durations[i].merge(other.requests.durations[i]);
    }
    for (const auto& [error, count] : other.requests.errors) requests.errors[error] += count;
    requests.client_faults += other.requests.client_faults;
    for (const auto& [name, figures] : other.broker.storage) {
        broker.storage[name].calls.merge(figures.calls);
        broker.storage[name].syncs.merge(figures.syncs);
        broker.storage[name].compaction.merge(figures.compaction);
    }
    for (const auto& [name, calls] : other.broker.replication) {
        broker.replication[name].merge(calls);
    }
    for (const auto& [name, calls] : other.broker.assignment) {
        broker.assignment[name].merge(calls);
    }
    broker.gone.add(other.broker.gone);
    for (const auto& [name, topic] : other.topics) topics[name].add(topic);
    for (const auto& [name, bytes] : other.log_bytes) log_bytes[name] += bytes;
    for (std::size_t i = 0; i < partition_states; ++i) partitions[i] += other.partitions[i];
}

struct Scrape::Visit {
    std::size_t shard = 0;
    api::Services* services = nullptr;
    Reading reading;
    std::vector<broker::PartitionKey> keys;
};

void Scrape::begin() {
    missing_ = watched_.runtime.count() + 1;
    auto self = shared_from_this();
    timer_ = watched_.runtime.at(0).after(patience, [self] {
        self->timer_ = sdk::TimerId::none;
        self->finish(sdk::Error{sdk::Errc::timed_out, "a shard does not answer"});
    });
    for (std::size_t shard = 0; shard < watched_.runtime.count(); ++shard) {
        watched_.runtime.at(shard).post(
            [self, shard, services = watched_.services] { self->visit(shard, services); });
    }
    count_descriptors();
}

// [that shard]
void Scrape::visit(std::size_t shard, api::Services* services) {
    auto visit = std::make_shared<Visit>();
    visit->shard = shard;
    visit->services = services;
    visit->reading.sockets = watched_.runtime.sockets(shard);
    if (services != nullptr) {
        visit->reading.requests = services->requests[shard];
        visit->reading.broker = services->tables.at(shard).figures();
        if (shard == 0 && services->assignors != nullptr) {
            visit->reading.broker.assignment = services->assignors->calls();
        }
        visit->keys = services->tables.at(shard).keys();
    }
    walk_on(visit);
}

// [that shard]
void Scrape::walk_on(const std::shared_ptr<Visit>& visit) {
    for (std::size_t i = 0; i < partitions_at_a_time && !visit->keys.empty(); ++i) {
        broker::PartitionTable& table = visit->services->tables.at(visit->shard);
        if (auto* partition = table.made(visit->keys.back())) read(*partition, visit->reading);
        visit->keys.pop_back();
    }
    auto self = shared_from_this();
    if (!visit->keys.empty()) {
        watched_.runtime.at(visit->shard).post([self, visit] { self->walk_on(visit); });
        return;
    }
    watched_.runtime.at(0).post([self, visit] { self->came(visit->reading); });
}

void Scrape::came(const Reading& reading) {
    all_.merge(reading);
    one_less();
}

void Scrape::count_descriptors() {
    if (!descriptors_.count_on()) return one_less();
    watched_.runtime.at(0).post([self = shared_from_this()] { self->count_descriptors(); });
}

void Scrape::one_less() {
    if (--missing_ == 0) finish(text_of(watched_, all_, descriptors_.counted()));
}

void Scrape::finish(sdk::Result<std::string> text) {
    if (std::exchange(finished_, true)) return;
    if (timer_ != sdk::TimerId::none) watched_.runtime.at(0).cancel(timer_);
    std::exchange(done_, {})(std::move(text));
}

}  // namespace leat::admin
