// The sections of a broker's TOML file, each declared once (schema.h). Members hold the defaults.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/config/schema.h"

namespace leat::config {

struct NodeSection {
    std::int32_t node_id = 1;
    std::filesystem::path data_dir = "data";
    std::string cluster_id;
    std::string rack;

    static constexpr std::string_view table = "";
    static constexpr std::string_view description = "Who this broker is. Above all tables.";
    static constexpr auto keys = std::tuple{
        key("node_id", &NodeSection::node_id, "This broker's number, its own in the cluster.")
            .between(0, INT32_MAX),
        key("data_dir", &NodeSection::data_dir, "Where everything is kept. Relative to this file."),
        key("cluster_id", &NodeSection::cluster_id,
            "The cluster's id, up to 64 letters, digits, `.`, `_` or `-`; made at the first start "
            "when coordination is `local`.")
            .such_as("\"4L6g3nShT-eMCtK--X86sw\""),
        key("rack", &NodeSection::rack,
            "Where this broker stands, such as a data centre's zone; clients and group assignors "
            "see it.")
            .such_as("\"eu-west-1a\""),
    };
};

struct ListenerSection {
    std::string name;
    std::string bind = "127.0.0.1:9092";
    std::string advertise = "auto";

    static constexpr std::string_view table = "[listener]";
    static constexpr std::string_view description =
        "An address that clients connect to. May be there several times; without any, a broker "
        "listens at 127.0.0.1:9092.";
    static constexpr auto keys = std::tuple{
        key("name", &ListenerSection::name, "Its name in log lines; no two have the same.")
            .such_as("\"plain\"")
            .needed(),
        key("bind", &ListenerSection::bind,
            "Address and port to listen at; port 0 takes a free one and logs it."),
        key("advertise", &ListenerSection::advertise,
            "Where clients are told to connect: \"host:port\", or \"auto\": as they dialled."),
    };
};

struct PluginsSection {
    std::vector<std::filesystem::path> search_path;

    static constexpr std::string_view table = "plugins";
    static constexpr std::string_view description = "Where plugin libraries are looked for.";
    static constexpr auto keys = std::tuple{
        key("search_path", &PluginsSection::search_path,
            "Folders, relative to this file. The broker's own folder comes last.")
            .such_as("[\"/opt/leat/plugins\"]"),
    };
};

// A table for each instance of a plugin; what stands in it beside `plugin` is that plugin's.
struct StorageSection {
    std::string plugin;

    static constexpr std::string_view table = "storage.NAME";
    static constexpr std::string_view description =
        "A storage instance: topics are kept in it by this NAME. Without any, there is "
        "[storage.disk] with the plugin `segment`.";
    static constexpr auto keys = std::tuple{
        key("plugin", &StorageSection::plugin, "The storage plugin; `leat plugins` lists them.")
            .such_as("\"segment\"")
            .needed(),
    };
};

struct CoordinationSection {
    std::string plugin;

    static constexpr std::string_view table = "coordination";
    static constexpr std::string_view description =
        "Where metadata is kept. Without it, the plugin is `local`.";
    static constexpr auto keys = std::tuple{
        key("plugin", &CoordinationSection::plugin,
            "The coordination plugin; `leat plugins` lists them.")
            .such_as("\"local\"")
            .needed(),
    };
};

struct ReplicationSection {
    std::string plugin;

    static constexpr std::string_view table = "replication.NAME";
    static constexpr std::string_view description =
        "An instance of a replication policy. [replication.single] with the plugin `single` is "
        "always there.";
    static constexpr auto keys = std::tuple{
        key("plugin", &ReplicationSection::plugin,
            "The replication plugin; `leat plugins` lists them.")
            .such_as("\"single\"")
            .needed(),
    };
};

// What topics get at creation; [topic_defaults.config] holds Kafka's topic configs beside it.
struct TopicSection {
    std::int32_t partitions = 1;
    std::int32_t replication_factor = 1;
    std::string storage;
    std::string replication = "single";
    bool auto_create = true;
    FlushRule flush;
    std::string validation = "header";

