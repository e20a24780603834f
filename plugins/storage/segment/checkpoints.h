// The files of the whole engine, in Kafka's formats: `recovery-point-offset-checkpoint` (offsets
// below are on the device for certain), `log-start-offset-checkpoint`, `.kafka_cleanshutdown`.
//
// They are read once, when the engine starts. Recovery points are written now and then, for they
// only shorten a recovery; start offsets before the trim that raises one returns. Both are lowered
// on disk before a log is cut below them: after a crash, what is missing below a recovery point is
// damage.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "leat/sdk/result.h"
#include "leat/sdk/shard.h"
#include "file_system.h"

namespace leat::segment {

// Folder names ("topic-0") to offsets.
using Points = std::map<std::string, std::int64_t, std::less<>>;

std::string checkpoint_text(const Points& points);
std::optional<Points> parse_checkpoint(std::string_view text);

// Any thread.
class Checkpoints {
public:
    Checkpoints(FileSystem& system, std::string root) : system_{system}, root_{std::move(root)} {}

    // Reads all, and removes the marker, durably: whoever writes from now on does so without it. A
    // damaged checkpoint counts as an empty one, for everything can be found by scanning but how
    // far a log was trimmed; `damaged` names it then.
    sdk::Status load(std::string& damaged);

    bool was_clean() const { return was_clean_; }
    // Both empty for a folder that was copied here.
    std::optional<std::int64_t> recovery_point(std::string_view name) const;
    std::optional<std::int64_t> log_start(std::string_view name) const;

    // Not written yet: see write_if_older_than().
    void note_flushed(const std::string& name, std::int64_t offset);
    // Durable when it returns.
    sdk::Status set_log_start(const std::string& name, std::int64_t offset);
    // Durable when it returns: no recovery point above `recovery`, and `log_start` if given.
    sdk::Status lower(const std::string& name, std::int64_t recovery,
                      std::optional<std::int64_t> log_start);
    sdk::Status forget(const std::string& name);
    // Drops what is about folders that are not there.
    sdk::Status keep_only(const std::set<std::string, std::less<>>& names);

    sdk::Status write_if_older_than(sdk::Instant now, sdk::Instant age);
    sdk::Status write_all_and_marker();

private:
    sdk::Status write_recovery_points();  // Both with the mutex held.
    sdk::Status write_log_starts();

    FileSystem& system_;
    const std::string root_;
    bool was_clean_ = false;
    mutable std::mutex mutex_;  // Held while a file is written, so that the newest one wins.
    Points recovery_points_;
    Points log_starts_;
    Points written_recovery_points_;
    Points written_log_starts_;
    bool unsure_ = false;  // A write failed half-way: the files may be newer than what is above.
    sdk::Instant last_write_{};
};

}  // namespace leat::segment
