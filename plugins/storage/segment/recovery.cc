#include "recovery.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "small_files.h"
#include "swap_recovery.h"
#include "walk.h"

namespace leat::segment {
namespace {

constexpr std::size_t base_digits = 20;

std::optional<std::int64_t> base_of(std::string_view file_name) {
    std::int64_t base = 0;
    if (file_name.size() != base_digits + 4 || !file_name.ends_with(".log")) return std::nullopt;
    const char* end = file_name.data() + base_digits;
    const auto parsed = std::from_chars(file_name.data(), end, base);
    if (parsed.ec != std::errc{} || parsed.ptr != end || base < 0) return std::nullopt;
    return base;
}

class Recovery {
public:
    Recovery(EngineState& engine, const std::string& name, std::uint64_t step)
        : engine_{engine},
          name_{name},
          folder_{engine.path_of(name)},
          step_{step},
          recovery_point_{engine.checkpoints.recovery_point(name)},
          log_start_{engine.checkpoints.log_start(name).value_or(0)} {}

    sdk::Result<Recovered> run() {
        if (auto listed = list_folder(); !listed) return listed.error();
        bool trusted = engine_.checkpoints.was_clean() && recovery_point_.has_value();
        if (trusted) {
            auto loaded = load_trusted();
            if (!loaded) return loaded.error();
            trusted = *loaded && end_of_segments() == *recovery_point_;
        }
        if (!trusted) {
            if (auto scanned = scan(); !scanned) return scanned.error();
        }
        return finish(trusted);
    }

private:
    std::string path(std::int64_t base, const char* extension) const {
        return folder_ + "/" + segment_file(base, extension);
    }
    std::int64_t promised() const { return recovery_point_.value_or(0); }
    std::int64_t end_of_segments() const {
        const std::int64_t end = segments_.empty() ? 0 : segments_.back().next;
        return std::max(end, log_start_);
    }

    sdk::Status list_folder() {
        std::vector<std::string> names;
        if (const int error = engine_.system->list(folder_, names); error < 0) {
            return failure(error, "list", folder_);
        }
        if (std::ranges::any_of(names, is_of_a_swap)) {
            if (auto finished = finish_swaps(engine_, folder_, names); !finished) return finished;
            names.clear();
            if (const int error = engine_.system->list(folder_, names); error < 0) {
                return failure(error, "list", folder_);
            }
        }
        for (const auto& name : names) {
            if (name.ends_with(unfinished) || name.ends_with(".deleted")) {
                leftovers_.push_back(name);
            }
            if (const auto base = base_of(name)) bases_.push_back(*base);
        }
        std::sort(bases_.begin(), bases_.end());
        return {};
    }

    sdk::Result<FilePointer> open(std::int64_t base) {
        return engine_.files.open(path(base, ".log"), FileSystem::Open::existing);
    }

    Segment fresh(std::int64_t base) {
        Segment segment;
        segment.key = engine_.next_key();
        segment.base = segment.next = base;
        return segment;
    }

    // The index files, if they are there and fit.
    bool load_index(Segment& segment, std::uint64_t size) {
        const auto places = read_small_file(*engine_.system, path(segment.base, ".index"));
        const auto times = read_small_file(*engine_.system, path(segment.base, ".timeindex"));
        if (!places || !times) return false;
        auto index = SparseIndex::parse(*places, *times, size, step_);
        if (!index) return false;
        // Half of what was written may be there: places without times hide the newest timestamp.
        if (index->times().empty() && !index->places().empty()) return false;
        segment.index = std::make_shared<SparseIndex>(std::move(*index));
        return true;
    }

    // By its index and the batches behind the last entry; by all headers if the index is no good.
    sdk::Result<Walked> load_segment(const OpenFile& file, Segment& segment) {
        const std::int64_t size = file.system().size(file.descriptor());
        if (size < 0) return failure(size, "read", path(segment.base, ".log"));
        Walked walked{.damage = "no index"};
        if (load_index(segment, static_cast<std::uint64_t>(size))) {
            walked = walk_tail(file, segment, step_, static_cast<std::uint64_t>(size));
            segment.index_written = walked.damage == nullptr;
        }
        if (walked.damage != nullptr && walked.error == 0) {
            std::int32_t any_epoch = -1;
            walked = walk(file, segment, step_, Check::headers, any_epoch);
        }
        if (walked.error < 0) return failure(walked.error, "read", path(segment.base, ".log"));
        return walked;
    }

    // False if something is not as a clean stop leaves it.
    sdk::Result<bool> load_trusted() {
        for (const std::int64_t base : bases_) {
            auto file = open(base);
            if (!file) return file.error();
            Segment segment = fresh(base);
            const auto walked = load_segment(**file, segment);
            if (!walked) return walked.error();
            const bool fits = segments_.empty() || segments_.back().next <= base;
            if (walked->damage != nullptr || !fits) return false;
            segments_.push_back(std::move(segment));
        }
        return true;
    }

