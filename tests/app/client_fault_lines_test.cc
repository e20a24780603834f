// What the log of a broker says of clients that fail; tests/api has when.
#include <gtest/gtest.h>

#include "core/wire/messages/api_versions.h"
#include "core/wire/messages/metadata.h"
#include "tests/app/child.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

// The one line that has `what` in it.
std::string line_with(const std::string& log, const std::string& what) {
    EXPECT_EQ(count(log, what), 1u) << what << "\n" << log;
    const auto at = log.find(what);
    if (at == std::string::npos) return "";
    const auto begin = log.rfind('\n', at) + 1;
    return log.substr(begin, log.find('\n', at) - begin);
}

void expect_in(const std::string& line, std::initializer_list<std::string_view> parts) {
    for (const auto part : parts) {
        EXPECT_NE(line.find(part), std::string::npos) << "no `" << part << "` in " << line;
    }
}

TEST(ClientFaultLines, NameTheClientTheRequestAndWhatToChangeOnceForEachReason) {
    const Folder folder;
    Child broker{{"serve", folder.config("[network]\nshards = 1\n")}};
    const auto port = broker.port();
    ASSERT_NE(port, 0);
    for (int time = 0; time < 3; ++time) {
        RawClient writer{port};
        writer.call<wire::ApiVersionsResponse>(
            wire::ApiVersionsRequest{.client_software_name = "billing-tool",
                                     .client_software_version = "1.2"},
            3);
        if (time == 0) create_topic(writer, "orders", 1);
        auto batch = batch_of(3);
        batch.back() ^= std::byte{1};
        EXPECT_EQ(produce(writer, "orders", 0, batch).error_code, wire::ErrorCode::corrupt_message);
        RawClient old{port};  // Fetch 2, client id "old".
        ASSERT_TRUE(old.send(std::string_view{"\0\0\0\x0d\0\1\0\2\0\0\0\1\0\3old", 17}));
        EXPECT_TRUE(old.closed_by_peer());
        RawClient older{port};  // Produce 2, client id "anc": decoded, but not served.
        ASSERT_TRUE(older.send(std::string_view{"\0\0\0\x0d\0\0\0\2\0\0\0\1\0\3anc", 17}));
        EXPECT_TRUE(older.closed_by_peer());
        RawClient member{port};  // StreamsGroupHeartbeat 0, client id "mem".
        ASSERT_TRUE(member.send(std::string_view{"\0\0\0\x0e\0\x58\0\0\0\0\0\1\0\3mem\0", 18}));
        EXPECT_TRUE(member.closed_by_peer());
        RawClient broken{port};  // Metadata 1 that announces topics and has none.
        ASSERT_TRUE(
            broken.send(std::string_view{"\0\0\0\x0e\0\3\0\1\0\0\0\1\xff\xff\0\0\0\7", 18}));
        EXPECT_TRUE(broken.closed_by_peer());
    }
    broker.signal(SIGTERM);
    ASSERT_EQ(broker.wait(), 0);
    const std::string& log = broker.err();
    expect_in(
        line_with(log, "warn  request refused"),
        {"client=127.0.0.1:", "client_id=test", "software=\"billing-tool 1.2\"", "api=Produce",
         "partition=orders/0", "error=CORRUPT_MESSAGE", "change=\"the batch's checksum"});
    expect_in(line_with(log, "api=Fetch"),
              {"connection closed", "client_id=old", "version=2", "one that speaks 4 to"});
    expect_in(line_with(log, "client_id=anc"),
              {"connection closed", "api=Produce", "version=2",
               "reason=\"the broker does not serve this version\"", "one that speaks 3 to"});
    expect_in(line_with(log, "client_id=mem"),
              {"connection closed", "api=StreamsGroupHeartbeat",
               "reason=\"API 88 version 0 is not known here\"", "lists what is served"});
    expect_in(line_with(log, "api=Metadata"),
              {"connection closed", "malformed at Topics", "as Kafka defines it"});
}

}  // namespace
}  // namespace leat::app
