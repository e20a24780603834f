#include "swap_recovery.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

#include "walk.h"

namespace leat::segment {
namespace {

constexpr std::size_t base_digits = 20;
constexpr std::string_view kinds[] = {".log", ".index", ".timeindex", ".txnindex"};

// Of a file of a segment, whatever stands behind its kind.
std::optional<std::int64_t> base_of(std::string_view name) {
    std::int64_t base = 0;
    if (name.size() <= base_digits) return std::nullopt;
    const auto parsed = std::from_chars(name.data(), name.data() + base_digits, base);
    if (parsed.ec != std::errc{} || parsed.ptr != name.data() + base_digits) return std::nullopt;
    const std::string_view rest = name.substr(base_digits);
    const bool known =
        std::ranges::any_of(kinds, [&](std::string_view kind) { return rest.starts_with(kind); });
    return known && base >= 0 ? std::optional{base} : std::nullopt;
}

class Swaps {
public:
    Swaps(EngineState& engine, const std::string& folder, const std::vector<std::string>& names)
        : engine_{engine}, folder_{folder}, names_{names} {}

    sdk::Status run() {
        sort();
        if (auto found = measure(); !found) return found;
        // In this order: as long as the cleaned ones are there, the swaps above them are not whole.
        for (const auto* some : {&not_whole_, &cleaned_, &replaced_}) {
            if (auto gone = remove(*some); !gone) return gone;
        }
        for (const std::string& name : whole_) {
            const std::string from = folder_ + "/" + name;
            const std::string to = from.substr(0, from.size() - swap_suffix.size());
            const int error = engine_.system->rename(from, to);
            if (error < 0) return failure(error, "rename", from);
        }
        if (auto synced = sync(); !synced) return synced;
        engine_.context.log(sdk::LogLevel::info, "an interrupted compaction was settled",
                            {{"folder", folder_},
                             {"finished", std::to_string(whole_.size())},
                             {"dropped", std::to_string(cleaned_.size() + not_whole_.size())}});
        return {};
    }

private:
    void sort() {
        std::int64_t least_cleaned = std::numeric_limits<std::int64_t>::max();
        for (const std::string& name : names_) {
            const auto base = base_of(name);
            if (!base || !name.ends_with(cleaned_suffix)) continue;
            cleaned_.push_back(name);
            least_cleaned = std::min(least_cleaned, *base);
        }
        for (const std::string& name : names_) {
            const auto base = base_of(name);
            if (!base || !name.ends_with(swap_suffix)) continue;
            (*base >= least_cleaned ? not_whole_ : whole_).push_back(name);
        }
    }

    // Which offsets the whole ones hold, and so which files they replace.
    sdk::Status measure() {
        std::int64_t begin = std::numeric_limits<std::int64_t>::max();
        std::int64_t end = -1;
        for (const std::string& name : whole_) {
            if (name.substr(base_digits) != ".log.swap") continue;
            const std::string path = folder_ + "/" + name;
            auto file = engine_.files.open(path, FileSystem::Open::existing);
            if (!file) return file.error();
            Segment segment;
            segment.base = base_of(name).value_or(0);
            std::int32_t any_epoch = -1;
            const Walked walked =
                walk(**file, segment, engine_.options.index_step, Check::headers, any_epoch);
            if (walked.error < 0) return failure(walked.error, "read", path);
            if (walked.damage != nullptr) {
                return sdk::Error{sdk::Errc::corrupt,
                                  path + " has " + walked.damage + " at position " +
                                      std::to_string(segment.bytes) +
                                      "; restore it from another replica or a copy"};
            }
            begin = std::min(begin, segment.base);
            end = std::max(end, segment.next);
        }
        for (const std::string& name : names_) {
            const auto base = base_of(name);
            if (!base || is_of_a_swap(name) || *base < begin || *base >= end) continue;
            replaced_.push_back(name);
        }
        return {};
    }

    sdk::Status remove(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            const std::string path = folder_ + "/" + name;
            const int error = engine_.system->unlink(path);
            if (error < 0 && error != -ENOENT) return failure(error, "remove", path);
        }
        return names.empty() ? sdk::Status{} : sync();
    }

    sdk::Status sync() {
        const int error = engine_.system->sync_folder(folder_);
        if (error < 0) return failure(error, "sync", folder_);
        return {};
    }

    EngineState& engine_;
    const std::string& folder_;
    const std::vector<std::string>& names_;
    std::vector<std::string> cleaned_;
    std::vector<std::string> not_whole_;
    std::vector<std::string> whole_;
    std::vector<std::string> replaced_;
};

}  // namespace

sdk::Status finish_swaps(EngineState& engine, const std::string& folder,
                         const std::vector<std::string>& names) {
    return Swaps{engine, folder, names}.run();
}

}  // namespace leat::segment
