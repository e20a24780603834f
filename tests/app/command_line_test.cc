// What the commands print, for people and for programs, and the codes that they end with.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/wire/messages/api_versions.h"
#include "tests/app/child.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using nlohmann::json;

TEST(CommandLine, CheckSaysEveryMistakeAtOnceWithItsPlaceAndLine) {
    const Folder folder;
    const auto file = folder.write("many.toml",
                                   "node_id = -1\n"
                                   "[storage.disk]\n"
                                   "plugin = \"segmnt\"\n"
                                   "[storage.ram]\n"
                                   "plugin = \"memory\"\n"
                                   "speed = 9\n"
                                   "[topic_defaults]\n"
                                   "storage = \"dsik\"\n"
                                   "config = { \"retention.mss\" = 1 }\n"
                                   "[limits]\n"
                                   "idel = \"1s\"\n");
    const auto [code, out, err] = run({"check", file});
    EXPECT_EQ(code, 1);
    EXPECT_EQ(out, "");
    EXPECT_EQ(err, file + ":1:11: error: `node_id` must be 0 to 2147483647, not -1\n" +
                       "    node_id = -1\n              ^\n" + file +
                       ":3:10: error: there is no storage plugin `segmnt`; did you mean `segment`? "
                       "(found: memory, mmap, segment)\n"
                       "    plugin = \"segmnt\"\n             ^\n" +
                       file + ":6:1: error: plugin `memory` has no option `speed`\n" +
                       "    speed = 9\n    ^\n" + file +
                       ":8:11: error: there is no [storage.dsik]; did you mean `disk`?\n"
                       "    storage = \"dsik\"\n              ^\n" +
                       file +
                       ":9:12: error: `retention.mss` is no topic config of Kafka's or Leat's\n" +
                       "    config = { \"retention.mss\" = 1 }\n               ^\n" + file +
                       ":11:1: error: unknown key `idel` in [limits]; did you mean `idle`?\n"
                       "    idel = \"1s\"\n    ^\n");
    const auto started = run({"serve", file});
    EXPECT_EQ(started.code, 1);
    EXPECT_EQ(started.err, err) << "start says the same";
    const auto said = json::parse(run({"check", "--json", file}).out);
    EXPECT_FALSE(said["ok"]);
    ASSERT_EQ(said["complaints"].size(), 6u);
    EXPECT_EQ(said["complaints"][5]["line"], 11);
    EXPECT_EQ(said["complaints"][5]["column"], 1);
}

TEST(CommandLine, CheckOfAGoodFileSaysSo) {
    const Folder folder;
    const auto [code, out, err] = run({"check", folder.config()});
    EXPECT_EQ(code, 0);
    EXPECT_EQ(out, (folder / "broker.toml").string() + " is fine\n");
    EXPECT_EQ(err, "");
}

TEST(CommandLine, CheckAndStartWarnOfStorageThatIsNotDurable) {
    const Folder folder;
    const auto file = folder.config(
        "[storage.disk]\nplugin = \"segment\"\n"
        "[storage.ram]\nplugin = \"memory\"\n"
        "[topic_defaults]\nstorage = \"ram\"\n"
        "[internal_topics]\nstorage = \"ram\"\n"
        "[topics.\"cache-*\"]\nstorage = \"ram\"\n"
        "[topics.\"orders-*\"]\nstorage = \"disk\"\n"
        "[topics.\"others-*\"]\npartitions = 2\n");
    const std::string places[] = {
        ":9:11: warning: topics of [topic_defaults] are kept in "
        "[storage.ram], and its plugin `memory` is not durable",
        ":11:11: warning: the broker's own topics",
        ":13:11: warning: topics of [topics.\"cache-*\"] are kept in"};
    const auto checked = run({"check", file});
    EXPECT_EQ(checked.code, 0) << "legal, and said";
    EXPECT_EQ(checked.out, file + " is fine, but see above\n");
    for (const auto& place : places) EXPECT_EQ(count(checked.err, file + place), 1u) << place;
    EXPECT_EQ(count(checked.err, "warning"), 3u) << checked.err;
    EXPECT_EQ(json::parse(run({"check", "--json", file}).out)["warnings"].size(), 3u);

    Child broker{{"serve", file}};
    ASSERT_NE(broker.port(), 0);
    broker.signal(SIGTERM);
    EXPECT_EQ(broker.wait(), 0);
    EXPECT_EQ(count(broker.err(), "warn  storage is not durable place=" + file + ":9:11 "), 1u);
    EXPECT_EQ(count(broker.err(), "warn  storage is not durable place=" + file + ":11:11 "), 1u);
    EXPECT_EQ(count(broker.err(), "warn  storage is not durable place=" + file + ":13:11 "), 1u);
    EXPECT_EQ(count(broker.err(), "storage is not durable"), 3u) << broker.err();
}

TEST(CommandLine, InternalTopicsThatFollowTheDefaultsAreWarnedOfWhereTheirEngineIsNamed) {
    const Folder folder;
    const auto file = folder.config("[storage.ram]\nplugin = \"memory\"\n");
    const auto checked = run({"check", file});
    EXPECT_EQ(count(checked.err, file + ":5:10: warning: "), 2u) << checked.err;
}

TEST(CommandLine, AFolderOfPluginsThatIsNotThereIsWarnedOf) {
    const Folder folder;
    const auto file = folder.config("[plugins]\nsearch_path = [\"nowhere\"]\n");
    const auto checked = run({"check", file});
    EXPECT_EQ(checked.code, 0);
    EXPECT_EQ(count(checked.err,
                    "warning: plugins of " + (folder / "nowhere").string() + " are not used"),
              1u)
        << checked.err;
}

