// What must never happen, watched from outside: it hears what clients were told and shown, and what
// the disk lost, and compares.
//
//   acknowledged   within the topic's promise it is there at the end, at the offset that was told,
//                  with the timestamp that was told
//   an offset      means one record for ever, once anybody was told of it or shown it; unless a
//                  crash beyond the promise took it away
//   a record       has one place, in one life of one topic; what is sent once is there once, and
//                  what an idempotent producer sends again too; its records keep their order
//   append times   go back only where the broker's wall clock was set back
//
// Promises (flush.messages, flush.ms): none survives the end of the process; interval also that of
// the machine once it is old enough, if the process that acknowledged it lived that long (after a
// kill nobody syncs a log until it is opened again); each always. A disk whose sync fails takes
// back what only rested on the page cache, so it excuses all but `each`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/simulation/disk.h"
#include "tests/simulation/lives.h"
#include "tests/simulation/world.h"

namespace leat::simulation {

struct SentRecord {
    std::string value;
    sdk::Timestamp timestamp;
};

struct SeenRecord {
    std::int64_t offset;
    std::string value;
    sdk::Timestamp timestamp;

    bool operator==(const SeenRecord&) const = default;
};

// "i3-17" is record 17 of idempotent producer 3, "p4-9" of one without sequence numbers.
std::string record_value(bool idempotent, int producer, int number);

class Checker {
public:
    explicit Checker(World& world) : world_{world} {}

    TopicLives& lives() { return lives_; }
    const TopicLives& lives() const { return lives_; }

    void acknowledged(const Place& where, std::int64_t base, const std::vector<SentRecord>& sent);
    void shown(const Place& where, const SeenRecord& record);
    void lost(const std::vector<Loss>& losses, bool machine);

    // The first record that an idempotent producer sends into this place is that of this number.
    void begins(const Place& where, int producer, int number);
    // It gives up on these: they may have reached one topic of the name, and the next one too.
    void gave_up(const std::vector<SentRecord>& sent);
    void died(const Place& where);

    // An acknowledged record was lost, as it may be.
    bool lossy(const Place& where) const { return lossy_.contains(where); }
    // A log that ended above `position` may have ended below it since.
    bool may_end_below(const Place& where, std::int64_t position) const;

    // At the end: what is stored, which is also what a reader from the start has seen.
    void compare(const Place& where, const std::vector<SeenRecord>& stored);

    void violated(const std::string& what);
    const std::optional<std::string>& violation() const { return violation_; }
    std::uint64_t told_records() const { return told_records_; }

private:
    struct Told {
        std::string value;
        sdk::Timestamp timestamp;
        sdk::Instant at;
        bool acknowledged = false;
    };
    using Records = std::map<std::int64_t, Told>;

    Told& tell(const Place& where, const SeenRecord& record);
    void has_one_place(const Place& where, const SeenRecord& record);
    bool promised(const Life& life, const Told& told, const Loss& loss) const;
    void compare_order(const Place& where, const std::vector<SeenRecord>& stored);
    void compare_times(const Place& where, const std::vector<SeenRecord>& stored);
    const Life* life_of(const Place& where) const;

    World& world_;
    TopicLives lives_;
    std::map<Place, Records> told_;
    std::map<std::string, std::pair<Place, std::int64_t>> places_;  // By value.
    std::set<std::string> given_up_;
    std::map<std::pair<Place, std::string>, int> first_numbers_;  // By producer, "i3".
    std::map<Place, std::int64_t> lowest_end_;
    std::set<Place> lossy_;
    sdk::Instant run_began_{0};  // Of the broker's process.
    std::optional<std::string> violation_;
    std::uint64_t told_records_ = 0;
};

// The records of stored or fetched batches.
std::vector<SeenRecord> records_in(std::span<const std::byte> batches);

}  // namespace leat::simulation
