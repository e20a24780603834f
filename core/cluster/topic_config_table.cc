// The table behind topic_config.h. Defaults and ranges are those of Apache Kafka 4.4's LogConfig.
#include "core/cluster/topic_config.h"

#include <algorithm>
#include <iterator>

namespace leat::cluster {

namespace {

constexpr double most_int64 = 9223372036854775808.0;  // Parsing has the exact limit.
constexpr double least_int64 = -9223372036854775808.0;

constexpr TopicConfigKey keys[] = {
    {.name = "cleanup.policy",
     .type = ConfigType::list,
     .fallback = "delete",
     .choices = "compact|delete",
     .broker_name = "log.cleanup.policy",
     .effect = ConfigEffect::effective,
     .documentation =
         "What happens to old data: `delete` drops segments past their retention, "
         "`compact` keeps the newest record of each key."},
    {.name = "compression.gzip.level",
     .type = ConfigType::int32,
     .fallback = "-1",
     .least = -1,
     .most = 9,
     .broker_name = "compression.gzip.level",
     .effect = ConfigEffect::none,
     .documentation =
         "Level for gzip where a broker compresses. Leat stores batches as producers "
         "compressed them."},
    {.name = "compression.lz4.level",
     .type = ConfigType::int32,
     .fallback = "9",
     .least = 1,
     .most = 17,
     .broker_name = "compression.lz4.level",
     .effect = ConfigEffect::none,
     .documentation =
         "Level for lz4 where a broker compresses. Leat stores batches as producers "
         "compressed them."},
    {.name = "compression.type",
     .type = ConfigType::string,
     .fallback = "producer",
     .choices = "uncompressed|zstd|lz4|snappy|gzip|producer",
     .broker_name = "compression.type",
     .effect = ConfigEffect::refused,
     .documentation =
         "`producer`: batches are kept as they came. Leat never compresses again, so no "
         "other value is accepted."},
    {.name = "compression.zstd.level",
     .type = ConfigType::int32,
     .fallback = "3",
     .least = -131072,
     .most = 22,
     .broker_name = "compression.zstd.level",
     .effect = ConfigEffect::none,
     .documentation =
         "Level for zstd where a broker compresses. Leat stores batches as producers "
         "compressed them."},
    {.name = "delete.retention.ms",
     .type = ConfigType::int64,
     .fallback = "86400000",
     .least = 0,
     .most = most_int64,
     .broker_name = "log.cleaner.delete.retention.ms",
     .effect = ConfigEffect::effective,
     .documentation =
         "How long a compacted topic keeps a tombstone after compaction has seen it."},
    {.name = "errors.deadletterqueue.group.enable",
     .type = ConfigType::boolean,
     .fallback = "false",
     .effect = ConfigEffect::none,
     .documentation =
         "Whether share groups may use this topic as their dead letter queue."},
    {.name = "file.delete.delay.ms",
     .type = ConfigType::int64,
     .fallback = "60000",
     .least = 0,
     .most = most_int64,
     .broker_name = "log.segment.delete.delay.ms",
     .effect = ConfigEffect::none,
     .documentation =
         "How long a deleted file stays on disk for readers that hold it. Leat keeps it "
         "exactly as long as a reader does."},
    {.name = "flush.messages",
     .type = ConfigType::int64,
     .fallback = "9223372036854775807",
     .least = 1,
     .most = most_int64,
     .broker_name = "log.flush.interval.messages",
     .effect = ConfigEffect::effective,
     .documentation =
         "Records after which the log is synced to the device. 1: a produce is "
         "acknowledged after its sync."},
    {.name = "flush.ms",
     .type = ConfigType::int64,
     .fallback = "9223372036854775807",
     .least = 0,
     .most = most_int64,
     .broker_name = "log.flush.interval.ms",
     .effect = ConfigEffect::effective,
     .documentation =
         "Longest time that an appended record stays without a sync to the device. 0: a "
         "produce is acknowledged after its sync."},
    {.name = "follower.replication.throttled.replicas",
     .type = ConfigType::list,
     .fallback = "",
     .effect = ConfigEffect::none,
     .documentation =
         "Replicas whose replication is throttled on the follower's side, as "
         "partition:broker, or `*`."},
    {.name = "index.interval.bytes",
     .type = ConfigType::int32,
     .fallback = "4096",
     .least = 0,
     .most = 2147483647,
     .broker_name = "log.index.interval.bytes",
     .effect = ConfigEffect::effective,
     .documentation =
         "Bytes of log between two entries of its offset index."},
    {.name = "leader.replication.throttled.replicas",
     .type = ConfigType::list,
     .fallback = "",
     .effect = ConfigEffect::none,
     .documentation =
         "Replicas whose replication is throttled on the leader's side, as "
         "partition:broker, or `*`."},
    {.name = "leat.replication.policy",
     .type = ConfigType::string,
     .fallback = "",
     .effect = ConfigEffect::fixed,
     .documentation =
         "Instance of the replication policy that this topic follows. Fixed when the "
         "topic is created."},
    {.name = "leat.storage.engine",
     .type = ConfigType::string,
     .fallback = "",
     .effect = ConfigEffect::fixed,
     .documentation =
         "Instance of the storage engine that keeps this topic. Fixed when the topic is "
         "created."},
    {.name = "leat.validation",
     .type = ConfigType::string,
     .fallback = "batch",
     .choices = "batch|full",
     .effect = ConfigEffect::effective,
     .documentation =
         "`batch`: the header and checksum of each batch are verified. `full`: each "
         "record in it as well."},
    {.name = "local.retention.bytes",
     .type = ConfigType::int64,
     .fallback = "-2",
     .least = -2,
     .most = most_int64,
     .broker_name = "log.local.retention.bytes",
     .effect = ConfigEffect::none,
     .documentation =
         "Bytes that a tiered topic keeps on the broker. Leat has no tiered storage."},
    {.name = "local.retention.ms",
     .type = ConfigType::int64,
     .fallback = "-2",
     .least = -2,
     .most = most_int64,
     .broker_name = "log.local.retention.ms",
     .effect = ConfigEffect::none,
     .documentation =
         "Time that a tiered topic keeps data on the broker. Leat has no tiered storage."},
    {.name = "max.compaction.lag.ms",
     .type = ConfigType::int64,
     .fallback = "9223372036854775807",
     .least = 1,
     .most = most_int64,
     .broker_name = "log.cleaner.max.compaction.lag.ms",
     .effect = ConfigEffect::effective,
     .documentation =
         "Longest time that a record stays out of reach of compaction."},
    {.name = "max.decompressed.message.bytes",
     .type = ConfigType::int32,
     .fallback = "2147483639",
     .least = 1,
     .most = 2147483639,
     .broker_name = "max.decompressed.message.bytes",
     .effect = ConfigEffect::none,
     .documentation =
         "Largest size of a batch after decompression. Leat has bounds of its own."},
    {.name = "max.message.bytes",
     .type = ConfigType::int32,
     .fallback = "1048588",
     .least = 0,
     .most = 2147483647,
     .broker_name = "message.max.bytes",
     .effect = ConfigEffect::effective,
     .documentation =
         "Largest batch, as stored, that is accepted."},
    {.name = "message.timestamp.after.max.ms",
     .type = ConfigType::int64,
     .fallback = "3600000",
     .least = 0,
     .most = most_int64,
     .broker_name = "log.message.timestamp.after.max.ms",
     .effect = ConfigEffect::effective,
     .documentation =
         "How far a record's timestamp may lie in the broker's future. Not checked with "
         "LogAppendTime."},
    {.name = "message.timestamp.before.max.ms",
     .type = ConfigType::int64,
     .fallback = "9223372036854775807",
     .least = 0,
     .most = most_int64,
     .broker_name = "log.message.timestamp.before.max.ms",
     .effect = ConfigEffect::effective,
     .documentation =
         "How far a record's timestamp may lie in the broker's past. Not checked with "
         "LogAppendTime."},
    {.name = "message.timestamp.type",
     .type = ConfigType::string,
     .fallback = "CreateTime",
     .choices = "CreateTime|LogAppendTime",
     .broker_name = "log.message.timestamp.type",
     .effect = ConfigEffect::effective,
     .documentation =
         "Whose clock a record's timestamp is from: the producer's, or the broker's at "
         "append."},
    {.name = "min.cleanable.dirty.ratio",
     .type = ConfigType::float64,
     .fallback = "0.5",
     .least = 0,
     .most = 1,
     .broker_name = "log.cleaner.min.cleanable.ratio",
     .effect = ConfigEffect::effective,
     .documentation =
         "Share of a compacted log that must be uncompacted before it is compacted "
         "again."},
    {.name = "min.compaction.lag.ms",
     .type = ConfigType::int64,
     .fallback = "0",
     .least = 0,
     .most = most_int64,
     .broker_name = "log.cleaner.min.compaction.lag.ms",
     .effect = ConfigEffect::effective,
     .documentation =
         "Shortest time that a record is safe from compaction."},
    {.name = "min.insync.replicas",
     .type = ConfigType::int32,
     .fallback = "1",
     .least = 1,
     .most = 2147483647,
     .broker_name = "min.insync.replicas",
     .effect = ConfigEffect::effective,
     .documentation =
         "In-sync replicas that a produce with acks=all needs."},
    {.name = "preallocate",
     .type = ConfigType::boolean,
     .fallback = "false",
     .broker_name = "log.preallocate",
     .effect = ConfigEffect::none,
     .documentation =
         "Whether a segment's file is made at full size. An option of Leat's storage "
         "engines instead."},
    {.name = "remote.copy.lag.bytes",
     .type = ConfigType::int64,
     .fallback = "-1",
     .least = -1,
     .most = most_int64,
     .broker_name = "log.remote.copy.lag.bytes",
     .effect = ConfigEffect::none,
     .documentation =
         "Bytes that tiered storage stays behind the log. Leat has no tiered storage."},
    {.name = "remote.copy.lag.ms",
     .type = ConfigType::int64,
     .fallback = "0",
     .least = -1,
     .most = most_int64,
     .broker_name = "log.remote.copy.lag.ms",
     .effect = ConfigEffect::none,
     .documentation =
         "Time that tiered storage stays behind the log. Leat has no tiered storage."},
    {.name = "remote.log.copy.disable",
     .type = ConfigType::boolean,
     .fallback = "false",
     .effect = ConfigEffect::none,
     .documentation =
         "Makes the tiered part of a topic read-only. Leat has no tiered storage."},
    {.name = "remote.log.delete.on.disable",
     .type = ConfigType::boolean,
     .fallback = "false",
     .effect = ConfigEffect::none,
     .documentation =
         "Whether tiered data goes when tiering is switched off. Leat has no tiered "
         "storage."},
    {.name = "remote.storage.enable",
     .type = ConfigType::boolean,
     .fallback = "false",
     .effect = ConfigEffect::refused,
     .documentation =
         "Tiered storage, which Leat does not have: only `false` is accepted."},
    {.name = "retention.bytes",
     .type = ConfigType::int64,
     .fallback = "-1",
     .least = least_int64,
     .most = most_int64,
     .broker_name = "log.retention.bytes",
     .effect = ConfigEffect::effective,
     .documentation =
         "Bytes of a partition above which its oldest segments are deleted. -1: no "
         "limit."},
    {.name = "retention.ms",
     .type = ConfigType::int64,
     .fallback = "604800000",
     .least = -1,
     .most = most_int64,
     .broker_name = "log.retention.ms",
     .effect = ConfigEffect::effective,
     .documentation =
         "Age above which a partition's oldest segments are deleted. -1: no limit."},
    {.name = "segment.bytes",
     .type = ConfigType::int32,
     .fallback = "1073741824",
     .least = 1048576,
     .most = 2147483647,
     .broker_name = "log.segment.bytes",
     .effect = ConfigEffect::effective,
     .documentation =
         "Size at which a segment is closed and the next one begun."},
    {.name = "segment.index.bytes",
     .type = ConfigType::int32,
     .fallback = "10485760",
     .least = 4,
     .most = 2147483647,
     .broker_name = "log.index.size.max.bytes",
     .effect = ConfigEffect::none,
     .documentation =
         "Largest size of an index file. A Leat index is as large as segment.bytes and "
         "index.interval.bytes make it."},
    {.name = "segment.jitter.ms",
     .type = ConfigType::int64,
     .fallback = "0",
     .least = 0,
     .most = most_int64,
     .broker_name = "log.roll.jitter.ms",
     .effect = ConfigEffect::none,
     .documentation =
         "Random time taken off segment.ms, so that segments do not all close at once."},
    {.name = "segment.ms",
     .type = ConfigType::int64,
     .fallback = "604800000",
     .least = 1,
     .most = most_int64,
     .broker_name = "log.roll.ms",
     .effect = ConfigEffect::effective,
     .documentation =
         "Time after which a segment is closed even if it is not full."},
    {.name = "unclean.leader.election.enable",
     .type = ConfigType::boolean,
     .fallback = "false",
     .broker_name = "unclean.leader.election.enable",
     .effect = ConfigEffect::none,
     .documentation =
         "Whether a replica that may miss records can become the leader when no other is "
         "left."},
};

static_assert(std::ranges::is_sorted(keys, {}, &TopicConfigKey::name));

}  // namespace

std::span<const TopicConfigKey> topic_config_keys() { return keys; }

const TopicConfigKey* find_topic_config(std::string_view name) {
    const auto* found = std::ranges::lower_bound(keys, name, {}, &TopicConfigKey::name);
    return found == std::end(keys) || found->name != name ? nullptr : found;
}

}  // namespace leat::cluster
