// How far a command has come, on one line of a terminal that is written over and over: nothing at
// all where standard error is none, or where what the command prints would get between.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace leat::app {

class Progress {
public:
    using Clock = std::chrono::steady_clock;

    // `other`: the standard stream beside which it may only be shown when that is no terminal.
    Progress(bool quiet, int other);

    // Shows it if half a second has passed since the last time.
    void at(std::uint64_t records, std::uint64_t bytes);
    // The last word, on a line of its own.
    void end(std::uint64_t records, std::uint64_t bytes);
    // Takes the line away: something else is to be said.
    void clear();

private:
    void show(std::uint64_t records, std::uint64_t bytes, const char* end);

    bool shown_ = false;
    bool dirty_ = false;
    Clock::time_point began_ = Clock::now();
    Clock::time_point last_ = began_;
};

// "1,234 records, 5.6 MB in 1.2 s (1,028/s)".
std::string progress_text(std::uint64_t records, std::uint64_t bytes,
                          std::chrono::milliseconds elapsed);

}  // namespace leat::app
