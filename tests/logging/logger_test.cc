#include "core/logging/logger.h"

#include <gtest/gtest.h>
#include <unistd.h>

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

TEST(Logger, SaysWhyItCannotOpenItsFile) {
    const auto logger = open_logger({.file = "/no/such/folder/leat.log"});
    ASSERT_FALSE(logger);
    EXPECT_NE(logger.error().what.find("/no/such/folder/leat.log: No such"), std::string::npos);
}

}  // namespace
}  // namespace leat::logging
