#include "core/admin/http_message.h"

#include <gtest/gtest.h>

namespace leat::admin {
namespace {

using State = HttpRequestReader::State;

constexpr std::size_t most_bytes = 1024;

int refused_with(std::string_view text) {
    HttpRequestReader reader{most_bytes};
    return reader.read(text) == State::refused ? reader.refusal().status : 0;
}

TEST(HttpRequestReader, KnowsWhatIsAskedFor) {
    HttpRequestReader reader{most_bytes};
    ASSERT_EQ(reader.read(std::string_view{"GET /metrics?a=1&b HTTP/1.1\r\nHost: x\r\n\r\n"}),
              State::complete);
    EXPECT_EQ(reader.request().method, "GET");
    EXPECT_EQ(reader.request().path, "/metrics");
    EXPECT_EQ(reader.request().query, "a=1&b");
}

TEST(HttpRequestReader, ReadsARequestThatComesByteByByte) {
    const std::string_view text = "HEAD /healthz HTTP/1.0\r\nAccept: */*\r\n\r\n";
    HttpRequestReader reader{most_bytes};
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        ASSERT_EQ(reader.read(text.substr(i, 1)), State::incomplete) << i;
    }
    ASSERT_EQ(reader.read(text.substr(text.size() - 1)), State::complete);
    EXPECT_EQ(reader.request().method, "HEAD");
    EXPECT_EQ(reader.request().path, "/healthz");
}

TEST(HttpRequestReader, RefusesWhatIsNoHttp) {
    EXPECT_EQ(refused_with("HELLO\r\n\r\n"), 400);
    EXPECT_EQ(refused_with("GET  HTTP/1.1\r\n\r\n"), 400);
    EXPECT_EQ(refused_with("GET / HTTP/9.9\r\n\r\n"), 400);
    EXPECT_EQ(refused_with(std::string_view{"\0\0\0\x12\0\x12\0\0\0\0\0\1\0\1c\r\n", 17}), 400);
}

TEST(HttpRequestReader, RefusesAHeaderThatDoesNotEnd) {
    const std::string endless = "GET / HTTP/1.1\r\nX: " + std::string(2 * most_bytes, 'x');
    EXPECT_EQ(refused_with(endless), 431);
}

TEST(HttpRequestReader, RefusesABody) {
    EXPECT_EQ(refused_with("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"), 413);
    EXPECT_EQ(refused_with("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 413);
    HttpRequestReader reader{most_bytes};
    EXPECT_EQ(reader.read(std::string_view{"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"}),
              State::complete);
}

TEST(HttpResponseText, SaysItsLengthAlsoWhereTheBodyIsNotSent) {
    const HttpResponse response{.status = 405, .body = "no\n", .allow = "GET, HEAD"};
    const std::string whole = text_of(response, false);
    EXPECT_TRUE(whole.starts_with("HTTP/1.1 405 Method Not Allowed\r\n")) << whole;
    EXPECT_NE(whole.find("\r\nContent-Length: 3\r\n"), std::string::npos);
    EXPECT_NE(whole.find("\r\nAllow: GET, HEAD\r\n"), std::string::npos);
    EXPECT_TRUE(whole.ends_with("\r\n\r\nno\n"));
    EXPECT_EQ(text_of(response, true) + "no\n", whole);
}

}  // namespace
}  // namespace leat::admin
