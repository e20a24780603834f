// ${env:NAME} and ${file:PATH}: what they put in, what is refused, and that no sentence tells it.
#include "core/config/substitution.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/config/config.h"

namespace leat::config {
namespace {

class Substitution : public testing::Test {
protected:
    Substitution() {
        std::string name = std::filesystem::temp_directory_path() / "leat_substitution_XXXXXX";
        folder_ = ::mkdtemp(name.data());
    }
    ~Substitution() override {
        for (const auto& name : set_) ::unsetenv(name.c_str());
        std::filesystem::remove_all(folder_);
    }

    void variable(const std::string& name, const std::string& value) {
        ::setenv(name.c_str(), value.c_str(), 1);
        set_.push_back(name);
    }
    void file(const std::string& name, const std::string& text) const {
        std::ofstream{folder_ / name, std::ios::binary} << text;
    }
    Loading read(std::string_view text) const { return load_text(folder_ / "b.toml", text); }
    // Every complaint, the file without its folder.
    std::string complaints(std::string_view text) const {
        std::string out = text_of(read(text).complaints);
        const std::string folder = folder_.string() + "/";
        for (std::size_t at; (at = out.find(folder)) != std::string::npos;)
            out.erase(at, folder.size());
        return out;
    }

    std::filesystem::path folder_;
    std::vector<std::string> set_;
};

TEST_F(Substitution, PutsTheEnvironmentAndFilesIntoStrings) {
    variable("LEAT_T_ID", "my-cluster");
    file("name", "lan\n");
    const Loading loading = read(
        "cluster_id = \"${env:LEAT_T_ID}\"\n"
        "data_dir = \"/var/${env:LEAT_T_ID}/${file:name}\"\n"
        "[[listener]]\nname = \"${file:name}\"\n"
        "[plugins]\nsearch_path = [\"a\", \"${file:name}\"]\n"
        "[storage.disk]\nplugin = \"segment\"\nwriteback = \"${env:LEAT_T_ID}\"\n");
    ASSERT_TRUE(loading.ok()) << text_of(loading.complaints);
    EXPECT_EQ(loading.config.node.cluster_id, "my-cluster");
    EXPECT_EQ(loading.config.node.data_dir, "/var/my-cluster/lan");
    EXPECT_EQ(loading.config.listeners[0].name, "lan");
    EXPECT_EQ(loading.config.plugins.search_path[1], folder_ / "lan");
    EXPECT_EQ(std::get<std::string>(loading.config.storage[0].options[0].value.value),
              "my-cluster");
}

TEST_F(Substitution, StripsOneLineEndOfAFileAndNothingElse) {
    const std::pair<const char*, const char*> cases[] = {
        {"a", "a"}, {"a\n", "a"}, {"a\r\n", "a"}, {"a\n\n", "a\n"}, {" a ", " a "}, {"", ""}};
    for (const auto& [held, wanted] : cases) {
        file("f", held);
        const Loading loading = read("[storage.d]\nplugin = \"segment\"\nx = \"${file:f}\"\n");
        ASSERT_TRUE(loading.ok()) << text_of(loading.complaints);
        EXPECT_EQ(std::get<std::string>(loading.config.storage[0].options[0].value.value), wanted);
    }
}

TEST_F(Substitution, ConvertsTextWhereNumbersAndBooleansAreWanted) {
    variable("LEAT_T_PARTITIONS", "12");
    variable("LEAT_T_AUTO", "false");
    variable("LEAT_T_BYTES", "1048576");
    file("idle", "5min\n");
    const Loading loading = read(
        "[topic_defaults]\npartitions = \"${env:LEAT_T_PARTITIONS}\"\n"
        "auto_create = \"${env:LEAT_T_AUTO}\"\n"
        "[limits]\nunsent_bytes = \"${env:LEAT_T_BYTES}\"\nidle = \"${file:idle}\"\n");
    ASSERT_TRUE(loading.ok()) << text_of(loading.complaints);
    EXPECT_EQ(loading.config.topic_defaults.partitions, 12);
    EXPECT_FALSE(loading.config.topic_defaults.auto_create);
    EXPECT_EQ(loading.config.limits.unsent_bytes, Size{1 << 20});
    EXPECT_EQ(loading.config.limits.idle, std::chrono::minutes{5});
    EXPECT_NE(complaints("[topic_defaults]\npartitions = \"12\"\n"), "")
        << "text that stands in the file itself is text";
}

TEST_F(Substitution, WritesTheTextItselfBehindASecondDollar) {
    variable("LEAT_T_X", "${env:HOME}");
    const auto option = [&](const std::string& text) {
        const Loading loading = read("[storage.d]\nplugin = \"segment\"\nx = \"" + text + "\"\n");
        EXPECT_TRUE(loading.ok()) << text_of(loading.complaints);
        return std::get<std::string>(loading.config.storage.at(0).options.at(0).value.value);
    };
    EXPECT_EQ(option("$${env:HOME}"), "${env:HOME}");
    EXPECT_EQ(option("$$${env:HOME}"), "$${env:HOME}");
    EXPECT_EQ(option("a$b{c}$"), "a$b{c}$");
    EXPECT_EQ(option("${env:LEAT_T_X}"), "${env:HOME}") << "what is put in is not looked into";
}

TEST_F(Substitution, SaysPlaceNameAndReasonOfWhatCannotBeHad) {
    file("zero", std::string{"a\0b", 3});
    file("latin1", "\xe4\n");
    file("large", std::string(most_substituted_bytes + 1, 'x'));
    file("everybodys", "x");
    std::filesystem::permissions(folder_ / "everybodys", std::filesystem::perms{0666});
    ::mkfifo((folder_ / "pipe").c_str(), 0600);
    const std::pair<const char*, const char*> cases[] = {
        {"${env:LEAT_T_NONE}",
         "`${env:LEAT_T_NONE}` is not set: the broker's environment has no `LEAT_T_NONE`"},
        {"${env:1X}", "`${env:1X}` names no variable"},
        {"${env:}", "`${env:}` names no variable"},
        {"${file:}", "`${file:}` names no file"},
        {"${file:nowhere}", "`${file:nowhere}` cannot be opened: No such file or directory"},
        {"${file:.}", "`${file:.}` is not a regular file"},
        {"${file:pipe}", "`${file:pipe}` is not a regular file"},
        {"${file:large}", "`${file:large}` is longer than 64KiB"},
        {"${file:zero}", "`${file:zero}` holds no UTF-8 text"},
        {"${file:latin1}", "`${file:latin1}` holds no UTF-8 text"},
        {"${file:everybodys}", "can be written by everybody on this machine: chmod o-w"},
        {"${vault:x}", "`${vault:x}` is neither `${env:NAME}` nor `${file:PATH}`"},
        {"${env:X", "`${` without its `}`"},
    };
    for (const auto& [written, wanted] : cases) {
        const std::string text =
            complaints("[limits]\nidle = \"" + std::string{written} + "\"\nconnections = -1\n");
        EXPECT_TRUE(text.starts_with("b.toml:2:8: error: ")) << text;
        EXPECT_NE(text.find(wanted), std::string::npos) << text;
        EXPECT_NE(text.find("b.toml:3:15: error: "), std::string::npos) << "and the rest: " << text;
        EXPECT_EQ(std::ranges::count(text, '^'), 2) << "one complaint a place: " << text;
    }
}

TEST_F(Substitution, HasALimitForAllOfThemTogether) {
    file("f", std::string(most_substituted_bytes, 'x'));
    std::string many = "[storage.d]\nplugin = \"segment\"\n";
    for (int i = 0; i < 17; ++i) many += "o" + std::to_string(i) + " = \"${file:f}\"\n";
    EXPECT_TRUE(complaints(many).starts_with(
        "b.toml:19:7: error: `${file:f}` and what stands before it put in more than 1MiB\n"));
}

TEST_F(Substitution, IsRefusedInTopicConfigs) {
    variable("LEAT_T_RETENTION", "1000");
    const std::string tables[] = {"[topic_defaults.config]\n", "[topics.\"a-*\".config]\n"};
    for (const auto& table : tables) {
        EXPECT_TRUE(complaints(table + "\"retention.ms\" = \"${env:LEAT_T_RETENTION}\"\n")
                        .starts_with("b.toml:2:18: error: `${...}` is not for topic configs: every "
                                     "client may ask for them\n"));
    }
}

// Whatever is wrong with a value, no sentence about it tells the value.
TEST_F(Substitution, NoComplaintTellsWhatWasPutIn) {
    const char* keys[] = {"node_id = ",
                          "cluster_id = ",
                          "[[listener]]\nname = \"a\"\nbind = ",
                          "[[listener]]\nname = \"a\"\nadvertise = ",
                          "[[listener]]\nname = \"b\"\n[[listener]]\nname = \"b\"\nbind = ",
                          "[plugins]\nsearch_path = ",
                          "[topic_defaults]\nflush = ",
                          "[topic_defaults]\nstorage = ",
                          "[topic_defaults]\nvalidation = ",
                          "[topic_defaults]\nauto_create = ",
                          "[topic_defaults]\npartitions = ",
                          "[internal_topics]\nreplication = ",
                          "[limits]\nidle = ",
                          "[limits]\nlargest_frame = ",
                          "[log]\nlevel = ",
                          "storage = ",
                          "topics = ",
                          "log = "};
    int complained = 0;
    for (const std::string secret : {"s3cret!", "-77777", "99999h", "8888888TiB", "infoo"}) {
        variable("LEAT_T_SECRET", secret);
        for (const std::string key : keys) {
            const std::string text = complaints(key + "\"${env:LEAT_T_SECRET}\"\n");
            if (text.empty()) continue;  // This value is fine there.
            ++complained;
            EXPECT_EQ(text.find(secret), std::string::npos) << text;
            EXPECT_NE(text.find("${env:LEAT_T_SECRET}"), std::string::npos) << text;
        }
    }
    EXPECT_GT(complained, 80);
    variable("LEAT_T_SECRET", "943718400");
    const std::string text = complaints("[limits]\nlargest_frame = \"${env:LEAT_T_SECRET}\"\n");
    EXPECT_NE(text.find("does not fit"), std::string::npos) << text;
    EXPECT_EQ(text.find("900MiB"), std::string::npos) << "nor in other words: " << text;
}

TEST_F(Substitution, TwoListenersOfOneHiddenNameAreToldOfWithoutIt) {
    variable("LEAT_T_SECRET", "hunter2");
    const std::string text = complaints(
        "[[listener]]\nname = \"${env:LEAT_T_SECRET}\"\nbind = \":1\"\n"
        "[[listener]]\nname = \"${env:LEAT_T_SECRET}\"\nbind = \":2\"\n");
    EXPECT_NE(text.find("a second listener is named `${env:LEAT_T_SECRET}`"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
}

TEST_F(Substitution, SurvivesWhateverStandsInTheString) {
    variable("LEAT_T_X", "x");
    const std::string good = "x${env:LEAT_T_X}$${$}{}${file:nowhere}";
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const char c : {'$', '{', '}', ':', '/', '\t', 'x'}) {
            std::string bad = good;
            bad[i] = c;
            (void)complaints("data_dir = '" + bad + "'\n");
        }
        (void)complaints("data_dir = '" + good.substr(0, i) + "'\n");
    }
}

}  // namespace
}  // namespace leat::config
