// Many consumer groups of a few members each: how long until all are stable, from nothing, and how
// long until all are heard again after their broker was killed and started.
//
//   groups --broker 127.0.0.1:9092 --groups 1000 --members 2
//
// A group is stable when all its members have had a heartbeat in one generation. Then it says so,
// as one JSON object in a line, and each line on its standard input has it measure once more: send
// one when the broker has ended, right before it is started. Exit code 1: something failed.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>

#include "core/net/descriptor.h"
#include "tests/bench/arguments.h"
#include "tests/bench/group_frames.h"
#include "tests/bench/measure.h"

namespace leat::bench {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t between_heartbeats = 50 * ms;
constexpr std::int64_t between_tries = 5 * ms;  // While the broker is not there.
constexpr std::int64_t patience = 120'000 * ms;

// One member: one connection, one request at a time.
class Member {
public:
    Member(std::string group, std::string broker) : broker_{std::move(broker)} {
        who_.group = std::move(group);
    }

    std::int32_t generation() const { return heard_ ? who_.generation : -1; }
    int joins() const { return joins_; }
    int socket() const { return socket_.get(); }
    void forget_heartbeat() { heard_ = false; }

    // Connects and sends what is next, if nothing is under way; true when it has a new socket.
    bool go(std::int64_t now) {
        if (waiting_ || now < not_before_) return false;
        const bool connects = !socket_;
        if (connects && !connect(now)) return false;
        send();
        return connects;
    }
    void receive(std::int64_t now);

private:
    enum class Step { find, join, sync, heartbeat };

    bool connect(std::int64_t now) {
        socket_ = dial(broker_);
        not_before_ = socket_ ? now : now + between_tries;
        incoming_.clear();
        if (step_ == Step::sync) step_ = Step::join;
        return static_cast<bool>(socket_);
    }
    void send();
    void answered(std::string_view answer, std::int64_t now);
    void failed(std::int16_t error, std::int64_t now);
    void drop(std::int64_t now) {
        socket_.reset();
        waiting_ = false;
        not_before_ = now + between_tries;
    }

    std::string broker_;
    Membership who_;
    net::Descriptor socket_;
    Step step_ = Step::find;
    bool waiting_ = false;
    bool heard_ = false;
    bool leads_ = false;
    std::string other_;
    std::int64_t not_before_ = 0;
    int joins_ = 0;
    Bytes incoming_;
};

void Member::send() {
    const Bytes frame = step_ == Step::find   ? find_coordinator_v1(who_.group)
                        : step_ == Step::join ? join_group_v3(who_)
                        : step_ == Step::sync ? sync_group_v2(who_, leads_, other_)
                                              : heartbeat_v2(who_);
    const auto size = static_cast<ssize_t>(frame.size());
    if (::send(socket_.get(), frame.data(), frame.size(), MSG_NOSIGNAL) != size) return drop(0);
    waiting_ = true;
}

void Member::receive(std::int64_t now) {
    std::array<char, 4096> piece;
    const ssize_t n = ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (n <= 0) return drop(now);
    incoming_.append(piece.data(), static_cast<std::size_t>(n));
    if (incoming_.size() < 4) return;
    const auto size = static_cast<std::size_t>(number_at(incoming_.data()));
    if (incoming_.size() < 4 + size) return;
    waiting_ = false;
    const Bytes answer = incoming_.substr(4, size);
    incoming_.erase(0, 4 + size);
    answered(answer, now);
}

void Member::answered(std::string_view answer, std::int64_t now) {
    if (step_ == Step::join) {
        Joined got = joined(who_.group, answer);
        if (got.error != 0) return failed(got.error, now);
        ++joins_;
        who_ = std::move(got.member);
        leads_ = got.leads;
        other_ = std::move(got.other);
        step_ = Step::sync;
        return;
    }
    const std::int16_t error = group_error(answer);
    if (error != 0) return failed(error, now);
    if (step_ == Step::heartbeat) {
        heard_ = true;
        not_before_ = now + between_heartbeats;
    }
    if (step_ == Step::find) step_ = Step::join;
    if (step_ == Step::sync) step_ = Step::heartbeat;
}

void Member::failed(std::int16_t error, std::int64_t now) {
    constexpr std::int16_t unknown_member = 25;
    if (coordinator_is_coming(error)) {
        not_before_ = now + between_tries;
        return;
    }
    heard_ = false;
    if (error == unknown_member) who_.member.clear();
    step_ = Step::join;  // A rebalance, or another generation than it thought.
}

class Groups {
public:
    explicit Groups(const Arguments& given)
        : size_{static_cast<std::size_t>(given.number("members", 2))},
          epoll_{::epoll_create1(EPOLL_CLOEXEC)} {
        const int groups = given.number("groups", 1000);
        for (int i = 0; i < groups; ++i) {
            for (std::size_t k = 0; k < size_; ++k) {
                members_.push_back(std::make_unique<Member>(
                    "bench-group-" + std::to_string(i), given.text("broker", "127.0.0.1:9092")));
            }
        }
    }

    // Seconds until each group is stable; negative: not in time.
    double settle() {
        const std::int64_t begun = now_ns();
        std::int64_t now = begun;
        while (!stable()) {
            if (now - begun > patience) return -1;
            turn(now);
            now = now_ns();
        }
        return static_cast<double>(now - begun) / 1e9;
    }
    int joins() const {
        int sum = 0;
        for (const auto& member : members_) sum += member->joins();
        return sum;
    }
    void forget_heartbeats() {
        for (const auto& member : members_) member->forget_heartbeat();
    }

private:
    void turn(std::int64_t now) {
        for (const auto& member : members_) {
            if (!member->go(now)) continue;
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.ptr = member.get();
            ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, member->socket(), &event);
        }
        std::array<epoll_event, 256> events;
        const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), 1);
        for (int i = 0; i < count; ++i) {
            static_cast<Member*>(events[static_cast<std::size_t>(i)].data.ptr)->receive(now_ns());
        }
    }
    bool stable() const {
        for (std::size_t i = 0; i < members_.size(); i += size_) {
            const std::int32_t generation = members_[i]->generation();
            if (generation < 0) return false;
            for (std::size_t k = 1; k < size_; ++k) {
                if (members_[i + k]->generation() != generation) return false;
            }
        }
        return true;
    }

    const std::size_t size_;
    const net::Descriptor epoll_;
    std::vector<std::unique_ptr<Member>> members_;
};

int measure(const Arguments& given) {
    Groups groups{given};
    do {
        const int joins = groups.joins();
        const double seconds = groups.settle();
        if (seconds < 0) {
            std::fprintf(stderr, "groups: they are not stable in two minutes\n");
            return 1;
        }
        std::printf("{\"seconds\":%.3f,\"joins\":%d}\n", seconds, groups.joins() - joins);
        std::fflush(stdout);
        groups.forget_heartbeats();
    } while (std::getchar() != EOF);
    return 0;
}

}  // namespace
}  // namespace leat::bench

int main(int count, char** words) {
    return leat::bench::measure(leat::bench::Arguments{count, words});
}
