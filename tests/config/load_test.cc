#include <gtest/gtest.h>

#include <filesystem>

#include "core/config/config.h"
#include "core/config/reference.h"

namespace leat::config {
namespace {

Loading read(std::string_view text) {
    return load_text("/etc/leat/broker.toml", text);
}

// Every complaint about `text`, without the folder.
std::string complaints(std::string_view text) {
    std::string out = text_of(read(text).complaints);
    const std::string folder = "/etc/leat/";
    for (std::size_t at; (at = out.find(folder)) != std::string::npos;)
        out.erase(at, folder.size());
    return out;
}

TEST(Load, TakesAnEmptyFileForAWorkingBroker) {
    const Loading loading = read("");
    ASSERT_TRUE(loading.ok()) << text_of(loading.complaints);
    const Config& config = loading.config;
    EXPECT_EQ(config.node.data_dir, "/etc/leat/data");
    ASSERT_EQ(config.listeners.size(), 1u);
    EXPECT_EQ(config.listeners[0].bind.port, 9092);
    EXPECT_EQ(config.listeners[0].advertise, std::nullopt);
    ASSERT_EQ(config.storage.size(), 1u);
    EXPECT_EQ(config.storage[0].plugin, "segment");
    EXPECT_EQ(config.topic_defaults.storage, "disk");
    EXPECT_EQ(config.internal_topics.storage, "disk");
    EXPECT_EQ(config.coordination.plugin, "local");
    EXPECT_EQ(config.topic_defaults.replication, "single");
    EXPECT_EQ(config.limits.largest_frame, Size{100ull << 20});
}

TEST(Load, ReadsEverySection) {
    const Loading loading = read(R"(
node_id = 7
data_dir = "../var"
[[listener]]
name = "lan"
bind = "[::1]:0"
advertise = "broker-7:9092"
[plugins]
search_path = ["plugins", "/opt/leat"]
[storage.fast]
plugin = "memory"
budget = "64MiB"
[storage.disk]
plugin = "segment"
[topic_defaults]
partitions = 3
storage = "disk"
flush = "250ms"
[topic_defaults.config]
"max.message.bytes" = 1000
"cleanup.policy" = "delete"
[topics."sensor-*"]
storage = "fast"
flush = "each"
config = { "max.message.bytes" = 5 }
[limits]
idle = "5min"
[log]
level = "debug"
file = "broker.log"
)");
    ASSERT_TRUE(loading.ok()) << text_of(loading.complaints);
    const Config& config = loading.config;
    EXPECT_EQ(config.node.node_id, 7);
    EXPECT_EQ(config.node.data_dir, "/etc/var");
    EXPECT_EQ(config.listeners[0].bind, (sdk::Endpoint{"::1", 0}));
    EXPECT_EQ(config.listeners[0].advertise, (sdk::Endpoint{"broker-7", 9092}));
    EXPECT_EQ(config.plugins.search_path[0], "/etc/leat/plugins");
    EXPECT_EQ(config.plugins.search_path[1], "/opt/leat");
    ASSERT_EQ(config.storage.size(), 2u);
    EXPECT_EQ(config.storage[0].name, "fast");
    ASSERT_EQ(config.storage[0].options.size(), 1u);
    EXPECT_EQ(config.storage[0].options[0].value.place, (Place{12, 10}));
    EXPECT_EQ(config.log.file, "/etc/leat/broker.log");

    const TopicSettings& sensor = config.settings_for("sensor-1");
    EXPECT_EQ(sensor.storage, "fast");
    EXPECT_EQ(sensor.partitions, 3) << "the defaults hold where the template is silent";
    EXPECT_EQ(sensor.flush.when, FlushRule::When::each);
    ASSERT_EQ(sensor.config.size(), 2u);
    EXPECT_EQ(std::get<std::int64_t>(sensor.config[1].value.value), 5);
    EXPECT_EQ(config.settings_for("orders").flush,
              (FlushRule{FlushRule::When::interval, std::chrono::milliseconds{250}}));
}

TEST(Load, GivesGroupsTheAssignorOfTheFirstPatternThatMatches) {
    const Loading loading = read(R"(
rack = "east"
[groups."orders-*"]
assignor = "near"
[groups."orders-by-hand"]
assignor = "sticky"
[groups."*"]
assignor = "range"
[assignment.near]
plugin = "rack_aware"
slack = 2
)");
    ASSERT_TRUE(loading.ok()) << text_of(loading.complaints);
    const Config& config = loading.config;
    EXPECT_EQ(config.node.rack, "east");
    EXPECT_EQ(config.assignor_for("orders-by-hand"), "near");
    EXPECT_EQ(config.assignor_for("other"), "range");
    ASSERT_EQ(config.assignment.size(), 3u) << "and plugins that no section has";
    EXPECT_EQ(config.assignment[0].name, "near");
    EXPECT_EQ(config.assignment[0].plugin, "rack_aware");
    EXPECT_EQ(config.assignment[0].options.size(), 1u);
    EXPECT_EQ(config.assignment[1].plugin, "sticky");
    EXPECT_EQ(config.assignment[1].plugin_place, (Place{6, 12}));
    EXPECT_EQ(read("").config.assignor_for("orders-1"), "");
}

TEST(Load, TakesAssignorsForMembersToChooseByInstanceOrByPlugin) {
    const Loading loading = read(R"(
[group_coordinator]
consumer_assignors = ["near", "range"]
[assignment.near]
plugin = "rack_aware"
)");
    ASSERT_TRUE(loading.ok()) << text_of(loading.complaints);
    ASSERT_EQ(loading.config.assignment.size(), 2u);
    EXPECT_EQ(loading.config.assignment[1].plugin, "range");
    EXPECT_EQ(loading.config.assignment[1].plugin_place, (Place{3, 22}));
    const Config as_it_is = read("").config;
    EXPECT_EQ(as_it_is.group_coordinator.consumer_assignors,
              (std::vector<std::string>{"uniform", "range"}));
    EXPECT_TRUE(as_it_is.assignment.empty()) << "of the default, those count that there are";
}

TEST(Load, ReportsEveryMistakeAtOnceWithPlaceReasonAndGuess) {
    EXPECT_EQ(complaints("[topic_defaults]\n"
                         "partition = 3\n"
                         "replication_factor = 900\n"
                         "validation = true\n"
                         "flush = \"sometimes\"\n"
                         "[limit]\n"
                         "\tidle = 5\n"),
              "broker.toml:2:1: error: unknown key `partition` in [topic_defaults]; did you mean "
              "`partitions`?\n"
              R"(    partition = 3
    ^
broker.toml:3:22: error: `replication_factor` must be 1 to 100, not 900
    replication_factor = 900
                         ^
broker.toml:4:14: error: `validation` must be a string, not a boolean
    validation = true
                 ^
broker.toml:5:9: error: `flush` must be "none", "each" or a duration such as "1s", )"
              R"(not "sometimes"
    flush = "sometimes"
            ^
)"
              "broker.toml:6:2: error: unknown section `limit`; did you mean `limits`?\n"
              "    [limit]\n"
              "     ^\n");
}

