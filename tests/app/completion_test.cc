// `leat completion`, asked by each shell: what it offers after some words.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/app/child.h"

namespace leat::app {
namespace {

std::string said_by(const std::string& command) {
    std::FILE* shell = ::popen((command + " 2>&1").c_str(), "r");
    EXPECT_NE(shell, nullptr);
    std::string said;
    char text[4096];
    while (std::fgets(text, sizeof text, shell) != nullptr) said += text;
    EXPECT_EQ(::pclose(shell), 0) << said;
    return said;
}

class Completion : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (std::system(("command -v " + GetParam() + " >/dev/null").c_str()) != 0) {
            GTEST_SKIP() << GetParam() << " is not installed";
        }
    }

    // Of the words, the last one is being typed.
    static std::string offered(const std::vector<std::string>& words) {
        std::string typed;
        for (const auto& word : words) typed += " '" + word + "'";
        return GetParam() == "zsh" ? by_zsh(typed, words.size()) : by_bash(typed, words.size());
    }

private:
    static std::string by_bash(const std::string& typed, std::size_t count) {
        const Folder folder;
        const auto script =
            folder.write("ask", "source <('" LEAT_PROGRAM
                                "' completion bash) || exit\n"
                                "COMP_WORDS=(leat" +
                                    typed + ")\nCOMP_CWORD=" + std::to_string(count) +
                                    "\n"
                                    "$(complete -p leat | sed 's/.*-F \\([^ ]*\\).*/\\1/')\n"
                                    "echo \"${COMPREPLY[*]}\"\n");
        return said_by("bash --norc " + script);
    }
    // Without a terminal there is none of what completes in zsh: here is what of it a script asks.
    static std::string by_zsh(const std::string& typed, std::size_t count) {
        const Folder folder;
        const auto script =
            folder.write("ask",
                         "compdef() { completes=$1 }\n"
                         "compset() { ending=${ending#*=} }\n"
                         "compadd() { shift; found=(${(M)@:#$ending*}); (( $#found )) }\n"
                         "_files() { true }\n"
                         "source <('" LEAT_PROGRAM
                         "' completion zsh) || exit\n"
                         "words=(leat" +
                             typed + ") CURRENT=" + std::to_string(count + 1) +
                             "\n"
                             "ending=${words[CURRENT]} found=()\n"
                             "$completes || exit\n"
                             "print -r -- \"$found\"\n");
        return said_by("zsh -f " + script);
    }
};

TEST_P(Completion, OffersTheCommandsThatBeginLikeTheWord) {
    EXPECT_EQ(offered({"ser"}), "serve\n");
    EXPECT_EQ(offered({"completi"}), "completion\n");
    EXPECT_EQ(offered({"completion", ""}), "bash zsh\n");
    EXPECT_EQ(count(" " + offered({""}), "check"), 1u);
    EXPECT_EQ(offered({"nonsense"}), "\n");
}

TEST_P(Completion, OffersOptionsAfterADashAndNothingElseWhereAFileIsMeant) {
    EXPECT_EQ(offered({"check", "--j"}), "--json\n");
    EXPECT_EQ(offered({"check", ""}), "\n") << "then it completes names of files";
    EXPECT_EQ(offered({"--vers"}), "--version\n");
    EXPECT_EQ(offered({"check", "serve", "--j"}), "--json\n") << "a word is no command twice";
}

TEST_P(Completion, KnowsTheCommandsAndValuesOfThoseThatSpeakToBrokers) {
    if (run({"produce", "--help"}).code != 0) GTEST_SKIP() << "a build without them";
    EXPECT_EQ(offered({"topic", "de"}), "describe delete\n");
    EXPECT_EQ(offered({"topic", "create", "orders", "--dry"}), "--dry-run\n");
    EXPECT_EQ(offered({"produce", "-z", "s"}), "snappy\n");
    EXPECT_EQ(offered({"produce", "orders", "--codec", ""}), "none gzip snappy lz4 zstd\n");
    const bool apart = GetParam() == "bash";  // It takes words apart at the equals sign.
    using Words = std::vector<std::string>;
    EXPECT_EQ(
        offered(apart ? Words{"produce", "--codec", "=", "z"} : Words{"produce", "--codec=z"}),
        "zstd\n");
    EXPECT_EQ(offered(apart ? Words{"produce", "--codec", "="} : Words{"produce", "--codec="}),
              "none gzip snappy lz4 zstd\n");
    EXPECT_EQ(offered({"produce", "--broker", ""}), "\n");
    EXPECT_EQ(offered({"consume", "t", "--exit"}), "--exit-at-end\n");
}

INSTANTIATE_TEST_SUITE_P(Shells, Completion, testing::Values("bash", "zsh"),
                         [](const auto& shell) { return shell.param; });

}  // namespace
}  // namespace leat::app
