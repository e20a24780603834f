// What a crowd of bad clients leaves behind at a broker, and whether others are served meanwhile.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "tests/app/exchange.h"

namespace leat::app {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// Address sanitizer marks every byte of what is allocated: 30 ms for 100 MiB on a busy machine.
inline bool eventually(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{2};
    while (!holds()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return true;
}

// Topic "t", which is there.
inline void expect_served(RawClient& client) {
    EXPECT_EQ(produce(client, "t", 0, batch_of(3)).error_code, wire::ErrorCode::none);
    const auto read = fetch(client, "t", 0, 0, 0, 1000);
    EXPECT_TRUE(read.records && !read.records->empty());
}

// Of a process, by its name in /proc: its id, or "self".
class Footprint {
public:
    explicit Footprint(const std::string& process) : process_{"/proc/" + process} {}

    std::size_t descriptors() const {
        const std::filesystem::directory_iterator all{process_ / "fd"};
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }
    void remember() {
        descriptors_before_ = descriptors();
        resident_before_ = resident();
    }

    // Since remember().
    std::size_t descriptors_before() const { return descriptors_before_; }
    // Bytes in memory. Sanitizers keep what is freed.
    std::size_t grown() const {
        return sanitized ? 0 : std::max(resident(), resident_before_) - resident_before_;
    }
    // Once the crowd is gone: no descriptor more, and of memory `most`, which the allocator keeps.
    void expect_as_before(std::size_t most) const {
        EXPECT_TRUE(eventually([&] { return descriptors() <= descriptors_before_; }))
            << descriptors() << ", before " << descriptors_before_;
        EXPECT_TRUE(eventually([&] { return grown() <= most; })) << grown() / kib << " KiB more";
    }

private:
    std::size_t resident() const {
        std::ifstream file{process_ / "statm"};
        std::size_t total = 0;
        std::size_t pages = 0;
        file >> total >> pages;
        return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    }

    std::filesystem::path process_;
    std::size_t descriptors_before_ = 0;
    std::size_t resident_before_ = 0;
};

}  // namespace leat::app