    sdk::Status scan() {
        segments_.clear();
        blank_.clear();
        first_checked_ = 0;
        while (first_checked_ + 1 < bases_.size() && bases_[first_checked_ + 1] <= promised()) {
            ++first_checked_;
        }
        std::int32_t newest_epoch = -1;
        for (std::size_t i = 0; i < bases_.size(); ++i) {
            const std::int64_t base = bases_[i];
            auto file = open(base);
            if (!file) return file.error();
            Segment segment = fresh(base);
            const char* damage = nullptr;
            if (!segments_.empty() && segments_.back().next > base) damage = "offsets that overlap";
            if (damage == nullptr && i < first_checked_) {
                const auto walked = load_segment(**file, segment);
                if (!walked) return walked.error();
                // Then it was not the end of this one that the next one's name tells.
                if (walked->damage != nullptr || segment.next > promised()) first_checked_ = i;
            }
            if (damage == nullptr && i >= first_checked_) {
                const Walked walked = walk(**file, segment, step_, Check::checksums, newest_epoch);
                if (walked.error < 0) return failure(walked.error, "read", path(base, ".log"));
                damage = walked.damage;
            }
            bool blank = false;
            if (damage != nullptr && engine_.options.preallocates) {
                auto zeros = is_zero_from(**file, segment.bytes);
                if (!zeros) return zeros.error();
                blank = *zeros && (segments_.empty() || segments_.back().next <= base);
            }
            if (blank) damage = nullptr;
            // Also of a segment whose first batch is bad: the hole is where the log ends.
            if (follows_a_hole(segment)) {
                if (damage == nullptr || segment.bytes != 0) damage = "batches that are missing";
                segment.bytes = 0;  // Whatever it holds.
                segment.next = segments_.back().next;
            }
            if (damage != nullptr) return cut_after(std::move(segment), i, damage);
            if (blank) blank_.push_back(base);
            segments_.push_back(std::move(segment));
        }
        return still_promised();
    }

    // Room that was prepared for appends.
    sdk::Result<bool> is_zero_from(const OpenFile& file, std::uint64_t at) {
        std::vector<std::byte> buffer(256 * 1024);
        for (;;) {
            const std::int64_t got = file.system().read(file.descriptor(), buffer, at);
            if (got < 0) return failure(got, "read", folder_);
            if (got == 0) return true;
            const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(got);
            if (std::any_of(buffer.begin(), end, [](std::byte b) { return b != std::byte{0}; })) {
                return false;
            }
            at += static_cast<std::uint64_t>(got);
        }
    }

    // Without a warning: it is what every crash leaves of an active segment.
    sdk::Status give_back_blanks() {
        for (const Segment& segment : segments_) {
            if (!std::binary_search(blank_.begin(), blank_.end(), segment.base)) continue;
            auto file = open(segment.base);
            if (!file) return file.error();
            const int error = engine_.system->truncate((*file)->descriptor(), segment.bytes);
            if (error < 0) return failure(error, "truncate", path(segment.base, ".log"));
        }
        return {};
    }

    // A segment is named by the end of the one before it when it begins. Where that end is gone,
    // it never reached the device. A folder that was copied here may have been compacted, which
    // leaves holes, but no empty file behind one, and no room prepared in front of one.
    bool follows_a_hole(const Segment& segment) const {
        if (segments_.empty() || segments_.back().next >= segment.base) return false;
        const bool behind_blank = !blank_.empty() && blank_.back() == segments_.back().base;
        return segment.bytes == 0 || behind_blank ||
               (recovery_point_ && segment.base > *recovery_point_);
    }

    sdk::Status still_promised() const {
        if (end_of_segments() >= promised()) return {};
        return sdk::Error{sdk::Errc::corrupt,
                          folder_ + " ends at offset " + std::to_string(end_of_segments()) +
                              ", but everything below " + std::to_string(promised()) +
                              " was synced; restore it from another replica or a copy"};
    }

    // Keeps the good part of segment number `at`; what follows goes. Decides only.
    sdk::Status cut_after(Segment segment, std::size_t at, const char* damage) {
        const std::int64_t good_end = std::max(segment.next, log_start_);
        if (good_end < promised()) {
            return sdk::Error{sdk::Errc::corrupt,
                              path(segment.base, ".log") + " has " + damage + " at position " +
                                  std::to_string(segment.bytes) + ", below offset " +
                                  std::to_string(promised()) + ", which was synced; restore it " +
                                  "from another replica or a copy"};
        }
        damage_ = damage;
        cut_base_ = segment.base;
        cut_position_ = segment.bytes;
        dropped_.assign(bases_.begin() + static_cast<std::ptrdiff_t>(at) + 1, bases_.end());
        if (segment.bytes == 0 && !segments_.empty()) {
            dropped_.insert(dropped_.begin(), segment.base);
        } else {
            segments_.push_back(std::move(segment));
        }
        return {};
    }

    std::uint64_t size_of(std::int64_t base) {
        auto file = open(base);
        const std::int64_t size = file ? engine_.system->size((*file)->descriptor()) : 0;
        return size < 0 ? 0 : static_cast<std::uint64_t>(size);
    }

