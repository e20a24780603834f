#include "core/app/client_commands/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace leat::app {
namespace {

constexpr std::chrono::milliseconds pace{500};

std::string with_commas(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
    return text;
}

std::string bytes_text(std::uint64_t bytes) {
    static constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < std::size(units); ++unit) value /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

}  // namespace

std::string progress_text(std::uint64_t records, std::uint64_t bytes,
                          std::chrono::milliseconds elapsed) {
    const auto spent = std::max<std::int64_t>(1, elapsed.count());
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.1f", static_cast<double>(spent) / 1000);
    return with_commas(records) + (records == 1 ? " record, " : " records, ") + bytes_text(bytes) +
           " in " + seconds + " s (" +
           with_commas(records * 1000 / static_cast<std::uint64_t>(spent)) + "/s)";
}

Progress::Progress(bool quiet, int other)
    : shown_{!quiet && ::isatty(STDERR_FILENO) == 1 && ::isatty(other) != 1} {}

void Progress::show(std::uint64_t records, std::uint64_t bytes, const char* end) {
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began_);
    std::fprintf(stderr, "\r\x1b[K%s%s", progress_text(records, bytes, elapsed).c_str(), end);
    std::fflush(stderr);
}

void Progress::at(std::uint64_t records, std::uint64_t bytes) {
    if (!shown_ || Clock::now() - last_ < pace) return;
    last_ = Clock::now();
    dirty_ = true;
    show(records, bytes, "");
}

void Progress::end(std::uint64_t records, std::uint64_t bytes) {
    if (!shown_) return;
    dirty_ = false;
    show(records, bytes, "\n");
}

void Progress::clear() {
    if (!dirty_) return;
    dirty_ = false;
    std::fputs("\r\x1b[K", stderr);
}

}  // namespace leat::app
