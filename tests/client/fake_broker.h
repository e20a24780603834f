// A broker that answers as a test tells it: one thread, any number of connections one after the
// other or at once, on a free port of loopback. It serves what it has an answer for, and says so
// in ApiVersions; a request whose answer is nothing closes its connection.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/frame.h"
#include "core/wire/messages/api_versions.h"
#include "core/wire/messages/metadata.h"

namespace leat::client {

class FakeBroker {
public:
    FakeBroker() : listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in at{.sin_family = AF_INET};
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
        EXPECT_EQ(::listen(listener_, 16), 0);
        socklen_t size = sizeof at;
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
        port_ = ntohs(at.sin_port);
        EXPECT_EQ(::pipe(wake_), 0);
    }
    FakeBroker(const FakeBroker&) = delete;
    FakeBroker& operator=(const FakeBroker&) = delete;
    ~FakeBroker() {
        ::close(wake_[1]);
        if (thread_.joinable()) thread_.join();
        ::close(wake_[0]);
        ::close(listener_);
    }

    std::uint16_t port() const { return port_; }

    // To be said before start(). `answer` runs on the broker's thread.
    template <class Response, class Request>
    FakeBroker& serve(std::function<std::optional<Response>(const Request&)> answer,
                      wire::Versions versions = Request::traits.versions) {
        served_.push_back(
            {static_cast<std::int16_t>(Request::traits.key), versions.min, versions.max});
        answers_[Request::traits.key] = [answer](const wire::RequestHeader& header,
                                                 wire::Buffer& out) {
            const auto request = wire::decode_as<Request>(header.body, header.version);
            EXPECT_TRUE(request);
            const auto response = request ? answer(*request) : std::nullopt;
            if (!response) return false;
            EXPECT_TRUE(
                wire::append_response(*response, header.version, header.correlation_id, out));
            return true;
        };
        return *this;
    }

    // KIP-511: above it, ApiVersions is answered in version 0 with UNSUPPORTED_VERSION.
    void refuse_versions_above(wire::Version version) { newest_versions_ = version; }

    // A request that cannot be read closes its connection, and is no failure of the test.
    void expect_nonsense() { nonsense_is_fine_ = true; }

    // Metadata that names this broker, id 1, as the leader of `partitions` of `topic`.
    wire::MetadataResponse metadata(const std::string& topic, std::int32_t partitions) const {
        wire::MetadataResponse response{.controller_id = 1};
        response.brokers.push_back({.node_id = 1, .host = "127.0.0.1", .port = port_});
        response.topics.push_back({.name = topic});
        for (std::int32_t p = 0; p < partitions; ++p) {
            response.topics[0].partitions.push_back(
                {.partition_index = p, .leader_id = 1, .replica_nodes = {1}, .isr_nodes = {1}});
        }
        return response;
    }

    void start() {
        if (!answers_.contains(wire::ApiKey::api_versions)) {
            serve<wire::ApiVersionsResponse, wire::ApiVersionsRequest>(
                [this](const wire::ApiVersionsRequest&) {
                    return wire::ApiVersionsResponse{.api_keys = served_};
                });
        }
        thread_ = std::thread{[this] { run(); }};
    }

private:
    void run() {
        std::vector<pollfd> polled{{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
        while (true) {
            ::poll(polled.data(), polled.size(), -1);
            if (polled[0].revents != 0) break;
            for (std::size_t i = polled.size(); i-- > 2;) {
                if (polled[i].revents == 0 || answer_one(polled[i].fd)) continue;
                ::close(polled[i].fd);
                polled.erase(polled.begin() + static_cast<std::ptrdiff_t>(i));
            }
            if (polled[1].revents != 0) {
                polled.push_back({::accept(listener_, nullptr, nullptr), POLLIN, 0});
            }
        }
        for (std::size_t i = 2; i < polled.size(); ++i) ::close(polled[i].fd);
    }

    bool answer_one(int connection) {
        std::uint32_t size = 0;
        if (::recv(connection, &size, sizeof size, MSG_WAITALL) != sizeof size) return false;
        std::vector<std::byte> frame(ntohl(size));
        if (::recv(connection, frame.data(), frame.size(), MSG_WAITALL) !=
            static_cast<ssize_t>(frame.size())) {
            return false;
        }
        const auto header = wire::parse_request(frame);
        EXPECT_TRUE(header || nonsense_is_fine_);
        if (!header) return false;
        const auto answer = answers_.find(header->key);
        EXPECT_TRUE(answer != answers_.end()) << "asked for what was not advertised";
        wire::Buffer out;
        if (header->key == wire::ApiKey::api_versions && header->version > newest_versions_) {
            const wire::ApiVersionsResponse refusal{.error_code =
                                                        wire::ErrorCode::unsupported_version};
            EXPECT_TRUE(wire::append_response(refusal, 0, header->correlation_id, out));
            return send_all(connection, out);
        }
        if (answer == answers_.end() || !answer->second(*header, out)) return false;
        return send_all(connection, out);
    }
    static bool send_all(int connection, const wire::Buffer& out) {
        return ::send(connection, out.data(), out.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(out.size());
    }

    using Answer = std::function<bool(const wire::RequestHeader&, wire::Buffer&)>;

    int listener_;
    int wake_[2];
    std::uint16_t port_ = 0;
    wire::Version newest_versions_ = INT16_MAX;
    bool nonsense_is_fine_ = false;
    std::vector<wire::ApiVersionsResponse::ApiVersion> served_;
    std::map<wire::ApiKey, Answer> answers_;
    std::thread thread_;
};

}  // namespace leat::client