    static constexpr std::string_view table = "topic_defaults";
    static constexpr std::string_view description =
        "What a topic gets when its creation does not say otherwise. [topics.\"sensor-*\"] holds "
        "the same keys for topics of that name pattern.";
    static constexpr auto keys = std::tuple{
        key("partitions", &TopicSection::partitions, "How many partitions.").between(1, 10'000),
        key("replication_factor", &TopicSection::replication_factor, "Replicas of each partition.")
            .between(1, 100),
        key("storage", &TopicSection::storage,
            "The storage instance that keeps it; may be left out when there is only one.")
            .such_as("\"disk\""),
        key("replication", &TopicSection::replication, "The replication instance."),
        key("auto_create", &TopicSection::auto_create,
            "Whether a client that asks for a missing topic makes it."),
        key("flush", &TopicSection::flush,
            "When records are synced: \"none\" (the system decides), \"each\" (before the answer), "
            "or every so often, such as \"1s\"."),
        key("validation", &TopicSection::validation,
            "\"header\" checks batch header and checksum, \"full\" every record too.")
            .one_of("header|full"),
    };
};

struct InternalTopicsSection {
    std::string storage;
    std::string replication = "single";
    std::int32_t partitions = 50;
    std::int32_t replication_factor = 1;
    Size segment_size{100ull << 20};

    static constexpr std::string_view table = "internal_topics";
    static constexpr std::string_view description = "The broker's own topics.";
    static constexpr auto keys = std::tuple{
        key("storage", &InternalTopicsSection::storage,
            "The storage instance that keeps them; that of [topic_defaults] if it is left out.")
            .such_as("\"disk\""),
        key("replication", &InternalTopicsSection::replication, "The replication instance."),
        key("partitions", &InternalTopicsSection::partitions, "Partitions of each.")
            .between(1, 10'000),
        key("replication_factor", &InternalTopicsSection::replication_factor, "Replicas of each.")
            .between(1, 100),
        key("segment_size", &InternalTopicsSection::segment_size,
            "Bytes after which a segment ends: the last one of a partition is never compacted.")
            .between(1 << 20, INT32_MAX),
    };
};

struct LimitsSection {
    Size largest_frame{100ull << 20};
    Size memory_budget{256ull << 20};
    Size unsent_bytes{8ull << 20};
    std::int32_t connections = 10'000;
    std::int32_t connections_per_address = 5'000;
    std::int32_t requests_in_flight_per_connection = 100;
    std::chrono::milliseconds idle{std::chrono::minutes{10}};
    std::chrono::milliseconds partial_frame{std::chrono::seconds{30}};
    std::chrono::milliseconds write_stall{std::chrono::seconds{30}};
    std::int32_t fetch_sessions = 1000;
    std::int32_t log_lines_per_minute = 60;

    static constexpr std::string_view table = "limits";
    static constexpr std::string_view description = "What clients can make the broker hold.";
    static constexpr auto keys = std::tuple{
        key("largest_frame", &LimitsSection::largest_frame,
            "A longer request closes its connection. The budget keeps so much for one of them, "
            "so it may be three quarters of it at most.")
            .between(1 << 14, INT32_MAX),
        key("memory_budget", &LimitsSection::memory_budget,
            "For requests, until they are answered, and for answers, until they are sent; when it "
            "is spent, nothing more is read.")
            .between(1 << 20, 1ll << 46),
        key("unsent_bytes", &LimitsSection::unsent_bytes,
            "Answers that wait for one client; above it, its requests wait.")
            .between(1 << 16, INT32_MAX),
        key("connections", &LimitsSection::connections,
            "Of clients, open at once at all listeners; three quarters of the limit of open files "
            "at most.")
            .between(1, 1'000'000),
        key("connections_per_address", &LimitsSection::connections_per_address,
            "Open at once from one address.")
            .between(1, 1'000'000),
        key("requests_in_flight_per_connection", &LimitsSection::requests_in_flight_per_connection,
            "Requests of one client that wait for their answer; further ones are not read.")
            .between(1, 100'000),
        key("idle", &LimitsSection::idle, "A connection that says nothing for so long is closed.")
            .between(1000, 30ll * 86'400'000),
        key("partial_frame", &LimitsSection::partial_frame,
            "The longest time in which less than 4 KiB of a begun request come; a tenth of it "
            "while others wait for memory.")
            .between(100, 86'400'000),
        key("write_stall", &LimitsSection::write_stall,
            "The longest that a client may take none of the bytes sent to it; a tenth of it "
            "while others wait for memory.")
            .between(100, 86'400'000),
        key("fetch_sessions", &LimitsSection::fetch_sessions,
            "Incremental fetch sessions kept, of all clients; 0: every fetch is a full one.")
            .between(0, 1'000'000),
        key("log_lines_per_minute", &LimitsSection::log_lines_per_minute,
            "Log lines that one client address can cause; the rest is counted.")
            .between(1, 1'000'000),
    };
};

struct NetworkSection {
    std::int32_t shards = 0;
    std::int32_t workers = 8;
    std::string file_sending = "sendfile";
    Size send_buffer{256ull << 10};

