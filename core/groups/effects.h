// What a group's machine asks of the one who runs it. Machines decide and change soft state; a
// driver appends the records, replays them, and lets answers go when what they say is committed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/groups/assignment_request.h"
#include "core/wire/group_records/group_record.h"
#include "core/wire/messages/join_group.h"
#include "core/wire/messages/sync_group.h"
#include "leat/sdk/shard.h"
#include "leat/sdk/strong.h"

namespace leat::groups {

using Record = wire::GroupRecord;

// A request that may be answered later. The driver's; unique while its answer is due.
enum class Ticket : std::uint64_t {};

// Steady for deadlines, wall clock for what is written down.
struct Now {
    sdk::Instant steady{};
    sdk::Timestamp wall{};
};

struct Answer {
    Ticket ticket;
    std::variant<wire::JoinGroupResponse, wire::SyncGroupResponse> response;
};

struct Effects {
    // Appended together, in this order, before anything that is decided later.
    std::vector<Record> records;
    // May leave when `records`, and all that this coordinator had appended before, are committed.
    std::vector<Answer> answers;
    std::vector<AssignmentRequest> assignments;  // Told to Coordinator::assigned().
    std::vector<std::string> notes;              // Sentences for the log.
};

}  // namespace leat::groups
