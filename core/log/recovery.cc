#include "core/log/recovery.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace leat::log {

namespace {

constexpr std::size_t digits = 20;
constexpr std::string_view snapshot_suffix = ".snapshot";
constexpr std::string_view windows_suffix = ".producers";

std::string padded(Offset at, std::string_view suffix) {
    std::string number = std::to_string(at.value);
    return std::string(digits - std::min(digits, number.size()), '0') + number +
           std::string{suffix};
}

// The offset in the name of a snapshot of either kind.
std::optional<Offset> offset_in(std::string_view name) {
    if (name.size() <= digits) return std::nullopt;
    const std::string_view suffix = name.substr(digits);
    if (suffix != snapshot_suffix && suffix != windows_suffix) return std::nullopt;
    Offset at;
    const auto [end, error] = std::from_chars(name.data(), name.data() + digits, at.value);
    if (error != std::errc{} || end != name.data() + digits) return std::nullopt;
    return at;
}

class Recovery {
public:
    Recovery(PartitionLog& log, sdk::SideFiles* files, Timestamp wall)
        : log_{log}, files_{files}, wall_{wall} {}

    sdk::Result<Recovered> run(BatchReader& batches) {
        log_.producers().clear();
        log_.epochs().clear();
        recovered_.replayed_from = log_.begin();
        if (files_ != nullptr) {
            if (auto done = find_snapshots(); !done) return done.error();
            if (load_epochs()) load_producers();
        }
        if (auto done = replay(batches); !done) return done.error();
        log_.epochs().truncate_from_end(log_.end());
        log_.epochs().truncate_from_start(log_.begin());
        recovered_.highest_producer_id = log_.producers().highest_id();
        return std::move(recovered_);
    }

private:
    // False if there is no checkpoint to be trusted: then all batches have to tell their epochs.
    bool load_epochs() {
        const std::string name{LeaderEpochs::file_name};
        const auto bytes = files_->read(name);
        if (!bytes) {
            if (bytes.error().code != sdk::Errc::not_found) ignore(name, bytes.error().what);
            return false;
        }
        auto epochs =
            LeaderEpochs::decode({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
        if (!epochs) return ignore(name, epochs.error().what), false;
        recovered_.stored_epochs = *epochs;
        log_.epochs() = std::move(*epochs);
        return true;
    }

    sdk::Status find_snapshots() {
        const auto names = files_->list();
        if (!names) return names.error();
        for (const std::string& name : *names) {
            const auto at = offset_in(name);
            if (!at || *at < log_.begin()) continue;
            if (*at <= log_.end()) {
                snapshots_.insert(*at);
                continue;
            }
            ignore(name, "it lies above the log's end, removed");
            if (auto removed = files_->remove(name); !removed) return removed;
        }
        return {};
    }

    void load_producers() {
        for (const Offset at : snapshots_) {
            if (!load_windows(windows_name(at)) && !load_snapshot(snapshot_name(at))) continue;
            log_.producers().resume(wall_);
            recovered_.replayed_from = at;
            return;
        }
    }

    bool load_windows(const std::string& name) {
        return load(name, [&](auto bytes) { return log_.producers().load_windows(bytes); });
    }
    bool load_snapshot(const std::string& name) {
        return load(name, [&](auto bytes) { return log_.producers().load_snapshot(bytes, wall_); });
    }

    template <class Load>
    bool load(const std::string& name, Load into) {
        const auto bytes = files_->read(name);
        if (!bytes) return false;
        const sdk::Status loaded = into(std::span<const std::byte>{*bytes});
        if (!loaded) ignore(name, loaded.error().what);
        return loaded.has_value();
    }

    sdk::Status replay(BatchReader& batches) {
        for (Offset from = recovered_.replayed_from; from < log_.end();) {
            auto run = batches.read_from(from);
            if (!run) return run.error();
            const Offset before = from;
            while (!run->empty()) {
                if (auto done = replay_first(*run, from); !done) return done;
            }
            if (from == before) break;  // What is left are gaps.
        }
        return {};
    }

    sdk::Status replay_first(std::span<const std::byte>& run, Offset& from) {
        const std::size_t size = wire::first_batch_size(run);
        if (size < wire::batch_header_bytes || size > run.size())
            return sdk::Error{sdk::Errc::corrupt, "the log holds what is no batch, at offset " +
                                                      std::to_string(from.value)};
        const wire::BatchView batch{run.first(size)};
        run = run.subspan(size);
        const bool fits = batch.base_offset().value >= 0 && batch.base_offset() < log_.end() &&
                          batch.last_offset_delta() >= 0;
        if (!fits || batch.magic() != wire::batch_magic)
            return sdk::Error{sdk::Errc::corrupt,
                              "the log holds a batch that does not belong, at "
                              "offset " +
                                  std::to_string(from.value)};
        if (batch.last_offset() < from) return {};  // The first run may begin earlier.
        log_.replay(batch, wall_);
        ++recovered_.batches;
        from = batch.next_offset();
        return {};
    }

    void ignore(std::string name, const std::string& why) {
        recovered_.ignored.push_back(std::move(name) + ": " + why);
    }

    PartitionLog& log_;
    sdk::SideFiles* files_;
    Timestamp wall_;
    std::set<Offset, std::greater<>> snapshots_;  // Newest first.
    Recovered recovered_;
};

}  // namespace

sdk::Result<Recovered> recover(PartitionLog& log, sdk::SideFiles* files, BatchReader& batches,
                               Timestamp wall) {
    return Recovery{log, files, wall}.run(batches);
}

std::string snapshot_name(Offset at) {
    return padded(at, snapshot_suffix);
}
std::string windows_name(Offset at) {
    return padded(at, windows_suffix);
}

std::vector<std::string> stale_files(const std::vector<std::string>& names, Offset begin,
                                     Offset end) {
    constexpr std::size_t kept = 2;
    std::set<Offset, std::greater<>> offsets;
    for (const std::string& name : names) {
        const auto at = offset_in(name);
        if (at && *at >= begin && *at <= end) offsets.insert(*at);
    }
    while (offsets.size() > kept) offsets.erase(std::prev(offsets.end()));
    std::vector<std::string> stale;
    for (const std::string& name : names) {
        const auto at = offset_in(name);
        if (at && !offsets.contains(*at)) stale.push_back(name);
    }
    return stale;
}

}  // namespace leat::log