TEST(Load, PutsTheCaretBelowItsCharacterBehindTabsAndUmlauts) {
    EXPECT_EQ(complaints("[storage.disk]\n\tplugin = \"segment\"\n[log]\n\t\"größe\" = 5\n"),
              "broker.toml:4:2: error: unknown key `größe` in [log]\n"
              "    \t\"größe\" = 5\n"
              "    \t^\n");
}

TEST(Load, SaysWhereTheTomlEnds) {
    const std::string text = complaints("node_id = 1\nlog = [\n");
    EXPECT_TRUE(text.starts_with("broker.toml:")) << text;
    EXPECT_NE(text.find("error: not TOML: "), std::string::npos) << text;
}

TEST(Load, KnowsWhatCannotGoTogether) {
    const auto has = [](std::string_view toml, std::string_view wanted) {
        const std::string text = complaints(toml);
        EXPECT_NE(text.find(wanted), std::string::npos) << text;
    };
    has("[[listener]]\nname = \"a\"\nbind = \":1\"\n[[listener]]\nname = \"a\"\nbind = \":2\"\n",
        "broker.toml:5:8: error: a second listener is named `a`");
    has("[[listener]]\nname = \"a\"\nbind = \":1\"\n[[listener]]\nname = \"b\"\nbind = \":1\"\n",
        "a second listener is bound to :1");
    has("[[listener]]\nbind = \"localhost\"\n",
        "broker.toml:2:8: error: `bind` must be an address and a port");
    has("[[listener]]\nname = \"a\"\nadvertise = \"here\"\n",
        "broker.toml:3:13: error: `advertise` must be \"auto\" or a host and a port");
    has("[storage.disk]\nplugin = \"segment\"\n[topic_defaults]\nstorage = \"dsik\"\n",
        "broker.toml:4:11: error: there is no [storage.dsik]; did you mean `disk`?");
    has("[storage.a]\nplugin = \"segment\"\n[storage.b]\nplugin = \"memory\"\n",
        "there are several storage instances (a, b): say which with `storage = \"...\"`");
    has("[topics.\"x-*\"]\nreplication = \"isr\"\n",
        "broker.toml:2:15: error: there is no [replication.isr]");
    has("[storage.disk]\nsegment_bytes = 1\n", "[storage.disk] needs `plugin = \"...\"`");
    has("[storage]\nplugin = \"segment\"\n", "[storage] holds instances only");
    has("[group_coordinator]\nsession_timeout_max = \"5s\"\n",
        "`session_timeout_min` (6s) is longer than `session_timeout_max` (5s): nobody could join");
    has("[group_coordinator]\nconsumer_session_timeout = \"5s\"\n",
        "`consumer_heartbeat_interval` (5s) must be shorter than `consumer_session_timeout` (5s)");
    has("[group_coordinator]\nconsumer_assignors = []\n", "must name at least one assignor");
    has("[group_coordinator]\nconsumer_assignors = [\"range\", \"\"]\n", "none may be empty");
    has("[group_coordinator]\nconsumer_assignors = \"range\"\n",
        "`consumer_assignors` must be an array of strings, not a string");
    has("[limits]\nmemory_budget = \"50MiB\"\n",
        "a frame of `largest_frame` (100MiB) does not fit into `memory_budget` (50MiB)");
    has("[limits]\nlargest_frame = \"49MiB\"\nmemory_budget = \"64MiB\"\n",
        "a frame of `largest_frame` (49MiB) does not fit into `memory_budget` (64MiB), a quarter "
        "of which is for all others");
    has("[limits]\nlargest_frame = \"1 hour\"\n", "must be a size such as \"64MiB\"");
    has("[topic_defaults.config]\nmax.message.bytes = 5\n", "quote them");
    has("[topics.\"sensor-?\"]\n", "no topic matches `sensor-?`");
    has("[groups]\nassignor = \"sticky\"\n",
        "broker.toml:2:12: error: [groups.\"assignor\"] must be a table, not a string");
    has("groups = 3\n", "`groups` must be tables by pattern, such as [groups.\"orders-*\"]");
    has("[groups.\"*\"]\nasignor = \"sticky\"\n", "did you mean `assignor`?");
    has("[log]\nlevel = \"inof\"\n", "did you mean `info`?");
}

