#include "core/app/client_commands/starting_point.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

#include "core/client/offsets.h"
#include "core/config/units.h"

namespace leat::app {
namespace {

using Kind = StartingPoint::Kind;

std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t value = 0;
    const auto end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (text.empty() || read.ptr != end || read.ec != std::errc{} || value < 0) return std::nullopt;
    return value;
}

// Takes `size` digits and what stands behind them ('\0': nothing in particular).
std::optional<int> take_digits(std::string_view& text, std::size_t size) {
    const auto value = number_of(text.substr(0, size));
    if (text.size() < size || !value) return std::nullopt;
    text.remove_prefix(size);
    return static_cast<int>(*value);
}
bool take(std::string_view& text, char mark) {
    if (!text.starts_with(mark)) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::int64_t> time_of(std::string_view text) {
    using namespace std::chrono;
    const auto y = take_digits(text, 4);
    if (!y || !take(text, '-')) return std::nullopt;
    const auto m = take_digits(text, 2);
    if (!m || !take(text, '-')) return std::nullopt;
    const auto d = take_digits(text, 2);
    if (!d) return std::nullopt;
    const year_month_day date{year{*y}, month{static_cast<unsigned>(*m)},
                              day{static_cast<unsigned>(*d)}};
    int parts[4] = {};  // Hours, minutes, seconds, milliseconds.
    if (take(text, 'T') || take(text, ' ')) {
        static constexpr struct {
            char before;
            std::size_t digits;
            int most;
        } all[] = {{'\0', 2, 23}, {':', 2, 59}, {':', 2, 59}, {'.', 3, 999}};
        for (std::size_t i = 0; i < std::size(all); ++i) {
            if (i > 0 && !take(text, all[i].before)) {
                if (i == 1) return std::nullopt;
                break;
            }
            const auto value = take_digits(text, all[i].digits);
            if (!value || *value > all[i].most) return std::nullopt;
            parts[i] = *value;
        }
    }
    take(text, 'Z');
    if (!date.ok() || !text.empty()) return std::nullopt;
    const auto time = sys_days{date}.time_since_epoch() + hours{parts[0]} + minutes{parts[1]} +
                      seconds{parts[2]} + milliseconds{parts[3]};
    return duration_cast<milliseconds>(time).count();
}

}  // namespace

sdk::Result<StartingPoint> parse_starting_point(std::string_view text, std::int64_t now) {
    if (text == "beginning") return StartingPoint{Kind::beginning};
    if (text == "end") return StartingPoint{Kind::end};
    if (const auto offset = number_of(text)) return StartingPoint{Kind::offset, *offset};
    if (text.starts_with('-')) {
        if (const auto count = number_of(text.substr(1)))
            return StartingPoint{Kind::before_end, *count};
    }
    if (text.starts_with('@')) {
        if (const auto time = number_of(text.substr(1))) return StartingPoint{Kind::time, *time};
    }
    if (const auto time = time_of(text)) return StartingPoint{Kind::time, *time};
    if (const auto age = config::parse_duration(text))
        return StartingPoint{Kind::time, std::max<std::int64_t>(0, now - age->count())};
    return sdk::Error{
        sdk::Errc::invalid_argument,
        "--from takes beginning, end, an offset, -N (before the end), a duration like "
        "10min (ago), a time like 2026-01-31T12:00Z or @MILLISECONDS, not `" +
            std::string{text} + "`"};
}

sdk::Result<std::map<std::int32_t, std::int64_t>> offsets_of(
    const StartingPoint& point, client::Cluster& cluster, const std::string& topic,
    std::span<const std::int32_t> partitions) {
    const auto at = [&](std::int64_t timestamp) {
        return client::offsets_at(cluster, topic, partitions, timestamp);
    };
    if (point.kind == Kind::beginning) return at(client::earliest);
    if (point.kind == Kind::end) return at(client::latest);
    std::map<std::int32_t, std::int64_t> offsets;
    if (point.kind == Kind::offset) {
        for (const auto partition : partitions) offsets[partition] = point.value;
        return offsets;
    }
    const auto ends = at(client::latest);
    if (!ends) return ends;
    const auto others = at(point.kind == Kind::time ? point.value : client::earliest);
    if (!others) return others;
    for (const auto& [partition, end] : *ends) {
        const auto other = others->at(partition);
        if (point.kind == Kind::time) {
            offsets[partition] = other < 0 ? end : other;
        } else {
            offsets[partition] = std::max(other, end - point.value);
        }
    }
    return offsets;
}

std::string time_text(std::int64_t milliseconds) {
    using namespace std::chrono;
    const sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds{milliseconds}};
    const auto midnight = floor<days>(time);
    const year_month_day date{midnight};
    const hh_mm_ss rest{time - midnight};
    char text[64];
    std::snprintf(
        text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        static_cast<int>(rest.hours().count()), static_cast<int>(rest.minutes().count()),
        static_cast<int>(rest.seconds().count()), static_cast<int>(rest.subseconds().count()));
    return text;
}

}  // namespace leat::app
