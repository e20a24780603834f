#include "tests/bench/measure.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>

namespace leat::bench {

std::int64_t now_ns() {
    timespec at{};
    ::clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1'000'000'000 + at.tv_nsec;
}

double Histogram::percentile_us(double percent) const {
    const double wanted = percent / 100 * static_cast<double>(total_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        seen += counts_[i];
        if (seen == 0 || static_cast<double>(seen) < wanted) continue;
        const std::size_t shift = i < 128 ? 0 : i / 64 - 1;
        const std::size_t value = i - shift * 64;
        return static_cast<double>(value << shift) / 1000;
    }
    return most_us();
}

double cpu_seconds(int pid) {
    if (pid == 0) return 0;
    std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto after_name = text.rfind(')');
    if (after_name == std::string::npos) return 0;
    std::istringstream fields{text.substr(after_name + 1)};
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

net::Descriptor dial(std::string_view host_and_port) {
    const auto colon = host_and_port.rfind(':');
    const std::string host{host_and_port.substr(0, colon)};
    const std::string port{host_and_port.substr(colon + 1)};
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return {};
    net::Descriptor socket{::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (::connect(socket.get(), found->ai_addr, found->ai_addrlen) != 0) socket.reset();
    ::freeaddrinfo(found);
    const int on = 1;
    if (socket) ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return socket;
}

Bytes ask(int socket, std::string_view frame) {
    while (!frame.empty()) {
        const ssize_t n = ::send(socket, frame.data(), frame.size(), MSG_NOSIGNAL);
        if (n <= 0) return {};
        frame.remove_prefix(static_cast<std::size_t>(n));
    }
    const auto receive = [socket](std::size_t size) {
        Bytes bytes(size, '\0');
        return ::recv(socket, bytes.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size)
                   ? bytes
                   : Bytes{};
    };
    const Bytes length = receive(4);
    return length.empty() ? Bytes{} : receive(static_cast<std::size_t>(number_at(length.data())));
}

namespace {

// Kafka tells of a leader some time before that leader takes requests: asks until it does.
bool waits_until_it_leads(int socket, const Target& target, std::int64_t deadline) {
    const Bytes question = fetch_v11(target, {.max_wait_ms = 0, .min_bytes = 0});
    while (now_ns() < deadline) {
        if (fetched(ask(socket, question)).error == 0) return true;
        ::usleep(5'000);
    }
    std::fprintf(stderr, "partition %d of %s is not led in a minute\n", target.partition,
                 target.topic.c_str());
    return false;
}

}  // namespace

bool prepare_topic(int socket, const NewTopic& topic) {
    constexpr std::int16_t already_exists = 36;
    const auto error = create_error(ask(socket, create_topics_v4(topic)));
    if (error != 0 && error != already_exists) {
        std::fprintf(stderr, "creating topic %s failed: error %d\n", topic.name.c_str(), error);
        return false;
    }
    const std::int64_t deadline = now_ns() + 60'000'000'000;
    while (now_ns() < deadline) {
        const Bytes answer = ask(socket, metadata_v4({topic.name}));
        if (ready_partitions(answer) >= topic.partitions) {
            for (std::int32_t partition = 0; partition < topic.partitions; ++partition) {
                if (!waits_until_it_leads(socket, {topic.name, partition}, deadline)) return false;
            }
            return true;
        }
        ::usleep(20'000);
    }
    std::fprintf(stderr, "topic %s has not got its leaders in a minute\n", topic.name.c_str());
    return false;
}

}  // namespace leat::bench
