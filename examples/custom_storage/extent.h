// One file of sealed batches: a header, then frames, each a batch or a mark.
//
//   header   magic 8 | base 8 | follows 8 | synced 8 | salt 32 | tag 16
//   frame    kind 4 | size 4 | base 8 | next 8 | max timestamp 8 | tag 16 | `size` sealed bytes
//
// A mark is a frame without bytes: what lies below its `next` had been synced when it was written.
// If bytes below that are damaged, somebody or something changed them: Errc::corrupt. Damage above
// the last mark is how a crash leaves a file, and the log ends before it. `follows` is where the
// log ended when the file was begun, so that a file that was taken away is missed.
//
// Every tag covers partition, file and position too: a frame is good in its own place only.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cipher.h"
#include "files.h"
#include "leat/sdk/storage.h"

namespace sealed {

using leat::sdk::Offset;
using leat::sdk::Timestamp;

struct Frame {
    Offset base;
    Offset next;
    Timestamp max_timestamp;
    std::uint64_t position = 0;  // Of the frame's head in the file.
    std::uint32_t size = 0;      // Of the batch.
};

inline constexpr std::size_t head_bytes = 48;
inline constexpr std::size_t header_bytes = 80;

// What all logs of an engine share.
struct Shared {
    std::shared_ptr<const MasterKey> key;
    std::atomic<int> writers{0};  // Descriptors kept open for appends.
    std::atomic<std::uint64_t> last_number{0};
};

class Extent {
public:
    static constexpr int most_writers = 100;

    // A new file. Nothing is left of it after an error.
    static leat::sdk::Result<std::shared_ptr<Extent>> create(std::shared_ptr<Shared> shared,
                                                             const Path& folder,
                                                             std::string partition, Offset base,
                                                             Offset follows, Offset synced);
    struct Walked {
        std::shared_ptr<Extent> extent;  // Null: its header never reached the disk.
        Offset follows;
        Offset synced;       // The highest that header and marks say.
        bool whole = false;  // Every byte is good.
    };
    // Checks every byte of a file.
    static leat::sdk::Result<Walked> walk(std::shared_ptr<Shared> shared, const Path& path,
                                          std::string partition);

    Extent(std::shared_ptr<Shared> shared, Path path, std::string partition, const Salt& salt);
    ~Extent();

    // All or nothing. After Errc::no_space the extent takes no more (`closed`).
    leat::sdk::Status append(std::span<const leat::sdk::StampedBatch> batches);
    void mark(Offset synced);  // Best effort: without it, less is known after a crash.
    leat::sdk::Status sync();
    void release();  // A closed extent needs no descriptor once it is synced.
    // Cuts the frames from number `kept` on, durably. The extent takes no more.
    leat::sdk::Status cut(std::size_t kept);
    // Any thread. The batch in a frame; Errc::corrupt if it is not what was written.
    leat::sdk::Result<std::shared_ptr<const std::vector<std::byte>>> read(const Frame& frame) const;

    const Path path;
    const std::string partition;
    const std::uint64_t number;  // Of no other extent of this process.
    std::vector<Frame> frames;
    bool closed = true;  // Takes no further frame.
    bool dirty = false;  // Has bytes that were not synced.
    std::uint64_t end = 0;

private:
    std::string said(const std::byte* head) const;
    void put_frame(std::vector<std::byte>& out, std::uint32_t kind, const Frame& frame,
                   std::span<const std::byte> bytes);
    leat::sdk::Status write(std::uint64_t position, std::span<const std::byte> bytes);
    static Offset highest_mark(Extent& extent, std::uint64_t from, Offset known);

    const std::shared_ptr<Shared> shared_;
    const Salt salt_;
    FileCipher cipher_;  // For the thread that appends.
    std::optional<Descriptor> writer_;
};

}  // namespace sealed