struct Usage {
    std::vector<std::string> arguments;
    std::string said;   // On stderr, first.
    std::string usage;  // And which usage follows.
};

TEST(CommandLine, WrongUsageSaysWhatIsWrongShowsTheUsageAndEndsWithTwo) {
    const Usage usages[] = {
        {{}, "leat: A subcommand is required", "Usage: leat [OPTIONS] SUBCOMMAND"},
        {{"srve"}, "leat: there is no command `srve`; did you mean `serve`?", "Usage: leat ["},
        {{"--frobnicate"}, "leat: ", "Usage: leat [OPTIONS] SUBCOMMAND"},
        {{"serve"}, "leat: FILE is required", "Usage: leat serve [OPTIONS] FILE"},
        {{"serve", "a", "b"}, "leat: The following argument was not expected: b", "leat serve ["},
        {{"check", "--jsn", "a"},
         "leat: The following argument was not expected: --jsn",
         "Usage: leat check [OPTIONS] FILE"},
        {{"apis", "x"}, "leat: The following argument was not expected: x", "Usage: leat apis ["},
        {{"plugins", "--jso"}, "leat: The following", "Usage: leat plugins [OPTIONS] [FILE]"},
    };
    for (const auto& [arguments, said, usage] : usages) {
        const auto [code, out, err] = run(arguments);
        EXPECT_EQ(code, 2) << said;
        EXPECT_EQ(out, "");
        EXPECT_TRUE(err.starts_with(said)) << err;
        EXPECT_NE(err.find(usage), std::string::npos) << err;
    }
}

TEST(CommandLine, HelpOfEverySubcommandShowsAnExample) {
    for (const std::string name : {"", "serve", "check", "plugins", "apis", "explain", "dump"}) {
        const auto [code, out, err] = name.empty() ? run({"--help"}) : run({name, "--help"});
        EXPECT_EQ(code, 0);
        EXPECT_EQ(err, "");
        EXPECT_NE(out.find("\n  leat " + name), std::string::npos) << out;
        EXPECT_NE(out.find("Usage: leat " + name), std::string::npos) << out;
    }
    EXPECT_EQ(run({"--version"}).code, 0);
}

TEST(CommandLine, ApisSayWhatApiVersionsSaysOnTheSocket) {
    const Folder folder;
    Child broker{{"serve", folder.config()}};
    RawClient client{broker.port()};
    const auto answer = client.call<wire::ApiVersionsResponse>(
        wire::ApiVersionsRequest{.client_software_name = "a", .client_software_version = "1"}, 3);
    std::map<int, std::pair<int, int>> on_the_socket;
    for (const auto& api : answer.api_keys) {
        on_the_socket[api.api_key] = {api.min_version, api.max_version};
    }
    const auto [code, out, err] = run({"apis", "--json"});
    EXPECT_EQ(code, 0);
    std::map<int, std::pair<int, int>> said;
    for (const json& api : json::parse(out)) {
        said[api["key"]] = {api["versions"][0], api["versions"][1]};
        EXPECT_LE(api["versions"][0], api["served"][0]) << api["name"];
        EXPECT_GE(api["versions"][1], api["served"][1]) << api["name"];
        EXPECT_TRUE(api["request"]["fields"].is_array()) << api["name"];
        EXPECT_FALSE(api["response"]["fields"].empty()) << api["name"];
    }
    EXPECT_FALSE(said.empty());
    EXPECT_EQ(said, on_the_socket);
    EXPECT_EQ(count(run({"apis"}).out, "\n"), said.size()) << "for people: a line each";
}

TEST(CommandLine, ApisNameTheFieldsOfEachMessage) {
    for (const json& api : json::parse(run({"apis", "--json"}).out)) {
        if (api["name"] != "ApiVersions") continue;
        const json& first = api["request"]["fields"][0];
        EXPECT_EQ(first["name"], "ClientSoftwareName");
        EXPECT_EQ(first["type"], "string");
        EXPECT_EQ(first["versions"], "3+");
        return;
    }
    ADD_FAILURE() << "ApiVersions is not among them";
}

TEST(CommandLine, PluginsListKindsCapabilitiesOptionsAndWhatIsRefused) {
    const Folder folder;
    const auto file = folder.config("[plugins]\nsearch_path = [\"nowhere\"]\n");
    const auto [code, out, err] = run({"plugins", "--json", file});
    EXPECT_EQ(code, 0);
    EXPECT_EQ(err, "");
    const json said = json::parse(out);
    std::map<std::string, json> by_name;
    for (const json& plugin : said["plugins"]) by_name[plugin["name"]] = plugin;
    const std::map<std::string, std::vector<std::string>> ours{
        {"storage", {"memory", "mmap", "segment"}},
        {"coordination", {"local"}},
        {"replication", {"single"}},
        {"assignment", {"lag_aware", "rack_aware", "range", "sticky", "uniform"}},
    };
    std::map<std::string, std::vector<std::string>> listed;
    for (const auto& [name, plugin] : by_name) listed[plugin["kind"]].push_back(name);
    EXPECT_EQ(listed, ours);
    const auto can = [&](const std::string& name) {
        return by_name[name]["capabilities"].get<std::vector<std::string>>();
    };
    EXPECT_NE(std::ranges::count(can("segment"), "durable"), 0);
    EXPECT_EQ(std::ranges::count(can("memory"), "durable"), 0);
    EXPECT_FALSE(by_name["segment"]["options"].empty());
    ASSERT_EQ(said["refused"].size(), 1u);
    EXPECT_EQ(said["refused"][0]["file"], (folder / "nowhere").string());
}

}  // namespace
}  // namespace leat::app
