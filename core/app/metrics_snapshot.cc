#include "core/app/metrics_snapshot.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace leat::app {
namespace {

// Of `name{label="..."...}`; escapes are left as they stand.
std::string label_of(std::string_view sample, std::string_view label) {
    const std::string begin = std::string{label} + "=\"";
    const std::size_t at = sample.find(begin);
    if (at == std::string_view::npos) return {};
    const std::size_t from = at + begin.size();
    std::size_t end = from;
    while (end < sample.size() && sample[end] != '"') end += sample[end] == '\\' ? 2 : 1;
    return std::string{sample.substr(from, std::min(end, sample.size()) - from)};
}

double value_of(const MetricsSnapshot& from, std::string_view sample) {
    const auto found = from.find(sample);
    return found == from.end() ? 0 : found->second;
}

struct Change {
    const MetricsSnapshot& before;
    const MetricsSnapshot& now;
    double seconds;

    // A counter that is less than before: the broker has started anew.
    double since(std::string_view sample) const {
        const double last = value_of(now, sample);
        const double first = value_of(before, sample);
        return last >= first ? last - first : last;
    }
    double rate(std::string_view sample) const { return since(sample) / seconds; }

    // The values of `label` in the samples of `metric`.
    std::vector<std::string> labels(std::string_view metric, std::string_view label) const {
        std::vector<std::string> found;
        const std::string prefix = std::string{metric} + "{";
        for (auto at = now.lower_bound(prefix); at != now.end() && at->first.starts_with(prefix);
             ++at) {
            found.push_back(label_of(at->first, label));
        }
        return found;
    }
};

std::string sized(double bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
    return text;
}

std::string timed(double seconds) {
    char text[32];
    if (seconds <= 0) return "-";
    if (seconds < 1e-3) {
        std::snprintf(text, sizeof text, "%.0f us", seconds * 1e6);
    } else if (seconds < 1) {
        std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
    } else {
        std::snprintf(text, sizeof text, "%.1f s", seconds);
    }
    return text;
}

// The end of the bucket that holds the slowest hundredth's fastest.
double p99(const Change& change, const std::string& api) {
    const std::string prefix = "leat_request_duration_seconds_bucket{api=\"" + api + "\",le=\"";
    std::vector<std::pair<double, double>> buckets;
    for (auto at = change.now.lower_bound(prefix);
         at != change.now.end() && at->first.starts_with(prefix); ++at) {
        buckets.emplace_back(std::strtod(at->first.c_str() + prefix.size(), nullptr),
                             change.since(at->first));
    }
    std::ranges::sort(buckets);
    if (buckets.empty()) return 0;
    const double all = buckets.back().second;
    for (const auto& [end, count] : buckets) {
        if (all > 0 && count >= 0.99 * all) return end;
    }
    return 0;
}

void add_line(std::string& page, const char* format, auto... values) {
    char line[256];
    std::snprintf(line, sizeof line, format, values...);
    page += line;
    page += '\n';
}

void tell_broker(std::string& page, const Change& change) {
    const auto value = [&](std::string_view sample) { return value_of(change.now, sample); };
    add_line(page, "%s   cpu %.0f %%   memory %s   requests and answers %s of %s",
             value("leat_ready") == 1 ? "ready" : "NOT READY",
             100 * change.rate("process_cpu_seconds_total"),
             sized(value("process_resident_memory_bytes")).c_str(),
             sized(value("leat_memory_taken_bytes")).c_str(),
             sized(value("leat_memory_budget_bytes")).c_str());
    add_line(page, "connections %.0f   in %s/s   out %s/s   workers %.0f busy, %.0f tasks wait",
             value("leat_connections"),
             sized(change.rate("leat_network_received_bytes_total")).c_str(),
             sized(change.rate("leat_network_sent_bytes_total")).c_str(),
             value("leat_worker_busy_threads"), value("leat_worker_queue_length"));
    add_line(page, "topics %.0f   partitions %.0f open, %.0f offline, %.0f unused",
             value("leat_topics"), value("leat_partitions{state=\"open\"}"),
             value("leat_partitions{state=\"offline\"}"),
             value("leat_partitions{state=\"unused\"}"));
}

void tell_apis(std::string& page, const Change& change) {
    add_line(page, "\n%-26s %12s %10s %12s", "API", "requests/s", "p99 up to", "errors/s");
    for (const auto& api : change.labels("leat_request_duration_seconds_count", "api")) {
        double errors = 0;
        const std::string prefix = "leat_request_errors_total{api=\"" + api + "\"";
        for (auto at = change.now.lower_bound(prefix);
             at != change.now.end() && at->first.starts_with(prefix); ++at) {
            errors += change.rate(at->first);
        }
        add_line(page, "%-26s %12.1f %10s %12.1f", api.c_str(),
                 change.rate("leat_request_duration_seconds_count{api=\"" + api + "\"}"),
                 timed(p99(change, api)).c_str(), errors);
    }
}

void tell_topics(std::string& page, const Change& change, std::size_t most) {
    const auto of = [](const char* metric, const std::string& topic) {
        return std::string{metric} + "{topic=\"" + topic + "\"}";
    };
    std::vector<std::pair<double, std::string>> topics;
    for (auto& topic : change.labels("leat_topic_log_bytes", "topic")) {
        const double moved = change.since(of("leat_topic_produced_bytes_total", topic)) +
                             change.since(of("leat_topic_fetched_bytes_total", topic));
        topics.emplace_back(-moved, std::move(topic));
    }
    std::ranges::sort(topics);
    if (topics.size() > most) topics.resize(most);
    add_line(page, "\n%-40s %12s %12s %12s %12s", "topic", "records/s", "in/s", "out/s", "size");
    for (const auto& [moved, topic] : topics) {
        add_line(page, "%-40.40s %12.1f %12s %12s %12s", topic.c_str(),
                 change.rate(of("leat_topic_produced_records_total", topic)),
                 sized(change.rate(of("leat_topic_produced_bytes_total", topic))).c_str(),
                 sized(change.rate(of("leat_topic_fetched_bytes_total", topic))).c_str(),
                 sized(value_of(change.now, of("leat_topic_log_bytes", topic))).c_str());
    }
}

}  // namespace

MetricsSnapshot parse_metrics(std::string_view text) {
    MetricsSnapshot snapshot;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string line{text.substr(0, end)};
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t space = line.rfind(' ');
        if (line.empty() || line[0] == '#' || space == std::string::npos) continue;
        char* rest = nullptr;
        const double value = std::strtod(line.c_str() + space + 1, &rest);
        if (rest != line.c_str() + space + 1 && *rest == '\0') {
            snapshot[line.substr(0, space)] = value;
        }
    }
    return snapshot;
}

std::string metrics_page(const MetricsSnapshot& before, const MetricsSnapshot& now,
                         const PageShape& shape) {
    const Change change{before, now, shape.seconds};
    std::string page;
    tell_broker(page, change);
    tell_apis(page, change);
    tell_topics(page, change, shape.topics);
    return page;
}

}  // namespace leat::app
