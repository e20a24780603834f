// `leat completion bash`, asked by a bash: what it offers after some words.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/app/child.h"

namespace leat::app {
namespace {

// Of the words, the last one is being typed.
std::string offered(const std::vector<std::string>& words) {
    const Folder folder;
    std::string typed;
    for (const auto& word : words) typed += " '" + word + "'";
    const auto script =
        folder.write("ask", "source <('" LEAT_PROGRAM
                            "' completion bash) || exit\n"
                            "COMP_WORDS=(leat" +
                                typed +
                                ")\n"
                                "COMP_CWORD=" +
                                std::to_string(words.size()) +
                                "\n"
                                "$(complete -p leat | sed 's/.*-F \\([^ ]*\\).*/\\1/')\n"
                                "echo \"${COMPREPLY[*]}\"\n");
    std::FILE* shell = ::popen(("bash --norc " + script + " 2>&1").c_str(), "r");
    EXPECT_NE(shell, nullptr);
    std::string said;
    char text[4096];
    while (std::fgets(text, sizeof text, shell) != nullptr) said += text;
    EXPECT_EQ(::pclose(shell), 0) << said;
    return said;
}

TEST(Completion, OffersTheCommandsThatBeginLikeTheWord) {
    EXPECT_EQ(offered({"ser"}), "serve\n");
    EXPECT_EQ(offered({"completi"}), "completion\n");
    EXPECT_EQ(offered({"completion", ""}), "bash\n");
    EXPECT_EQ(count(" " + offered({""}), "check"), 1u);
    EXPECT_EQ(offered({"nonsense"}), "\n");
}

TEST(Completion, OffersOptionsAfterADashAndNothingElseWhereAFileIsMeant) {
    EXPECT_EQ(offered({"check", "--j"}), "--json\n");
    EXPECT_EQ(offered({"check", ""}), "\n") << "bash then completes names of files";
    EXPECT_EQ(offered({"--vers"}), "--version\n");
    EXPECT_EQ(offered({"check", "serve", "--j"}), "--json\n") << "a word is no command twice";
}

TEST(Completion, KnowsTheCommandsAndValuesOfThoseThatSpeakToBrokers) {
    if (run({"produce", "--help"}).code != 0) GTEST_SKIP() << "a build without them";
    EXPECT_EQ(offered({"topic", "de"}), "describe delete\n");
    EXPECT_EQ(offered({"topic", "create", "orders", "--dry"}), "--dry-run\n");
    EXPECT_EQ(offered({"produce", "-z", "s"}), "snappy\n");
    EXPECT_EQ(offered({"produce", "orders", "--codec", ""}), "none gzip snappy lz4 zstd\n");
    EXPECT_EQ(offered({"produce", "--codec", "=", "z"}), "zstd\n");
    EXPECT_EQ(offered({"produce", "--codec", "="}), "none gzip snappy lz4 zstd\n");
    EXPECT_EQ(offered({"produce", "--broker", ""}), "\n");
    EXPECT_EQ(offered({"consume", "t", "--exit"}), "--exit-at-end\n");
}

}  // namespace
}  // namespace leat::app
