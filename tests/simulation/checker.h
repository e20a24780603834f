// What must never happen, watched from outside: it hears what clients were told and shown, and what
// the disk lost, and compares.
//
//   acknowledged   within the topic's promise it is there at the end, at the offset that was told
//   an offset      means one record for ever, once anybody was told of it or shown it; unless a
//                  crash beyond the promise took it away
//   idempotent     a record has one place, and a producer's records keep their order
//
// Promises (flush.messages, flush.ms): none survives the end of the process; interval also that of
// the machine once it is old enough, if the process that acknowledged it lived that long (after a
// kill nobody syncs a log until it is opened again); each always. A disk whose sync fails takes
// back what only rested on the page cache, so it excuses all but `each`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/broker/flush_schedule.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/world.h"

namespace leat::simulation {

using TopicPartition = std::pair<std::string, std::int32_t>;

struct SeenRecord {
    std::int64_t offset;
    std::string value;
};

// "i3-17" is record 17 of idempotent producer 3, "p4-9" of one without sequence numbers.
std::string record_value(bool idempotent, int producer, int number);

class Checker {
public:
    explicit Checker(World& world) : world_{world} {}

    void add_topic(const std::string& topic, broker::FlushPromise promise) {
        promises_[topic] = promise;
    }

    void acknowledged(const TopicPartition& where, std::int64_t base,
                      const std::vector<std::string>& values);
    void shown(const TopicPartition& where, const SeenRecord& record);
    void lost(const std::vector<Loss>& losses, bool machine);

    // An acknowledged record was lost, as it may be.
    bool lossy(const TopicPartition& where) const { return lossy_.contains(where); }
    // A log that ended above `position` may have ended below it since.
    bool may_end_below(const TopicPartition& where, std::int64_t position) const;

    // At the end: what is stored, which is also what a reader from the start has seen.
    void compare(const TopicPartition& where, const std::vector<SeenRecord>& stored);

    void violated(const std::string& what);
    const std::optional<std::string>& violation() const { return violation_; }
    std::uint64_t told_records() const { return told_records_; }

private:
    struct Told {
        std::string value;
        sdk::Instant at;
        bool acknowledged = false;
    };
    using Records = std::map<std::int64_t, Told>;

    Told& tell(const TopicPartition& where, std::int64_t offset, const std::string& value);
    bool promised(const std::string& topic, const Told& told, const Loss& loss) const;

    World& world_;
    std::map<std::string, broker::FlushPromise> promises_;
    std::map<TopicPartition, Records> told_;
    std::map<TopicPartition, std::map<std::string, std::int64_t>> places_;  // Of idempotent ones.
    std::map<TopicPartition, std::int64_t> lowest_end_;
    std::map<TopicPartition, bool> lossy_;
    sdk::Instant run_began_{0};  // Of the broker's process.
    std::optional<std::string> violation_;
    std::uint64_t told_records_ = 0;
};

// The records of stored or fetched batches.
std::vector<SeenRecord> records_in(std::span<const std::byte> batches);

}  // namespace leat::simulation