    static constexpr std::string_view table = "network";
    static constexpr std::string_view description = "Threads and sockets.";
    static constexpr auto keys = std::tuple{
        key("shards", &NetworkSection::shards, "Event loops; 0 is one per core.").between(0, 256),
        key("workers", &NetworkSection::workers, "Threads that wait for disks.").between(1, 256),
        key("file_sending", &NetworkSection::file_sending,
            "How bytes of files reach sockets: \"sendfile\", or \"copy\" through a buffer.")
            .one_of("copy|sendfile"),
        key("send_buffer", &NetworkSection::send_buffer,
            "What the kernel keeps for one client; larger for fast distant ones; 0: it decides.")
            .between(0, 1 << 30),
    };
};

struct ProducersSection {
    std::chrono::milliseconds id_expiration{std::chrono::hours{24}};
    std::int32_t most_per_partition = 10'000;

    static constexpr std::string_view table = "producers";
    static constexpr std::string_view description = "What is remembered of idempotent producers.";
    static constexpr auto keys = std::tuple{
        key("id_expiration", &ProducersSection::id_expiration,
            "A producer that wrote nothing to a partition for so long is forgotten there.")
            .between(1000, 365ll * 86'400'000),
        key("most_per_partition", &ProducersSection::most_per_partition,
            "Producers remembered per partition; the quietest goes first.")
            .between(1, 10'000'000),
    };
};

struct RetentionSection {
    std::chrono::milliseconds check_interval{std::chrono::minutes{5}};

    static constexpr std::string_view table = "retention";
    static constexpr std::string_view description =
        "When old records go; how old, and how many bytes, are the topics' own configs.";
    static constexpr auto keys = std::tuple{
        key("check_interval", &RetentionSection::check_interval,
            "How often `retention.ms` and `retention.bytes` of the topics are looked at.")
            .between(1, 86'400'000),
    };
};

struct CompactionSection {
    std::chrono::milliseconds check_interval{std::chrono::seconds{15}};
    Size memory{128ll << 20};
    Size bytes_per_second{0};

    static constexpr std::string_view table = "compaction";
    static constexpr std::string_view description =
        "Topics whose cleanup.policy has `compact` keep the newest record of each key; when it is "
        "worth it, the topics' own configs say.";
    static constexpr auto keys = std::tuple{
        key("check_interval", &CompactionSection::check_interval,
            "How often the topics are looked at.")
            .between(1, 86'400'000),
        key("memory", &CompactionSection::memory,
            "For keys, 27 bytes each, of the logs that are compacted at a time, one on each shard; "
            "a log with more of them takes several passes.")
            .between(64 << 10, 1ll << 40),
        key("bytes_per_second", &CompactionSection::bytes_per_second,
            "Read and written together, over all shards, at most; 0: as fast as it goes.")
            .between(0, 1ll << 40),
    };
};

struct HttpSection {
    std::string listen;
    std::int32_t connections = 16;
    std::int32_t most_topics = 1000;

    static constexpr std::string_view table = "http";
    static constexpr std::string_view description =
        "Metrics and health for whoever watches the broker: docs/metrics.md. It only reads.";
    static constexpr auto keys = std::tuple{
        key("listen", &HttpSection::listen,
            "Address and port to answer HTTP at, without a password; port 0 takes a free one and "
            "prints it; empty: nowhere.")
            .such_as("\"127.0.0.1:9644\""),
        key("connections", &HttpSection::connections,
            "Open at once; the oldest one is closed for one more.")
            .between(1, 1000),
        key("most_topics", &HttpSection::most_topics,
            "Topics that have metrics of their own; the oldest have them.")
            .between(0, 100'000),
    };
};

struct LogSection {
    std::string level = "info";
    std::string format = "text";
    std::filesystem::path file;

    static constexpr std::string_view table = "log";
    static constexpr std::string_view description = "One line per event that matters.";
    static constexpr auto keys = std::tuple{
        key("level", &LogSection::level, "The least that is logged.")
            .one_of("debug|info|warn|error"),
        key("format", &LogSection::format, "\"text\" or \"json\".").one_of("text|json"),
        key("file", &LogSection::file, "Appended to; empty is the standard error output.")
            .such_as("\"broker.log\""),
    };
};

}  // namespace leat::config
