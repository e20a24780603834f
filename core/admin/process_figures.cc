#include "core/admin/process_figures.h"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <string>

namespace leat::admin {
namespace {

// The number that follows `word` on a line of /proc/stat.
double boot_seconds() {
    std::ifstream stream{"/proc/stat"};
    std::string word;
    double value = 0;
    while (stream >> word) {
        if (word == "btime" && stream >> value) return value;
        stream.ignore(1 << 16, '\n');
    }
    return 0;
}

// Field 22 of /proc/self/stat, counted from behind the program's name, which may hold anything.
double started_after_boot() {
    std::ifstream stream{"/proc/self/stat"};
    std::string line;
    std::getline(stream, line);
    const std::size_t name_ends = line.rfind(')');
    if (name_ends == std::string::npos) return 0;
    std::size_t at = name_ends + 1;
    for (int field = 2; field < 22 && at != std::string::npos; ++field) at = line.find(' ', at + 1);
    if (at == std::string::npos || name_ends + 2 > line.size()) return 0;
    return std::strtod(line.c_str() + at, nullptr) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

ProcessFigures process_figures() {
    ProcessFigures figures;
    timespec cpu{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    figures.cpu_seconds = static_cast<double>(cpu.tv_sec) + static_cast<double>(cpu.tv_nsec) / 1e9;
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    std::uint64_t pages = 0, resident = 0;
    if (std::ifstream{"/proc/self/statm"} >> pages >> resident) {
        figures.virtual_bytes = pages * page;
        figures.resident_bytes = resident * page;
    }
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) figures.most_descriptors = limit.rlim_cur;
    figures.start_seconds = boot_seconds() + started_after_boot();
    return figures;
}

DescriptorCount::DescriptorCount() : folder_{::opendir("/proc/self/fd")} {}

bool DescriptorCount::count_on() {
    if (!folder_) return false;
    for (int i = 0; i < at_a_time; ++i) {
        const dirent* entry = ::readdir(folder_.get());
        if (entry == nullptr) {
            folder_.reset();
            if (counted_ > 0) --counted_;  // The one by which they were listed.
            return false;
        }
        if (entry->d_name[0] != '.') ++counted_;
    }
    return true;
}

}  // namespace leat::admin
