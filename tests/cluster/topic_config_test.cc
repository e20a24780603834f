#include "core/cluster/topic_config.h"

#include "core/cluster/broker_config.h"

#include <gtest/gtest.h>

namespace leat::cluster {
namespace {

TEST(TopicConfig, EveryDefaultIsAcceptedByItsOwnRule) {
    for (const auto& key : topic_config_keys()) {
        EXPECT_FALSE(key.documentation.empty()) << key.name;
        if (key.effect == ConfigEffect::fixed) continue;
        const auto checked = check_topic_config(key.name, key.fallback);
        EXPECT_TRUE(checked) << key.name << ": " << (checked ? "" : checked.error().what);
    }
    EXPECT_EQ(resolve_topic_config({}, {}), TopicConfig{});
}

TEST(TopicConfig, KeysThatOthersSetAreKnown) {
    for (const auto* name :
         {"segment.ms", "flush.ms", "message.timestamp.type", "min.insync.replicas",
          "unclean.leader.election.enable", "retention.bytes", "cleanup.policy", "preallocate",
          "min.compaction.lag.ms", "file.delete.delay.ms", "segment.jitter.ms"}) {
        EXPECT_NE(find_topic_config(name), nullptr) << name;
    }
    EXPECT_EQ(find_topic_config("no.such.key"), nullptr);
    EXPECT_EQ(check_topic_config("no.such.key", "1").error().what,
              "Unknown topic config name: no.such.key");
}

TEST(TopicConfig, AValueOfTheWrongKindOrOutOfRangeIsRefused) {
    const std::pair<const char*, const char*> wrong[] = {
        {"segment.bytes", "1048575"},      {"segment.bytes", "1e9"},
        {"segment.bytes", ""},             {"segment.bytes", "2147483648"},
        {"retention.ms", "-2"},            {"flush.messages", "0"},
        {"cleanup.policy", "delete,drop"}, {"cleanup.policy", "delete,,compact"},
        {"preallocate", "yes"},            {"min.cleanable.dirty.ratio", "1.5"},
        {"compression.type", "zip"},       {"compression.type", "zstd"},
        {"compression.gzip.level", "0"},   {"min.insync.replicas", "0"},
        {"cleanup.policy", "delete,"},     {"retention.ms", "+-1"},
        {"leader.replication.throttled.replicas", "0"},
        {"leader.replication.throttled.replicas", "0:1,x:1"},
        {"follower.replication.throttled.replicas", "*,0:1"},
        {"leat.validation", "none"},       {"remote.storage.enable", "true"},
        {"message.timestamp.type", "createtime"}};
    for (const auto& [name, value] : wrong) {
        const auto checked = check_topic_config(name, value);
        ASSERT_FALSE(checked) << name << " = " << value;
        EXPECT_NE(checked.error().what.find(name), std::string::npos);
    }
    const std::pair<const char*, const char*> right[] = {
        {"segment.bytes", " 1048576 "},       {"retention.ms", "-1"},
        {"cleanup.policy", "compact, delete"}, {"preallocate", "TRUE"},
        {"retention.ms", "+5"},                {"cleanup.policy", " "},
        {"leader.replication.throttled.replicas", " * "},
        {"follower.replication.throttled.replicas", "0:1, 1:1,"},
        {"retention.ms", "9223372036854775807"}, {"min.cleanable.dirty.ratio", "0.25"}};
    for (const auto& [name, value] : right) {
        EXPECT_TRUE(check_topic_config(name, value)) << name << " = " << value;
    }
}

TEST(TopicConfig, ARefusalHasKafkasWords) {
    const auto words = [](const char* name, const char* value) {
        return check_topic_config(name, value).error().what;
    };
    EXPECT_EQ(words("retention.ms", "long"),
              "Invalid value long for configuration retention.ms: Not a number of type LONG");
    EXPECT_EQ(words("segment.bytes", " 5 "),
              "Invalid value 5 for configuration segment.bytes: Value must be at least 1048576");
    EXPECT_EQ(words("message.timestamp.type", "Sometimes"),
              "Invalid value Sometimes for configuration message.timestamp.type: String must be "
              "one of: CreateTime, LogAppendTime");
    EXPECT_EQ(words("cleanup.policy", "delete,burn,drop"),
              "Invalid value burn for configuration cleanup.policy: String must be one of: "
              "compact, delete");
    EXPECT_EQ(words("cleanup.policy", ","),
              "Configuration 'cleanup.policy' values must not be empty.");
    EXPECT_EQ(words("compression.gzip.level", "-2"),
              "Invalid value -2 for configuration compression.gzip.level: Value must be between 1 "
              "and 9 or equal to -1");
}

TEST(TopicConfig, ATopicsOwnValueGoesBeforeTheBrokersAndThatBeforeKafkas) {
    const TopicConfigs defaults{{"segment.ms", "1000"}, {"max.message.bytes", "5000"}};
    const auto config = resolve_topic_config({{"segment.ms", "2000"}}, defaults);
    EXPECT_EQ(config.segment_ms.count(), 2000);
    EXPECT_EQ(config.max_message_bytes, 5000);
    EXPECT_EQ(config.segment_bytes, 1 << 30);
    const auto compacted = resolve_topic_config({{"cleanup.policy", "compact"}}, {});
    EXPECT_TRUE(compacted.cleanup_compact);
    EXPECT_FALSE(compacted.cleanup_delete);
    EXPECT_TRUE(compacted.validate_records);
}

TEST(TopicConfig, WhatAnotherBrokerWroteAndWeCannotReadCountsAsUnset) {
    EXPECT_EQ(resolve_topic_config({{"segment.ms", "soon"}, {"later.key", "x"}}, {}),
              TopicConfig{});
}

TEST(TopicConfig, ADescriptionSaysWhereEachValueComesFrom) {
    const auto entries =
        describe_topic_config({{"max.message.bytes", "100"}}, {{"max.message.bytes", "200"}}, {},
                              {.storage = "fast", .replication = "single"});
    EXPECT_EQ(entries.size(), topic_config_keys().size());
    for (const auto& entry : entries) {
        if (entry.name == "max.message.bytes") {
            EXPECT_EQ(entry.value, "100");
            EXPECT_EQ(entry.source, ConfigSource::topic);
            ASSERT_EQ(entry.synonyms.size(), 3u);
            EXPECT_EQ(entry.synonyms[1].name, "message.max.bytes");
            EXPECT_EQ(entry.synonyms[1].source, ConfigSource::broker_file);
            EXPECT_EQ(entry.synonyms[2].value, "1048588");
        } else if (entry.name == "leat.storage.engine") {
            EXPECT_EQ(entry.value, "fast");
            EXPECT_TRUE(entry.read_only);
        } else if (entry.name == "cleanup.policy") {
            EXPECT_EQ(entry.value, "delete");
            EXPECT_EQ(entry.source, ConfigSource::fallback);
        }
    }
}

TEST(TopicConfig, ValuesAreShownAsTheyAreUnderstood) {
    EXPECT_EQ(as_understood(ConfigType::int64, " +5 "), "5");
    EXPECT_EQ(as_understood(ConfigType::int32, "-1"), "-1");
    EXPECT_EQ(as_understood(ConfigType::boolean, "TRUE"), "true");
    EXPECT_EQ(as_understood(ConfigType::list, "compact, delete,compact"), "compact,delete");
    EXPECT_EQ(as_understood(ConfigType::list, " "), "");
    EXPECT_EQ(as_understood(ConfigType::string, " a"), " a");
    EXPECT_EQ(as_understood(ConfigType::int64, "soon"), "soon") << "another broker wrote it";
}

TEST(TopicConfig, AnEngineThatIsNotTheUsualOneIsTheTopicsOwn) {
    const TopicConfigs defaults{{"leat.storage.engine", "fast"}};
    for (const auto& [engine, source] :
         {std::pair{"fast", ConfigSource::fallback}, std::pair{"slow", ConfigSource::topic}}) {
        const auto entries = describe_topic_config(
            {}, defaults, {}, {.storage = engine, .replication = "single"});
        for (const auto& entry : entries) {
            if (entry.name != "leat.storage.engine") continue;
            EXPECT_EQ(entry.value, engine);
            EXPECT_EQ(entry.source, source);
        }
    }
}

TEST(TopicConfig, CompactionLagsMustNotContradictEachOther) {
    EXPECT_FALSE(check_topic_configs(
        {{"min.compaction.lag.ms", "10"}, {"max.compaction.lag.ms", "5"}}));
    EXPECT_TRUE(check_topic_configs(
        {{"min.compaction.lag.ms", "5"}, {"max.compaction.lag.ms", "10"}}));
}

}  // namespace
}  // namespace leat::cluster