    sdk::Status apply_cut() {
        std::uint64_t bytes = 0;
        for (const std::int64_t base : dropped_) bytes += size_of(base);
        if (!segments_.empty() && segments_.back().base == cut_base_) {
            bytes += size_of(cut_base_) - cut_position_;
        }
        // The newest go first, so that a crash in the middle leaves a log without a hole.
        for (auto base = dropped_.rbegin(); base != dropped_.rend(); ++base) {
            auto gone = remove_segment_files(*engine_.system, folder_, *base);
            if (!gone) return gone;
        }
        if (!dropped_.empty()) {
            const int error = engine_.system->sync_folder(folder_);
            if (error < 0) return failure(error, "sync", folder_);
        }
        if (!segments_.empty() && segments_.back().base == cut_base_) {
            auto file = open(cut_base_);
            if (!file) return file.error();
            const int error = engine_.system->truncate((*file)->descriptor(), cut_position_);
            if (error < 0) return failure(error, "truncate", path(cut_base_, ".log"));
        }
        engine_.context.log(sdk::LogLevel::warn, "a log was cut at its first bad batch",
                            {{"partition", name_},
                             {"found", damage_},
                             {"file", segment_file(cut_base_, ".log")},
                             {"position", std::to_string(cut_position_)},
                             {"end", std::to_string(end_of_segments())},
                             {"bytes_dropped", std::to_string(bytes)}});
        return {};
    }

    // Index files of what was scanned may be from before the crash; without them they are rebuilt.
    sdk::Status make_durable() {
        for (std::size_t i = first_checked_; i < segments_.size(); ++i) {
            const std::int64_t base = segments_[i].base;
            for (const char* extension : {".index", ".timeindex"}) {
                const std::string file = path(base, extension);
                const int error = engine_.system->unlink(file);
                if (error < 0 && error != -ENOENT) return failure(error, "remove", file);
            }
            auto file = open(base);
            if (!file) return file.error();
            const int error = engine_.system->sync((*file)->descriptor());
            if (error < 0) return failure(error, "sync", path(base, ".log"));
        }
        for (const std::string& folder : {folder_, engine_.root}) {
            const int error = engine_.system->sync_folder(folder);
            if (error < 0) return failure(error, "sync", folder);
        }
        return {};
    }

    void log_check() {
        if (segments_.empty()) return;
        engine_.context.log(sdk::LogLevel::info, "log recovered",
                            {{"partition", name_},
                             {"synced_to", std::to_string(promised())},
                             {"end", std::to_string(end_of_segments())}});
    }

    sdk::Result<Recovered> finish(bool trusted) {
        for (const auto& name : leftovers_) engine_.system->unlink(folder_ + "/" + name);
        if (!trusted) {
            if (damage_ != nullptr) {
                if (auto cut = apply_cut(); !cut) return cut.error();
            }
            if (auto given = give_back_blanks(); !given) return given.error();
            if (auto durable = make_durable(); !durable) return durable.error();
            log_check();
        }
        Recovered found;
        // A trim that was cut short: the start offset is durable before the files go.
        while (!segments_.empty() && segments_.front().next <= log_start_ &&
               (segments_.size() > 1 || segments_.front().bytes != 0)) {
            const std::int64_t base = segments_.front().base;
            if (auto gone = remove_segment_files(*engine_.system, folder_, base); !gone) {
                return gone.error();
            }
            segments_.erase(segments_.begin());
        }
        found.begin = log_start_;
        if (!segments_.empty()) found.begin = std::max(found.begin, segments_.front().base);
        found.end = std::max(end_of_segments(), found.begin);
        found.segments = std::move(segments_);
        return found;
    }

    EngineState& engine_;
    const std::string& name_;
    const std::string folder_;
    const std::uint64_t step_;
    const std::optional<std::int64_t> recovery_point_;
    const std::int64_t log_start_;
    std::vector<std::int64_t> bases_;
    std::vector<std::string> leftovers_;
    std::vector<Segment> segments_;
    std::size_t first_checked_ = 0;    // Segments from here on were scanned in full.
    std::vector<std::int64_t> blank_;  // Bases of those with zeros behind the last batch.
    const char* damage_ = nullptr;
    std::int64_t cut_base_ = 0;
    std::uint64_t cut_position_ = 0;
    std::vector<std::int64_t> dropped_;
};

}  // namespace

sdk::Result<Recovered> recover(EngineState& engine, const std::string& name, std::uint64_t step) {
    return Recovery{engine, name, step}.run();
}

sdk::Status remove_segment_files(FileSystem& system, const std::string& folder, std::int64_t base) {
    for (const char* extension : {".log", ".index", ".timeindex"}) {
        const std::string path = folder + "/" + segment_file(base, extension);
        const int error = system.unlink(path);
        if (error < 0 && error != -ENOENT) return failure(error, "remove", path);
    }
    return {};
}

}  // namespace leat::segment
