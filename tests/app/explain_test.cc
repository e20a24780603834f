// `leat explain`: the reference that an operator asks, and that it is what the checks say.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/child.h"

namespace leat::app {
namespace {

using nlohmann::json;

json explained(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"explain", "--json"});
    const auto [code, out, err] = run(arguments);
    EXPECT_EQ(code, 0) << err;
    return json::parse(out, nullptr, false)["sections"];
}

std::vector<json> keys_of(const json& sections) {
    std::vector<json> keys;
    for (const json& section : sections)
        keys.insert(keys.end(), section["keys"].begin(), section["keys"].end());
    return keys;
}

TEST(Explain, AKeyIsToldWithTypeUnitDefaultRangeMeaningAndExample) {
    const auto [code, out, err] = run({"explain", "limits.idle"});
    EXPECT_EQ(code, 0);
    EXPECT_EQ(err, "");
    EXPECT_EQ(out,
              "[limits]\n"
              "  What clients can make the broker hold.\n"
              "\n"
              "  limits.idle\n"
              "      A connection that says nothing for so long is closed.\n"
              "      type      duration (ms, s, min, h, d)\n"
              "      default   \"10min\"\n"
              "      range     \"1s\" to \"30d\"\n"
              "      example   [limits]\n"
              "                idle = \"10min\"\n");
}

TEST(Explain, FindsAKeyByAnyNameThatAnOperatorHasForIt) {
    const std::pair<const char*, const char*> cases[] = {
        {"limits.idle", "limits.idle"},
        {"idle", "limits.idle"},
        {"node_id", "node_id"},
        {"listener.bind", "listener.bind"},
        {"[[listener]].bind", "listener.bind"},
        {"topics.\"sensor-*\".partitions", "topic_defaults.partitions"},
        {"memory.budget", "storage.NAME.budget"},
        {"storage.fast.budget", "storage.NAME.budget"},
        {"local.snapshot_after", "coordination.snapshot_after"},
        {"retention.ms", "retention.ms"},
        {"topic_defaults.config.\"retention.ms\"", "retention.ms"},
        {"retention.check_interval", "retention.check_interval"},
    };
    for (const auto& [asked, path] : cases) {
        const auto keys = keys_of(explained({asked}));
        ASSERT_EQ(keys.size(), 1u) << asked;
        EXPECT_EQ(keys[0]["path"], path);
    }
    EXPECT_EQ(keys_of(explained({"storage.fast.writeback"})).size(), 2u) << "segment's and mmap's";
    EXPECT_EQ(keys_of(explained({"partitions"})).size(), 2u) << "topics' and the broker's own";
    EXPECT_GT(keys_of(explained({"[limits]"})).size(), 5u);
    EXPECT_GT(keys_of(explained({"segment"})).size(), 2u);
    EXPECT_GT(keys_of(explained({"topic_defaults.config"})).size(), 30u);
}

TEST(Explain, AnUnknownKeyIsGuessedAt) {
    const std::pair<const char*, const char*> cases[] = {{"limits.idel", "limits.idle"},
                                                         {"idel", "idle"},
                                                         {"segmnt", "segment"},
                                                         {"retention.sm", "retention.ms"},
                                                         {"limit", "limits"}};
    for (const auto& [asked, meant] : cases) {
        const auto [code, out, err] = run({"explain", asked});
        EXPECT_EQ(code, 2);
        EXPECT_EQ(out, "");
        EXPECT_EQ(err, "leat: no section, key or plugin is called `" + std::string{asked} +
                           "`; did you mean `" + meant + "`?\n");
    }
    EXPECT_EQ(run({"explain", "xyzzyxyzzy"}).err,
              "leat: no section, key or plugin is called `xyzzyxyzzy`\n");
    EXPECT_EQ(run({"explain", ""}).code, 0) << "no key is every key";
}

TEST(Explain, EveryKeyIsWholeAndItsExamplePassesTheCheck) {
    const Folder folder;
    std::size_t checked = 0;
    for (const json& key : keys_of(explained())) {
        EXPECT_NE(key["description"], "") << key;
        EXPECT_NE(key["type"], "") << key;
        const std::string example = key["example"];
        if (example.empty()) {
            EXPECT_FALSE(key["note"].is_null()) << key;
            continue;
        }
        const auto [code, out, err] = run({"check", folder.write("broker.toml", example)});
        const bool left_out = LEAT_OPERATOR_VIEW == 0 && example.starts_with("[http]\nlisten");
        EXPECT_EQ(code, left_out ? 1 : 0) << example << err;
        ++checked;
    }
    EXPECT_GT(checked, 60u);
}

// What the checks name as bounds is what the reference names.
TEST(Explain, ValuesOutsideOfARangeAreRefusedWithThatRange) {
    const Folder folder;
    for (const json& key : keys_of(explained())) {
        if (key["type"] != "integer" || key["range"].is_null()) continue;
        std::string example = key["example"];
        if (example.find("[topic_defaults.config]") != std::string::npos) continue;
        example.replace(example.rfind('=') + 1, std::string::npos, " -99\n");
        const auto [code, out, err] = run({"check", folder.write("broker.toml", example)});
        EXPECT_EQ(code, 1) << example;
        EXPECT_NE(err.find("must be " + key["range"].get<std::string>() + ", not -99"),
                  std::string::npos)
            << err << key;
    }
}

TEST(Explain, ThePageInDocsIsWhatTheProgramSays) {
    std::ifstream file{CONFIGURATION_PAGE};
    const std::string page{std::istreambuf_iterator<char>{file}, {}};
    const auto [code, out, err] = run({"explain", "--markdown"});
    EXPECT_EQ(code, 0) << err;
    EXPECT_TRUE(page == out) << "docs/configuration.md is old: leat explain --markdown writes it";
}

TEST(Explain, TellsThePluginsOfAConfigurationToo) {
    const Folder folder;
    std::filesystem::create_directory(folder / "more");
    std::filesystem::copy_file(HOST_ECHO_PLUGIN, folder / "more" / "echo.so");
    const auto file = folder.config("[plugins]\nsearch_path = [\"more\"]\n");
    EXPECT_EQ(run({"explain", "echo"}).code, 2);
    const auto told = explained({"echo", "--config", file});
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0]["plugin"], "echo");
    EXPECT_EQ(run({"explain", "--config", (folder / "none.toml").string()}).code, 1);
}

TEST(Explain, NeverShowsWhatAConfigurationTakesFromElsewhere) {
    const Folder folder;
    const auto file = folder.config("[log]\nfile = \"${env:LEAT_T_SECRET}\"\n");
    Child child{{"explain", "--config", file}, {"LEAT_T_SECRET=hunter2"}};
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(count(child.out() + child.err(), "hunter2"), 0u);
}

}  // namespace
}  // namespace leat::app
