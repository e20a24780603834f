// Segment files made ahead of their use: full of zeros on the device, mapped, every page present.
// A worker makes them, from files that were trimmed where it can; a shard takes one by renaming it
// into a partition's folder.
//
// They are kept in the folder `spare` beside those of the partitions, and only for one run: what is
// found there at the start is unlinked. It is never filled with zeros, for after a power cut a name
// in there and one in a partition's folder may both stand for the same file.
//
// A recycled file holds whole batches with checksums that match. Before it is filled with zeros
// its old name is gone from the device (its folder is synced), and before it is taken its zeros are
// on the device: so neither its old log nor its new one can show those batches, whenever the power
// goes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "file_system.h"
#include "leat/sdk/plugin_context.h"
#include "leat/sdk/result.h"
#include "mapping_disk.h"

namespace leat::mmap {

struct SpareOptions {
    std::uint64_t file_bytes = 64ull << 20;
    std::size_t ready = 2;         // So many are kept in store.
    std::size_t most_mapped = 64;  // Those in use included; then segments are files without a map.
};

// Any thread, but for what says otherwise.
class Spares : public std::enable_shared_from_this<Spares> {
public:
    struct Spare {
        int file = -1;
        std::string path;
        std::shared_ptr<Mapping> mapping;
    };

    Spares(sdk::PluginContext& context, std::shared_ptr<segment::FileSystem> files,
           std::shared_ptr<MappingDisk> disk, std::string root, SpareOptions options);

    // [worker] Unlinks what an earlier run left. Touches nothing if there is nothing.
    sdk::Status start();
    // [worker] Returns with one in store, if there is room for it and nobody is making one.
    void have_one_ready();
    // [worker] Removes them all. After it nothing of the context is used.
    void stop();

    // Names one `path`; its descriptor is the caller's. Nothing if none is ready.
    std::optional<Spare> take(const std::string& path);
    // Takes a file that nobody has open, in place of unlinking it. False if it is not wanted.
    bool recycle(const std::string& path);
    // A mapping that was taken is of no use any more. It takes a while to go: a worker does it.
    void give_back(std::shared_ptr<Mapping> mapping);

private:
    struct Used {
        std::string path;    // In the folder of spares.
        std::string folder;  // Where it was before.
    };

    std::string next_path();
    bool wants_more() const;  // Under mutex_.
    void make_more_later();   // Under mutex_.
    void make_more();
    bool make_one();  // Under making_. False: it failed.
    int make(Spare& spare, bool from_used);
    std::optional<Used> next_used();
    void note(int error);
    void remove(const Spare& spare);

    sdk::PluginContext& context_;
    const std::shared_ptr<segment::FileSystem> files_;
    const std::shared_ptr<MappingDisk> disk_;
    const std::string folder_;
    const SpareOptions options_;

    std::mutex making_;        // Held by the worker that makes them, and by stop(). Before mutex_.
    bool complained_ = false;  // Guarded by making_.
    std::mutex mutex_;  // Guards what follows; never held over a call that waits for a device.
    std::deque<Spare> ready_;
    std::deque<Used> used_;
    std::size_t mapped_ = 0;  // Taken and not given back.
    std::uint64_t last_name_ = 0;
    bool folder_made_ = false;
    // A worker has make_more() to do, or does it. Never two: one would wait for the other, and
    // syncs for a worker.
    bool scheduled_ = false;
    bool stopped_ = false;
};

}  // namespace leat::mmap
