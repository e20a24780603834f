// The two files that hold the store: `snapshot`, replaced as a whole, and `journal`, what happened
// since. Both come into being under another name and are renamed when they are durable, so neither
// is ever seen half written, but for the journal's last unit.
//
// Crashes    Between a new snapshot and the journal that follows it, the old journal still holds
//            what the snapshot has; its revisions say so and it is passed over. A last unit that is
//            not whole was never acknowledged and is cut off. Everything else that does not fit is
//            damage, and refused.
// Errors     After a failed sync what the device holds is not known, and asking again would hear
//            "done" of what is lost (Linux forgets the dirty pages). So it is never asked again:
//            everything after it is Errc::io. A full device (Errc::no_space) leaves things as
//            before.
// Threads    One call at a time, on the shard (open) or a worker. close() may come from the shard
//            while a worker is inside: the mutex lets it wait for that one call, so that whoever
//            destroyed the backend may open the folder again. It is never contended otherwise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "files.h"
#include "leat/sdk/result.h"
#include "store.h"

namespace leat::local {

class Journal {
public:
    Journal(std::unique_ptr<Files> files, std::filesystem::path folder)
        : files_{std::move(files)}, folder_{std::move(folder)} {}

    struct Recovery {
        std::uint64_t bytes_cut = 0;  // Of what was being written when the last run ended.
    };
    // Takes the folder for this instance and fills `into` with what it holds.
    sdk::Result<Recovery> open(Store& into);

    // Makes one finished unit durable. `store` is what it is before the unit.
    sdk::Status append(std::string_view unit, const Store& store);

    // Begins a new snapshot and an empty journal behind it.
    sdk::Status rotate(const Store& store);

    // True when the journal is longer than `least` and than the snapshot before it: each byte is
    // then written at most about twice, and recovery reads at most about twice the store.
    bool outgrown(std::uint64_t least) const;

    void close();

private:
    std::filesystem::path path(const char* name) const { return folder_ / name; }
    sdk::Result<std::string> contents(const char* name, std::unique_ptr<File>* keep_open);
    sdk::Status recover_journal(std::string_view file, Store& into, Recovery& recovery);
    sdk::Status begin_journal(sdk::Revision revision);
    sdk::Status write_snapshot(const Store& store);
    sdk::Status put_unit(std::string_view unit);
    sdk::Status check_open() const;
    sdk::Status outcome(sdk::Status status);  // Remembers a failure that is final.

    mutable std::mutex mutex_;
    const std::unique_ptr<Files> files_;
    const std::filesystem::path folder_;
    std::unique_ptr<File> lock_;
    std::unique_ptr<File> journal_;  // Null until the first transaction of a fresh folder.
    std::uint64_t end_ = 0;          // Of the journal; the next unit goes here.
    std::uint64_t snapshot_bytes_ = 0;
    std::uint64_t try_again_at_ = 0;  // Length of the journal; the device was full.
    bool closed_ = false;
    bool failed_ = false;
};

}  // namespace leat::local
