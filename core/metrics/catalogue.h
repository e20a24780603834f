// Every metric that a broker tells, declared once: the text that Prometheus reads, docs/metrics.md
// and `leat top` speak from these. Names follow Prometheus' conventions: base units, `_total` for
// what only rises, `process_` where every program has the same.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace leat::metrics {

enum class Kind { counter, gauge, histogram };
std::string_view name_of(Kind kind);  // As Prometheus calls it.

struct Metric {
    std::string_view name;
    Kind kind = Kind::gauge;
    std::string_view help;                     // One sentence without a full stop.
    std::array<std::string_view, 2> labels{};  // Unused ones are empty.
};

namespace metric {

inline constexpr Metric build_info{
    "leat_build_info", Kind::gauge, "Always 1; the version is a label", {"version"}};
inline constexpr Metric ready{"leat_ready", Kind::gauge,
                              "1 while the broker is registered, not fenced and not stopping"};
inline constexpr Metric shards{"leat_shards", Kind::gauge, "Event loops"};

inline constexpr Metric request_duration{
    "leat_request_duration_seconds",
    Kind::histogram,
    "From reading a request to having its answer; what a Fetch waits for records is in it",
    {"api"}};
inline constexpr Metric request_errors{
    "leat_request_errors_total",
    Kind::counter,
    "Error codes in answers, one for each partition or other thing that an answer tells it of",
    {"api", "error"}};
inline constexpr Metric client_faults{
    "leat_client_faults_total", Kind::counter,
    "Connections closed because of what the client sent or did not read"};

inline constexpr Metric connections{"leat_connections", Kind::gauge, "Open connections of clients"};
inline constexpr Metric connections_opened{"leat_connections_opened_total", Kind::counter,
                                           "Connections of clients that were taken"};
inline constexpr Metric connections_moved{
    "leat_connections_moved_total", Kind::counter,
    "Moves of a connection to the shard of the partitions that it produces to"};
inline constexpr Metric connections_refused{
    "leat_connections_refused_total", Kind::counter,
    "Connections closed right after accept, because of a limit or for want of descriptors"};
inline constexpr Metric received_bytes{"leat_network_received_bytes_total", Kind::counter,
                                       "Read from sockets of clients"};
inline constexpr Metric sent_bytes{"leat_network_sent_bytes_total", Kind::counter,
                                   "Written to sockets of clients"};

inline constexpr Metric produced_bytes{"leat_produced_bytes_total", Kind::counter,
                                       "Record batches appended, as they are stored"};
inline constexpr Metric produced_records{"leat_produced_records_total", Kind::counter,
                                         "Records appended"};
inline constexpr Metric fetched_bytes{"leat_fetched_bytes_total", Kind::counter,
                                      "Record batches read for Fetch requests"};

inline constexpr Metric topics{"leat_topics", Kind::gauge, "Topics"};
inline constexpr Metric topics_left_out{
    "leat_topics_left_out", Kind::gauge,
    "Topics without metrics of their own, the youngest, because of `[http] most_topics`"};
inline constexpr Metric topic_produced_bytes{
    "leat_topic_produced_bytes_total", Kind::counter, "Record batches appended", {"topic"}};
inline constexpr Metric topic_produced_records{
    "leat_topic_produced_records_total", Kind::counter, "Records appended", {"topic"}};
inline constexpr Metric topic_fetched_bytes{"leat_topic_fetched_bytes_total",
                                            Kind::counter,
                                            "Record batches read for Fetch requests",
                                            {"topic"}};
inline constexpr Metric topic_log_bytes{
    "leat_topic_log_bytes",
    Kind::gauge,
    "Size of the logs of the topic's partitions that were used since the start",
    {"topic"}};

inline constexpr Metric partitions{
    "leat_partitions",
    Kind::gauge,
    "Partitions that this broker leads; `unused` were not asked for since the start, `offline` "
    "are those whose storage failed",
    {"state"}};
inline constexpr Metric log_bytes{
    "leat_log_bytes", Kind::gauge, "Size of the logs that were used since the start", {"storage"}};
inline constexpr Metric sync_duration{"leat_log_sync_duration_seconds",
                                      Kind::histogram,
                                      "How long the storage took to make a log durable",
                                      {"storage"}};

inline constexpr Metric compaction_passes{"leat_compaction_passes_total",
                                          Kind::counter,
                                          "Passes over logs of keyed topics that came to their end",
                                          {"storage"}};
inline constexpr Metric compaction_read{"leat_compaction_read_bytes_total",
                                        Kind::counter,
                                        "Read for compaction, keys and records",
                                        {"storage"}};
inline constexpr Metric compaction_written{"leat_compaction_written_bytes_total",
                                           Kind::counter,
                                           "Written in the place of compacted segments",
                                           {"storage"}};
inline constexpr Metric compaction_dropped{"leat_compaction_dropped_records_total",
                                           Kind::counter,
                                           "Records that compaction left out",
                                           {"storage"}};
inline constexpr Metric compaction_given_up{
    "leat_compaction_given_up_total",
    Kind::counter,
    "Times that a log turned out to be one that cannot be compacted; the broker's log says why",
    {"storage"}};

inline constexpr Metric plugin_calls{"leat_plugin_calls_total",
                                     Kind::counter,
                                     "Calls into a plugin on behalf of partitions or groups",
                                     {"kind", "instance"}};
inline constexpr Metric plugin_errors{"leat_plugin_errors_total",
                                      Kind::counter,
                                      "Calls into a plugin that failed, threw or were given up",
                                      {"kind", "instance"}};
inline constexpr Metric plugin_stalls{
    "leat_plugin_stalls_total",
    Kind::counter,
    "Appends to and reads from a storage plugin that held up a shard for more than 10 ms",
    {"kind", "instance"}};
inline constexpr Metric plugin_quarantines{
    "leat_plugin_quarantines_total",
    Kind::counter,
    "Times that an assignor threw, answered against the rules or took too long, and was not asked "
    "again until it was reloaded",
    {"kind", "instance"}};
inline constexpr Metric plugin_counter{"leat_plugin_counter_total",
                                       Kind::counter,
                                       "What plugins count themselves",
                                       {"instance", "counter"}};

inline constexpr Metric memory_budget{"leat_memory_budget_bytes", Kind::gauge,
                                      "`[limits] memory_budget`"};
inline constexpr Metric memory_taken{
    "leat_memory_taken_bytes", Kind::gauge,
    "Of the budget: requests and answers, and what shards hold in reserve"};
inline constexpr Metric memory_waiting{"leat_memory_waiting_shards", Kind::gauge,
                                       "Shards that read nothing until memory is free again"};

inline constexpr Metric worker_queue{"leat_worker_queue_length", Kind::gauge,
                                     "Tasks that wait for a worker"};
inline constexpr Metric worker_threads{"leat_worker_threads", Kind::gauge,
                                       "Workers that were started"};
inline constexpr Metric worker_busy{"leat_worker_busy_threads", Kind::gauge,
                                    "Workers that are at a task"};

inline constexpr Metric process_cpu{"process_cpu_seconds_total", Kind::counter,
                                    "User and system time"};
inline constexpr Metric process_resident{"process_resident_memory_bytes", Kind::gauge,
                                         "Resident memory"};
inline constexpr Metric process_virtual{"process_virtual_memory_bytes", Kind::gauge,
                                        "Virtual memory"};
inline constexpr Metric process_open{"process_open_fds", Kind::gauge, "Open file descriptors"};
inline constexpr Metric process_most{"process_max_fds", Kind::gauge, "Limit of open descriptors"};
inline constexpr Metric process_start{"process_start_time_seconds", Kind::gauge,
                                      "When the process started, since 1970"};

}  // namespace metric

// All of the above, in the order in which they are told.
std::span<const Metric* const> catalogue();

// What docs/metrics.md holds as its table: Markdown, ends in a line's end.
std::string reference();

}  // namespace leat::metrics