TEST(Load, AcceptsTheFilesThatShip) {
    for (const auto& entry : std::filesystem::directory_iterator{LEAT_CONFIG_FOLDER})
        EXPECT_EQ(text_of(load(entry.path()).complaints), "");
}

TEST(Load, RefusesWhatIsNoFile) {
    const auto folder = std::filesystem::temp_directory_path();
    EXPECT_EQ(
        text_of(load(folder / "leat-no-such.toml").complaints),
        (folder / "leat-no-such.toml").string() +
            ": error: there is no such file; config/dev.toml in Leat's sources is one to copy\n");
    EXPECT_EQ(
        text_of(load(folder).complaints),
        folder.string() + ": error: this is a folder: give the path of a configuration file\n");
    EXPECT_NE(text_of(load("/dev/null").complaints).find("not a regular file"), std::string::npos);
}

TEST(Load, SurvivesWhateverStandsInTheFile) {
    const std::string good =
        "node_id = 1\n[[listener]]\nname = \"a\"\n[storage.d]\nplugin = \"m\"\n"
        "[topics.\"x\"]\nconfig = {\"a\" = [1, {b = 1979-05-27}]}\n";
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const char c : {'\0', '[', '"', '=', '\n', '\xff', '{', '9'}) {
            std::string bad = good;
            bad[i] = c;
            (void)text_of(read(bad).complaints);
        }
        (void)text_of(read(good.substr(0, i)).complaints);
    }
    for (const char* key : {"node_id", "listener", "plugins", "storage", "coordination",
                            "replication", "topics", "topic_defaults", "log", "limits"})
        for (const char* value : {"1", "\"x\"", "[]", "[1]", "{}", "{a = 1}", "[{}]", "inf"})
            (void)text_of(read(std::string{key} + " = " + value + "\n").complaints);
}

TEST(Reference, ListsEveryKeyWithDefaultAndRange) {
    std::string all;
    for (const auto& section : reference())
        for (const auto& key : section.keys)
            all += section.table + " " + key.name + " = " + key.fallback + " (" + key.range + ")\n";
    EXPECT_NE(all.find("[topic_defaults] partitions = 1 (1 to 10000)\n"), std::string::npos) << all;
    EXPECT_NE(all.find("[limits] largest_frame = \"100MiB\" ("), std::string::npos) << all;
    EXPECT_NE(all.find("[log] level = \"info\" (debug | info | warn | error)\n"),
              std::string::npos);
}

}  // namespace
}  // namespace leat::config
