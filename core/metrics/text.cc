#include "core/metrics/text.h"

#include <charconv>

#include "leat/sdk/ensure.h"

namespace leat::metrics {
namespace {

template <class Number>
void append_number(std::string& text, Number value) {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    text.append(digits, end);
}

void append_escaped(std::string& text, std::string_view value) {
    for (const char c : value) {
        if (c == '\\' || c == '"') text += '\\';
        if (c == '\n') {
            text += "\\n";
        } else {
            text += c;
        }
    }
}

}  // namespace

void Text::begin(const Metric& metric) {
    metric_ = &metric;
    text_ += "# HELP ";
    text_ += metric.name;
    text_ += ' ';
    text_ += metric.help;
    text_ += "\n# TYPE ";
    text_ += metric.name;
    text_ += ' ';
    text_ += name_of(metric.kind);
    text_ += '\n';
}

void Text::name(std::string_view suffix, Labels values, std::string_view le) {
    sdk::ensure(metric_ != nullptr, "a metric is begun before its samples");
    text_ += metric_->name;
    text_ += suffix;
    char before = '{';
    const auto add = [&](std::string_view label, std::string_view value) {
        text_ += before;
        text_ += label;
        text_ += "=\"";
        append_escaped(text_, value);
        text_ += '"';
        before = ',';
    };
    std::size_t i = 0;
    for (const std::string_view value : values) {
        sdk::ensure(i < metric_->labels.size() && !metric_->labels[i].empty(),
                    "a sample has the labels that its metric declares");
        add(metric_->labels[i++], value);
    }
    sdk::ensure(i == metric_->labels.size() || metric_->labels[i].empty(),
                "a sample has all labels that its metric declares");
    if (!le.empty()) add("le", le);
    if (before == ',') text_ += '}';
    text_ += ' ';
}

void Text::sample(Labels values, std::uint64_t value) {
    name({}, values);
    append_number(text_, value);
    text_ += '\n';
}

void Text::sample(Labels values, double value) {
    name({}, values);
    append_number(text_, value);
    text_ += '\n';
}

void Text::histogram(Labels values, const Histogram& histogram) {
    const auto bucket = [&](std::string_view le, std::uint64_t count) {
        name("_bucket", values, le);
        append_number(text_, count);
        text_ += '\n';
    };
    for (int power = Histogram::lowest_power; power <= Histogram::highest_power; ++power) {
        std::string le;
        append_number(le, static_cast<double>(std::uint64_t{1} << power) / 1e9);
        bucket(le, histogram.count_within(power));
    }
    bucket("+Inf", histogram.count());
    name("_sum", values);
    append_number(text_, histogram.sum_seconds());
    text_ += '\n';
    name("_count", values);
    append_number(text_, histogram.count());
    text_ += '\n';
}

}  // namespace leat::metrics
