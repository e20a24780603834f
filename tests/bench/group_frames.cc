#include "tests/bench/group_frames.h"

#include <unistd.h>

#include <cstdio>

#include "tests/bench/measure.h"

namespace leat::bench {

namespace {

constexpr std::int16_t unreadable = -1000;
constexpr std::int32_t session_ms = 30'000;
constexpr std::int32_t rebalance_ms = 60'000;

Writer& sized(Writer& to, std::string_view bytes) {
    return to.number(static_cast<std::int32_t>(bytes.size())).raw(bytes);
}

Writer& put(Writer& to, const Membership& member) {
    return to.string(member.group).number(member.generation).string(member.member);
}

// What consumers say of themselves, and what they are told (both version 0).
Bytes subscription() {
    return Writer{}
        .number(std::int16_t{0})
        .number(std::int32_t{1})
        .string("bench")
        .number(std::int32_t{-1})
        .take();
}
Bytes assignment() {
    return Writer{}.number(std::int16_t{0}).number(std::int32_t{0}).number(std::int32_t{-1}).take();
}

}  // namespace

Bytes find_coordinator_v1(const std::string& group) {
    return framed(10, 1, Writer{}.string(group).number(std::int8_t{0}).take());
}

Bytes join_group_v3(const Membership& member) {
    Writer body;
    body.string(member.group).number(session_ms).number(rebalance_ms).string(member.member);
    body.string("consumer").number(std::int32_t{1}).string("range");
    return framed(11, 3, sized(body, subscription()).take());
}

Bytes sync_group_v2(const Membership& member, bool leads, const std::string& other) {
    Writer body;
    put(body, member).number(std::int32_t{leads} + std::int32_t{leads && !other.empty()});
    if (leads) sized(body.string(member.member), assignment());
    if (leads && !other.empty()) sized(body.string(other), assignment());
    return framed(14, 2, body.take());
}

Bytes heartbeat_v2(const Membership& member) {
    Writer body;
    return framed(12, 2, put(body, member).take());
}

Bytes offset_commit_v7(const Membership& member, const Target& target) {
    Writer body;
    put(body, member).number(std::int16_t{-1});  // Not a static member.
    body.number(std::int32_t{1}).string(target.topic).number(std::int32_t{1});
    body.number(target.partition).number(std::int64_t{1}).number(std::int32_t{-1}).string("");
    return framed(8, 7, body.take());
}

Joined joined(const std::string& group, std::string_view answer) {
    Reader reader{answer};
    reader.number<std::int64_t>();  // Correlation id, throttle time.
    Joined result;
    result.error = reader.number<std::int16_t>();
    result.member.group = group;
    result.member.generation = reader.number<std::int32_t>();
    reader.string();
    const std::string leader{reader.string()};
    result.member.member = reader.string();
    result.leads = leader == result.member.member;
    result.members = reader.number<std::int32_t>();
    for (int i = 0; i < result.members && reader.ok(); ++i) {
        const std::string member{reader.string()};
        reader.raw(reader.number<std::int32_t>());
        if (member != leader) result.other = member;
    }
    if (!reader.ok()) result.error = unreadable;
    return result;
}

std::int16_t group_error(std::string_view answer) {
    Reader reader{answer};
    reader.number<std::int64_t>();  // Correlation id, throttle time.
    const auto error = reader.number<std::int16_t>();
    return reader.ok() ? error : unreadable;
}

std::int16_t commit_error(std::string_view answer) {
    Reader reader{answer};
    reader.number<std::int64_t>();  // Correlation id, throttle time.
    reader.number<std::int32_t>();
    reader.string();
    reader.number<std::int64_t>();  // One partition, its index.
    const auto error = reader.number<std::int16_t>();
    return reader.ok() ? error : unreadable;
}

bool coordinator_is_coming(std::int16_t error) {
    return error == 14 || error == 15 || error == 16;  // Loads; not available; another one.
}

bool join_alone(int socket, Membership& member) {
    const std::int64_t deadline = now_ns() + 60'000'000'000;
    std::int16_t error = 15;
    while (coordinator_is_coming(error) && now_ns() < deadline) {
        error = group_error(ask(socket, find_coordinator_v1(member.group)));
        if (error == 0) {
            const Joined got = joined(member.group, ask(socket, join_group_v3(member)));
            error = got.error;
            if (error == 0) member = got.member;
        }
        if (error == 0) error = group_error(ask(socket, sync_group_v2(member, true, "")));
        if (error == 0) return true;
        ::usleep(20'000);
    }
    std::fprintf(stderr, "group %s cannot be joined: error %d\n", member.group.c_str(), error);
    return false;
}

}  // namespace leat::bench
