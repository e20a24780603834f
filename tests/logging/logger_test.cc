#include "core/logging/logger.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include <fstream>
#include <iterator>

namespace leat::logging {
namespace {

TEST(Logger, AppendsLinesOfItsLevelAndAboveToItsFile) {
    const auto file = std::filesystem::path{testing::TempDir()} /
                      ("leat_logger_" + std::to_string(::getpid()) + ".log");
    for (int run = 0; run < 2; ++run) {
        auto logger = open_logger({.level = Level::warn, .format = Format::text, .file = file});
        ASSERT_TRUE(logger);
        EXPECT_FALSE((*logger)->keeps(Level::info));
        (*logger)->log(Level::info, "left out");
        (*logger)->log(Level::error, "disk {} %s full", {{"path", "/x"}});
    }
    std::ifstream stream{file};
    const std::string text{std::istreambuf_iterator<char>{stream}, {}};
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
    EXPECT_NE(text.find("error disk {} %s full path=/x\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("left out"), std::string::npos);
    std::filesystem::remove(file);
}

// Whatever is in the pipe now.
std::string drained(int pipe) {
    std::string text(1 << 20, '\0');
    const ssize_t n = ::read(pipe, text.data(), text.size());
    text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    return text;
}

TEST(Logger, DropsAndCountsLinesWhileNobodyReadsAndGoesOnAfterwards) {
    const auto path = std::filesystem::path{testing::TempDir()} /
                      ("leat_logger_" + std::to_string(::getpid()) + ".fifo");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    auto logger = open_logger({.file = path});
    std::filesystem::remove(path);
    ASSERT_TRUE(logger);
    constexpr int lines = 10'000;  // More than a pipe holds.
    for (int i = 0; i < lines; ++i) (*logger)->log(Level::info, "busy");
    const std::string first = drained(reader);
    const auto kept = std::count(first.begin(), first.end(), '\n');
    EXPECT_LT(kept, lines);

    (*logger)->log(Level::info, "back");
    const std::string second = drained(reader);
    EXPECT_TRUE(second.starts_with("(" + std::to_string(lines - kept) + " lines were dropped"));
    EXPECT_TRUE(second.ends_with("back\n"));

    ::close(reader);
    (*logger)->log(Level::info, "no reader: no SIGPIPE either");
}

TEST(Logger, SaysWhyItCannotOpenItsFile) {
    const auto logger = open_logger({.file = "/no/such/folder/leat.log"});
    ASSERT_FALSE(logger);
    EXPECT_NE(logger.error().what.find("/no/such/folder/leat.log: No such"), std::string::npos);
}

}  // namespace
}  // namespace leat::logging
