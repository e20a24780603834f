// What the operating system says of this process. Where it says nothing (no /proc), zeros.
#pragma once

#include <dirent.h>

#include <cstdint>
#include <memory>

namespace leat::admin {

struct ProcessFigures {
    double cpu_seconds = 0;
    double start_seconds = 0;  // Since 1970.
    std::uint64_t resident_bytes = 0;
    std::uint64_t virtual_bytes = 0;
    std::uint64_t most_descriptors = 0;
};

// Some small files of /proc, which never wait for a device.
ProcessFigures process_figures();

// How many descriptors are open, counted some at a time: listing a hundred thousand takes a while.
class DescriptorCount {
public:
    static constexpr int at_a_time = 512;

    DescriptorCount();

    // False when it is complete.
    bool count_on();
    std::uint64_t counted() const { return counted_; }

private:
    struct Close {
        void operator()(DIR* folder) const { ::closedir(folder); }
    };
    std::unique_ptr<DIR, Close> folder_;
    std::uint64_t counted_ = 0;
};

}  // namespace leat::admin
