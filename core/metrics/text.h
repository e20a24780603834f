// Writes Prometheus' text format, version 0.0.4.
//
//   Text text;
//   text.begin(metric::connections);
//   text.sample({}, 3);
//   text.begin(metric::request_duration);
//   text.histogram({"Produce"}, produce);
//   return std::move(text).take();
//
// Source     https://prometheus.io/docs/instrumenting/exposition_formats/
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/metrics/catalogue.h"
#include "core/metrics/histogram.h"

namespace leat::metrics {

class Text {
public:
    static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

    // All samples of `metric` follow, before the next begin(). Each metric is begun at most once.
    void begin(const Metric& metric);

    // `values` are those of the metric's labels, in their order: any bytes.
    using Labels = std::initializer_list<std::string_view>;
    void sample(Labels values, std::uint64_t value);
    void sample(Labels values, double value);
    // A bucket for each power of two nanoseconds: their ends are exact, if not round.
    void histogram(Labels values, const Histogram& histogram);

    std::string take() && { return std::move(text_); }

private:
    void name(std::string_view suffix, Labels values, std::string_view le = {});

    std::string text_;
    const Metric* metric_ = nullptr;
};

}  // namespace leat::metrics
