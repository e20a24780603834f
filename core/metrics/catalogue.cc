#include "core/metrics/catalogue.h"

namespace leat::metrics {

std::string_view name_of(Kind kind) {
    switch (kind) {
        case Kind::counter:
            return "counter";
        case Kind::gauge:
            return "gauge";
        case Kind::histogram:
            return "histogram";
    }
    return "untyped";
}

std::span<const Metric* const> catalogue() {
    using namespace metric;
    static constexpr std::array all{
        &build_info,
        &ready,
        &shards,
        &request_duration,
        &request_errors,
        &client_faults,
        &connections,
        &connections_opened,
        &connections_moved,
        &connections_refused,
        &received_bytes,
        &sent_bytes,
        &produced_bytes,
        &produced_records,
        &fetched_bytes,
        &topics,
        &topics_left_out,
        &topic_produced_bytes,
        &topic_produced_records,
        &topic_fetched_bytes,
        &topic_log_bytes,
        &partitions,
        &log_bytes,
        &sync_duration,
        &compaction_passes,
        &compaction_read,
        &compaction_written,
        &compaction_dropped,
        &compaction_given_up,
        &plugin_calls,
        &plugin_errors,
        &plugin_stalls,
        &plugin_quarantines,
        &plugin_counter,
        &memory_budget,
        &memory_taken,
        &memory_waiting,
        &worker_queue,
        &worker_threads,
        &worker_busy,
        &process_cpu,
        &process_resident,
        &process_virtual,
        &process_open,
        &process_most,
        &process_start,
    };
    return all;
}

std::string reference() {
    std::string text = "| metric | kind | labels | what it tells |\n|---|---|---|---|\n";
    for (const Metric* each : catalogue()) {
        std::string labels;
        for (const std::string_view label : each->labels) {
            if (label.empty()) continue;
            labels += (labels.empty() ? "`" : ", `") + std::string{label} + "`";
        }
        text += "| `" + std::string{each->name} + "` | " + std::string{name_of(each->kind)} +
                " | " + labels + " | " + std::string{each->help} + " |\n";
    }
    return text;
}

}  // namespace leat::metrics
