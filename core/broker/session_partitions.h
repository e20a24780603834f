// The partitions of one fetch session (KIP-227): what its client asks of each and was told of it,
// and which of them have to be looked at. A machine: whoever drives it reads logs and leaves
// watches.
//
//   ask() ---> changed ---take_changed(), a look, answered()---> settled: nothing to tell
//                 ^                                                  |
//                 |<---------- moved(): its watch was told ----------|
//                 |<---------- answered() with something to tell ----'
//
// A fetch looks at those that have changed only, so that it costs what has changed: thousands of
// idle partitions cost it nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/wire/error_code.h"
#include "leat/sdk/strong.h"
#include "leat/sdk/uuid.h"

namespace leat::broker {

// As requests name it: by name, or by id, and then the name is empty until it has become known.
struct SessionTopic {
    std::string name;
    sdk::Uuid id;
};

class SessionPartitions {
public:
    // Of a partition, as long as it is in the session; then of another one.
    using Slot = std::uint32_t;

    struct Asked {
        sdk::Offset from;
        std::int32_t max_bytes = 0;
        sdk::LeaderEpoch current_epoch{-1};
        sdk::LeaderEpoch last_fetched_epoch{-1};
    };
    // What a look has found.
    struct Seen {
        wire::ErrorCode error = wire::ErrorCode::none;
        sdk::Offset high_watermark{-1};
        sdk::Offset log_start{-1};
        bool records = false;
        bool diverging = false;
        bool settled =
            false;  // Nothing more to tell until the partition moves, and that is watched.
    };

    explicit SessionPartitions(bool by_id) : by_id_{by_id} {}

    std::size_t size() const { return by_name_.size(); }

    // Adds it, or changes what is asked of it; in either case it is to be looked at.
    Slot ask(const SessionTopic& topic, std::int32_t index, const Asked& asked);
    // The slot that it has left, if it was there.
    std::optional<Slot> forget(const SessionTopic& topic, std::int32_t index);

    // True if that is news.
    bool moved(Slot slot);

    // Those to look at, in the order in which records are given: who got some goes to the end, so
    // that a full answer starves none (Kafka's order too).
    std::vector<Slot> take_changed();

    // The look ended in an answer. True if the partition has to be in it: records, an error, a
    // high watermark or a log start that the client was not told.
    bool answered(Slot slot, const Seen& seen);
    // As it was told in the full answer that began the session: it is looked at once more.
    void began(Slot slot, const Seen& seen);
    // It ended in none.
    void not_answered(Slot slot);

    SessionTopic& topic(Slot slot) { return topics_[partitions_[slot].topic].is; }
    std::int32_t index(Slot slot) const { return partitions_[slot].index; }
    const Asked& asked(Slot slot) const { return partitions_[slot].asked; }
    // An error that the client was told and has not answered by asking for something else.
    wire::ErrorCode told_error(Slot slot) const { return partitions_[slot].told_error; }

private:
    enum class State : std::uint8_t { unused, changed, settled };
    struct Topic {
        SessionTopic is;
        std::size_t partitions = 0;
    };
    struct Partition {
        std::uint32_t topic = 0;
        std::int32_t index = 0;
        Asked asked;
        sdk::Offset told_high_watermark{-1};
        sdk::Offset told_log_start{-1};
        std::uint64_t turn = 0;
        wire::ErrorCode told_error = wire::ErrorCode::none;
        State state = State::unused;
    };
    using Name = std::uint64_t;  // The topic's place, and the index.

    std::optional<std::uint32_t> find_topic(const SessionTopic& topic) const;
    std::uint32_t add_topic(const SessionTopic& topic);
    void let_go_of_topic(std::uint32_t place);
    void change(Slot slot);
    bool tell(Partition& partition, const Seen& seen);

    const bool by_id_;
    std::vector<Topic> topics_;
    std::vector<std::uint32_t> unused_topics_;
    std::map<std::string, std::uint32_t, std::less<>> topics_by_name_;
    std::map<sdk::Uuid, std::uint32_t> topics_by_id_;

    std::vector<Partition> partitions_;
    std::vector<Slot> unused_;
    std::map<Name, Slot> by_name_;  // No hash: clients choose the names.
    std::vector<Slot> changed_;
    std::uint64_t last_turn_ = 0;
};

}  // namespace leat::broker
