#include "checkpoints.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "small_files.h"

namespace leat::segment {
namespace {

constexpr std::string_view recovery_name = "recovery-point-offset-checkpoint";
constexpr std::string_view log_start_name = "log-start-offset-checkpoint";
constexpr std::string_view marker_name = ".kafka_cleanshutdown";
// The broker epoch is the coordination backend's to know; -1 is Kafka's "not known".
constexpr std::string_view marker_text = R"({"version":0,"brokerEpoch":-1})";

std::string_view next_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    return line;
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

sdk::Status read_points(FileSystem& system, const std::string& path, Points& points,
                        std::string& damaged) {
    const auto bytes = read_small_file(system, path);
    if (!bytes && bytes.error().code == sdk::Errc::not_found) return {};
    if (!bytes) return bytes.error();
    const auto parsed =
        parse_checkpoint({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    if (parsed) {
        points = *parsed;
    } else {
        damaged = path;
    }
    return {};
}

std::optional<std::int64_t> find(const Points& points, std::string_view name) {
    const auto found = points.find(name);
    if (found == points.end()) return std::nullopt;
    return found->second;
}

}  // namespace

std::string checkpoint_text(const Points& points) {
    std::string text = "0\n" + std::to_string(points.size()) + "\n";
    for (const auto& [name, offset] : points) {
        const std::size_t dash = name.rfind('-');
        text.append(name, 0, dash).append(" ").append(name, dash + 1).append(" ");
        text.append(std::to_string(offset)).append("\n");
    }
    return text;
}

std::optional<Points> parse_checkpoint(std::string_view text) {
    std::size_t count = 0;
    if (next_line(text) != "0" || !parse_number(next_line(text), count)) return std::nullopt;
    Points points;
    while (!text.empty()) {
        const std::string_view line = next_line(text);
        const std::size_t first = line.find(' ');
        const std::size_t second = line.rfind(' ');
        if (first == second) return std::nullopt;
        const std::string_view partition = line.substr(first + 1, second - first - 1);
        std::int32_t index = 0;
        std::int64_t offset = 0;
        if (!parse_number(partition, index) || index < 0 ||
            !parse_number(line.substr(second + 1), offset) || offset < 0) {
            return std::nullopt;
        }
        std::string name{line.substr(0, first)};
        name.append("-").append(partition);
        points.insert_or_assign(std::move(name), offset);
    }
    if (points.size() != count) return std::nullopt;
    return points;
}

sdk::Status Checkpoints::load(std::string& damaged) {
    const std::lock_guard lock{mutex_};
    for (auto [name, points] : {std::pair{recovery_name, &recovery_points_},
                                std::pair{log_start_name, &log_starts_}}) {
        const std::string path = root_ + "/" + std::string{name};
        if (auto read = read_points(system_, path, *points, damaged); !read) return read;
    }
    written_recovery_points_ = recovery_points_;
    written_log_starts_ = log_starts_;
    const std::string marker = root_ + "/" + std::string{marker_name};
    const int removed = system_.unlink(marker);
    if (removed < 0 && removed != -ENOENT) return failure(removed, "remove", marker);
    was_clean_ = removed == 0;
    if (!was_clean_) return {};
    if (const int error = system_.sync_folder(root_); error < 0) {
        return failure(error, "sync", root_);
    }
    return {};
}

std::optional<std::int64_t> Checkpoints::recovery_point(std::string_view name) const {
    const std::lock_guard lock{mutex_};
    return find(recovery_points_, name);
}

std::optional<std::int64_t> Checkpoints::log_start(std::string_view name) const {
    const std::lock_guard lock{mutex_};
    return find(log_starts_, name);
}

void Checkpoints::note_flushed(const std::string& name, std::int64_t offset) {
    const std::lock_guard lock{mutex_};
    recovery_points_[name] = offset;
}

sdk::Status Checkpoints::set_log_start(const std::string& name, std::int64_t offset) {
    const std::lock_guard lock{mutex_};
    log_starts_[name] = offset;
    return write_log_starts();
}

sdk::Status Checkpoints::lower(const std::string& name, std::int64_t recovery,
                               std::optional<std::int64_t> log_start) {
    const std::lock_guard lock{mutex_};
    const auto found = recovery_points_.find(name);
    if (found != recovery_points_.end()) found->second = std::min(found->second, recovery);
    const auto written = find(written_recovery_points_, name);
    if (unsure_ || (written && *written > recovery)) {
        if (auto done = write_recovery_points(); !done) return done;
    }
    if (log_start && (unsure_ || find(written_log_starts_, name) != log_start)) {
        log_starts_[name] = *log_start;
        return write_log_starts();
    }
    return {};
}

sdk::Status Checkpoints::forget(const std::string& name) {
    const std::lock_guard lock{mutex_};
    recovery_points_.erase(name);
    log_starts_.erase(name);
    if (unsure_ || written_recovery_points_.contains(name)) {
        if (auto done = write_recovery_points(); !done) return done;
    }
    return unsure_ || written_log_starts_.contains(name) ? write_log_starts() : sdk::Status{};
}

sdk::Status Checkpoints::keep_only(const std::set<std::string, std::less<>>& names) {
    const std::lock_guard lock{mutex_};
    const auto gone = [&](const auto& point) { return !names.contains(point.first); };
    if (std::erase_if(recovery_points_, gone) != 0) {
        if (auto done = write_recovery_points(); !done) return done;
    }
    return std::erase_if(log_starts_, gone) != 0 ? write_log_starts() : sdk::Status{};
}

sdk::Status Checkpoints::write_if_older_than(sdk::Instant now, sdk::Instant age) {
    const std::lock_guard lock{mutex_};
    if (last_write_ == sdk::Instant{}) last_write_ = now;
    if (now - last_write_ < age || recovery_points_ == written_recovery_points_) return {};
    last_write_ = now;
    return write_recovery_points();
}

sdk::Status Checkpoints::write_all_and_marker() {
    const std::lock_guard lock{mutex_};
    if (recovery_points_ != written_recovery_points_) {
        if (auto done = write_recovery_points(); !done) return done;
    }
    if (log_starts_ != written_log_starts_) {
        if (auto done = write_log_starts(); !done) return done;
    }
    return replace_small_file(system_, root_, marker_name, bytes_of(marker_text));
}

sdk::Status Checkpoints::write_recovery_points() {
    const std::string text = checkpoint_text(recovery_points_);
    auto done = replace_small_file(system_, root_, recovery_name, bytes_of(text));
    if (done) {
        written_recovery_points_ = recovery_points_;
    } else {
        unsure_ = true;
    }
    return done;
}

sdk::Status Checkpoints::write_log_starts() {
    const std::string text = checkpoint_text(log_starts_);
    auto done = replace_small_file(system_, root_, log_start_name, bytes_of(text));
    if (done) {
        written_log_starts_ = log_starts_;
    } else {
        unsure_ = true;
    }
    return done;
}

}  // namespace leat::segment
