// The kept corpora, inputs that once found something among them, through every target: in each
// build, so that a parser that stumbles again is seen without clang. LEAT_FUZZ_CORPUS is their
// folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/targets.h"

namespace leat::fuzz {
namespace {

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, RunsThroughItsTarget) {
    const auto folder = std::filesystem::path{LEAT_FUZZ_CORPUS} / GetParam().name;
    int inputs = 0;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
        std::ifstream file{entry.path(), std::ios::binary};
        const std::vector<char> bytes{std::istreambuf_iterator<char>{file}, {}};
        std::cout << entry.path().filename().string() << std::endl;  // The last one is the culprit.
        GetParam().run(std::as_bytes(std::span{bytes}));
        ++inputs;
    }
    EXPECT_GT(inputs, 0) << folder;
}

INSTANTIATE_TEST_SUITE_P(All, Corpus, testing::ValuesIn(targets),
                         [](const auto& each) { return std::string{each.param.name}; });

}  // namespace
}  // namespace leat::fuzz
