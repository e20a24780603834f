// A reading as Prometheus' text, in the order of the catalogue.

#include <algorithm>
#include <set>
#include <vector>

#include "core/admin/scrape.h"
#include "core/metrics/text.h"
#include "core/wire/apis.h"

namespace leat::admin {
namespace {

using metrics::Text;
namespace metric = metrics::metric;

void single(Text& text, const metrics::Metric& of, std::uint64_t value) {
    text.begin(of);
    text.sample({}, value);
}

void single(Text& text, const metrics::Metric& of, double value) {
    text.begin(of);
    text.sample({}, value);
}

std::string_view name_of(wire::ApiKey key) {
    const wire::ApiDescription* described = wire::describe(key);
    return described == nullptr ? "?" : described->name;
}

void tell_requests(Text& text, const api::RequestFigures& requests) {
    const auto apis = api::served_apis();
    text.begin(metric::request_duration);
    for (std::size_t i = 0; i < requests.durations.size(); ++i) {
        if (requests.durations[i].count() == 0) continue;
        text.histogram({name_of(apis[i].key)}, requests.durations[i]);
    }
    text.begin(metric::request_errors);
    for (const auto& [error, count] : requests.errors) {
        text.sample({name_of(error.first), wire::name_of(error.second)}, count);
    }
    single(text, metric::client_faults, requests.client_faults);
}

void tell_network(Text& text, const Watched& watched, const net::SocketFigures& sockets) {
    single(text, metric::connections, sockets.open);
    single(text, metric::connections_opened, sockets.opened);
    single(text, metric::connections_moved, sockets.moved);
    single(text, metric::connections_refused, watched.runtime.refused_connections());
    single(text, metric::received_bytes, sockets.received_bytes);
    single(text, metric::sent_bytes, sockets.sent_bytes);
}

void tell_traffic(Text& text, const Reading& reading) {
    broker::Traffic all = reading.broker.gone;
    for (const auto& [name, topic] : reading.topics) all.add(topic.traffic);
    single(text, metric::produced_bytes, all.bytes_in);
    single(text, metric::produced_records, all.records_in);
    single(text, metric::fetched_bytes, all.bytes_out);
}

// The oldest `most` topics: a topic that has metrics keeps them.
std::set<std::string_view> oldest(const cluster::Image& image, std::size_t most) {
    std::vector<const cluster::TopicImage*> topics;
    for (const auto& [name, topic] : image.topics()) topics.push_back(topic.get());
    if (topics.size() > most) {
        std::ranges::nth_element(topics, topics.begin() + static_cast<std::ptrdiff_t>(most), {},
                                 &cluster::TopicImage::created);
        topics.resize(most);
    }
    std::set<std::string_view> names;
    for (const auto* topic : topics) names.insert(topic->name);
    return names;
}

void tell_topics(Text& text, const Watched& watched, const Reading& reading) {
    std::set<std::string_view> told;
    std::size_t all = 0;
    if (watched.services != nullptr) {
        const cluster::Image& image = watched.services->metadata.image(0);
        all = image.topics().size();
        told = oldest(image, watched.most_topics);
    }
    single(text, metric::topics, std::uint64_t{all});
    single(text, metric::topics_left_out, std::uint64_t{all - told.size()});
    const auto each = [&](const metrics::Metric& of, auto value) {
        text.begin(of);
        for (const auto& [name, topic] : reading.topics) {
            if (told.contains(name)) text.sample({name}, value(topic));
        }
    };
    each(metric::topic_produced_bytes, [](const TopicReading& of) { return of.traffic.bytes_in; });
    each(metric::topic_produced_records,
         [](const TopicReading& of) { return of.traffic.records_in; });
    each(metric::topic_fetched_bytes, [](const TopicReading& of) { return of.traffic.bytes_out; });
    each(metric::topic_log_bytes, [](const TopicReading& of) { return of.log_bytes; });
}

std::uint64_t partitions_led(const api::Services* services) {
    if (services == nullptr) return 0;
    std::uint64_t led = 0;
    const sdk::NodeId self = services->metadata.self();
    for (const auto& [name, topic] : services->metadata.image(0).topics()) {
        led += static_cast<std::uint64_t>(
            std::ranges::count(topic->partitions, self, &cluster::PartitionImage::leader));
    }
    return led;
}

void tell_compaction(Text& text, const broker::ShardFigures& figures) {
    const auto each = [&](const metrics::Metric& of,
                          std::uint64_t broker::CompactionFigures::*count) {
        text.begin(of);
        for (const auto& [name, one] : figures.storage) {
            text.sample({name}, one.compaction.*count);
        }
    };
    each(metric::compaction_passes, &broker::CompactionFigures::passes);
    each(metric::compaction_read, &broker::CompactionFigures::read);
    each(metric::compaction_written, &broker::CompactionFigures::written);
    each(metric::compaction_dropped, &broker::CompactionFigures::dropped);
    each(metric::compaction_given_up, &broker::CompactionFigures::given_up);
}

void tell_partitions(Text& text, const Watched& watched, const Reading& reading) {
    auto counts = reading.partitions;
    std::uint64_t made = 0;
    for (const std::uint64_t count : counts) made += count;
    // A topic that was deleted while the shards were asked makes it negative.
    const std::uint64_t led = partitions_led(watched.services);
    counts[static_cast<std::size_t>(PartitionState::unused)] = led - std::min(led, made);
    constexpr std::array<std::string_view, partition_states> names{"open", "opening", "offline",
                                                                   "closing", "unused"};
    text.begin(metric::partitions);
    for (std::size_t i = 0; i < counts.size(); ++i) text.sample({names[i]}, counts[i]);
    text.begin(metric::log_bytes);
    for (const auto& [storage, bytes] : reading.log_bytes) text.sample({storage}, bytes);
    text.begin(metric::sync_duration);
    for (const auto& [storage, figures] : reading.broker.storage) {
        text.histogram({storage}, figures.syncs);
    }
    tell_compaction(text, reading.broker);
}

void tell_plugins(Text& text, const Watched& watched, const broker::ShardFigures& figures) {
    const auto each = [&](const metrics::Metric& of, std::uint64_t metrics::PluginCalls::*count) {
        text.begin(of);
        for (const auto& [name, one] : figures.storage) {
            text.sample({"storage", name}, one.calls.*count);
        }
        for (const auto& [name, calls] : figures.replication) {
            text.sample({"replication", name}, calls.*count);
        }
        for (const auto& [name, calls] : figures.assignment) {
            text.sample({"assignment", name}, calls.*count);
        }
    };
    each(metric::plugin_calls, &metrics::PluginCalls::calls);
    each(metric::plugin_errors, &metrics::PluginCalls::errors);
    each(metric::plugin_stalls, &metrics::PluginCalls::stalls);
    text.begin(metric::plugin_quarantines);
    for (const auto& [name, calls] : figures.assignment) {
        text.sample({"assignment", name}, calls.quarantines);
    }
    text.begin(metric::plugin_counter);
    for (const auto& reading : watched.counters.readings()) {
        text.sample({reading.instance, reading.counter}, reading.value);
    }
}

void tell_machine(Text& text, const Watched& watched, std::uint64_t descriptors) {
    using Use = runtime::MemoryBudget::Use;
    const auto& memory = watched.memory;
    single(text, metric::memory_budget, memory.limit());
    single(text, metric::memory_taken, memory.taken());
    single(text, metric::memory_waiting,
           std::uint64_t{memory.wanted(Use::small)} + memory.wanted(Use::large));
    const net::WorkerFigures workers = watched.runtime.workers();
    single(text, metric::worker_queue, workers.waiting);
    single(text, metric::worker_threads, workers.threads);
    single(text, metric::worker_busy, workers.busy);
    const ProcessFigures process = process_figures();
    single(text, metric::process_cpu, process.cpu_seconds);
    single(text, metric::process_resident, process.resident_bytes);
    single(text, metric::process_virtual, process.virtual_bytes);
    single(text, metric::process_open, descriptors);
    single(text, metric::process_most, process.most_descriptors);
    single(text, metric::process_start, process.start_seconds);
}

}  // namespace

std::string text_of(const Watched& watched, const Reading& reading, std::uint64_t descriptors) {
    Text text;
    text.begin(metric::build_info);
    text.sample({watched.version}, std::uint64_t{1});
    single(text, metric::ready, std::uint64_t{watched.ready() ? 1u : 0u});
    single(text, metric::shards, std::uint64_t{watched.runtime.count()});
    tell_requests(text, reading.requests);
    tell_network(text, watched, reading.sockets);
    tell_traffic(text, reading);
    tell_topics(text, watched, reading);
    tell_partitions(text, watched, reading);
    tell_plugins(text, watched, reading.broker);
    tell_machine(text, watched, descriptors);
    return std::move(text).take();
}

}  // namespace leat::admin
