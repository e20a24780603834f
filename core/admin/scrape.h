// One scrape: asks each shard for a copy of what it counts, walks the partitions in pieces, and
// makes Prometheus' text of it. Nothing is counted here, and nothing waits for it.
//
// Threads    begin() and `done` on shard 0; each shard's part on that shard.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/admin/process_figures.h"
#include "core/api/request_figures.h"
#include "core/api/services.h"
#include "core/broker/shard_figures.h"
#include "core/host/plugin_context.h"
#include "core/net/runtime.h"
#include "core/runtime/memory_budget.h"

namespace leat::admin {

// What there is to tell of. All of it outlives the threads.
struct Watched {
    net::Runtime& runtime;
    const runtime::MemoryBudget& memory;
    const host::PluginCounters& counters;
    std::string version;
    std::size_t most_topics = 1000;     // With metrics of their own.
    api::Services* services = nullptr;  // [shard 0] Null until the broker has them.
    std::function<bool()> ready{};      // [shard 0]
};

enum class PartitionState { open, opening, offline, closing, unused };
inline constexpr std::size_t partition_states = 5;

struct TopicReading {
    broker::Traffic traffic;
    std::uint64_t log_bytes = 0;

    void add(const TopicReading& other) {
        traffic.add(other.traffic);
        log_bytes += other.log_bytes;
    }
};

// Of one shard, or of all.
struct Reading {
    net::SocketFigures sockets;
    api::RequestFigures requests;
    broker::ShardFigures broker;
    std::map<std::string, TopicReading> topics;
    std::map<std::string, std::uint64_t> log_bytes;  // By storage instance.
    std::array<std::uint64_t, partition_states> partitions{};

    void merge(const Reading& other);
};

class Scrape : public std::enable_shared_from_this<Scrape> {
public:
    static constexpr std::size_t partitions_at_a_time = 64;
    static constexpr std::chrono::seconds patience{5};

    // The text, or a sentence: a shard did not answer in time. Called once.
    using Done = sdk::Function<void(sdk::Result<std::string>)>;

    Scrape(const Watched& watched, Done done) : watched_{watched}, done_{std::move(done)} {}

    void begin();

private:
    struct Visit;

    void visit(std::size_t shard, api::Services* services);
    void walk_on(const std::shared_ptr<Visit>& visit);
    void came(const Reading& reading);
    void count_descriptors();
    void one_less();
    void finish(sdk::Result<std::string> text);

    const Watched& watched_;
    Done done_;
    Reading all_;
    DescriptorCount descriptors_;
    std::size_t missing_ = 0;  // Shards, and the descriptors.
    sdk::TimerId timer_ = sdk::TimerId::none;
    bool finished_ = false;
};

// The text of a reading, complete but for what it lacks.
std::string text_of(const Watched& watched, const Reading& reading, std::uint64_t descriptors);

}  // namespace leat::admin
