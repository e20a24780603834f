// The HTTP server over real sockets, on the loop of a runtime of its own.
#include "core/admin/http_server.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "core/net/runtime.h"
#include "core/net/socket_address.h"
#include "tests/app/http_client.h"

namespace leat::admin {
namespace {

using app::HttpClient;

constexpr std::string_view get = "GET /x HTTP/1.1\r\n\r\n";

class HttpServerTest : public testing::Test {
protected:
    // Before the first use.
    void start(HttpServer::Limits limits = {}) {
        server.emplace(
            runtime.loop(0),
            [this](const HttpRequest& request, HttpRespond respond) {
                if (request.path == "/later") return later.push_back(std::move(respond));
                if (request.path == "/never") return;
                respond({.body = request.path + "\n"});
            },
            limits);
        auto socket = net::listening_socket({"127.0.0.1", 0}, 0);
        ASSERT_TRUE(socket);
        port = net::local_endpoint(socket->get()).port;
        ASSERT_TRUE(server->serve(std::move(*socket)));
        thread = std::thread{[this] { runtime.run(); }};
    }
    ~HttpServerTest() override {
        runtime.stop();
        if (thread.joinable()) thread.join();
        later.clear();
    }

    runtime::MemoryBudget memory{{.bytes = 64 << 20, .largest_frame = 1 << 20}};
    net::Runtime runtime{{.shards = 1, .memory = memory}};
    std::vector<HttpRespond> later;
    std::optional<HttpServer> server;
    std::uint16_t port = 0;
    std::thread thread;
};

TEST_F(HttpServerTest, AnswersAndCloses) {
    start();
    const std::string response = HttpClient{port}.exchange(get);
    EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n")) << response;
    EXPECT_TRUE(response.ends_with("\r\n\r\n/x\n")) << response;
}

TEST_F(HttpServerTest, WhatIsNeverAnsweredIsA503) {
    start();
    EXPECT_TRUE(
        HttpClient{port}.exchange("GET /never HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 503"));
}

TEST_F(HttpServerTest, WhoSendsTooMuchStillReadsWhy) {
    start();
    const std::string endless = "GET / HTTP/1.1\r\nX: " + std::string(50'000, 'x');
    EXPECT_TRUE(HttpClient{port}.exchange(endless).starts_with("HTTP/1.1 431"));
}

TEST_F(HttpServerTest, WhoIsSlowIsClosedAndHoldsUpNobody) {
    start({.patience = std::chrono::milliseconds{200}});
    HttpClient slow{port};
    slow.send("GET /x HT");
    EXPECT_TRUE(HttpClient{port}.exchange(get).ends_with("/x\n"));
    EXPECT_EQ(slow.rest(), "") << "closed without an answer";
}

TEST_F(HttpServerTest, TheOldestConnectionGoesForOneTooMany) {
    start({.most_connections = 2});
    HttpClient oldest{port}, second{port};
    oldest.send("G");
    second.send("G");
    EXPECT_TRUE(HttpClient{port}.exchange(get).ends_with("/x\n"));
    EXPECT_EQ(oldest.rest(), "");
    second.send(get.substr(1));
    EXPECT_TRUE(second.rest().ends_with("/x\n"));
}

TEST_F(HttpServerTest, AnAnswerMayComeWhenNobodyWaitsForItAnyMore) {
    start();
    {
        HttpClient gone{port};
        gone.send("GET /later HTTP/1.1\r\n\r\n");
        EXPECT_TRUE(HttpClient{port}.exchange(get).ends_with("/x\n"));
        gone.reset();
    }
    EXPECT_TRUE(HttpClient{port}.exchange(get).ends_with("/x\n"));
    runtime.at(0).post([this] {
        for (auto& respond : later) respond({.body = "late\n"});
        later.clear();
    });
    EXPECT_TRUE(HttpClient{port}.exchange(get).ends_with("/x\n"));
}

}  // namespace
}  // namespace leat::admin
