// Requests of members of consumer groups (classic protocol), and what a load generator must read of
// the answers. As kafka_frames.h, apart from core/wire on purpose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/net/descriptor.h"
#include "tests/bench/kafka_frames.h"

namespace leat::bench {

struct Membership {
    std::string group;
    std::string member;  // Empty: the coordinator gives one.
    std::int32_t generation = -1;
};

Bytes find_coordinator_v1(const std::string& group);
Bytes join_group_v3(const Membership& member);  // A consumer of the topic "bench".
// `other`: the one that the leader assigns for beside itself; empty from a follower.
Bytes sync_group_v2(const Membership& member, bool leads, const std::string& other);
Bytes heartbeat_v2(const Membership& member);
Bytes offset_commit_v7(const Membership& member, const Target& target);

// Of answers without their length. A failure is the error code; -1000 if it cannot be read.
struct Joined {
    std::int16_t error = 0;
    Membership member;
    bool leads = false;
    int members = 0;    // Told to the leader only.
    std::string other;  // One of them that is not the leader.
};
Joined joined(const std::string& group, std::string_view answer);
std::int16_t group_error(std::string_view answer);  // Of all but joins and commits.
std::int16_t commit_error(std::string_view answer);

// These will do when asked again: the coordinator is not there yet.
bool coordinator_is_coming(std::int16_t error);

// Makes a group of one member over this blocking connection. False: it says why on stderr.
bool join_alone(int socket, Membership& member);

}  // namespace leat::bench
