// What strangers send. Each gets the error that Kafka gives or a closed connection with a line in
// the log that says why, and everybody else is served as before.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/wire/messages/api_versions.h"
#include "core/wire/messages/metadata.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

class BadInput : public testing::Test {
protected:
    std::string log_text() {
        std::ifstream file{broker.folder() / "log"};
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    // Sends bytes on a connection of its own; it is closed, the log says why, others are served.
    void expect_closed(std::string_view bytes, std::string_view why) {
        RawClient stranger{broker.port()};
        ASSERT_TRUE(stranger.send(bytes));
        EXPECT_TRUE(stranger.closed_by_peer());
        EXPECT_NE(log_text().find(why), std::string::npos) << "looked for: " << why << "\n"
                                                           << log_text();
        RawClient other{broker.port()};
        EXPECT_FALSE(
            other.call<wire::MetadataResponse>(wire::MetadataRequest{}, 9).brokers.empty());
    }

    static std::string frame(std::string_view body) {
        const auto size = static_cast<std::uint32_t>(body.size());
        std::string bytes;
        for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift);
        return bytes.append(body);
    }

    BrokerUnderTest broker{"[limits]\nlargest_frame = \"1MiB\"\nmemory_budget = \"32MiB\"\n"};
};

TEST_F(BadInput, AFrameThatIsTooLarge) {
    expect_closed(std::string("\x7f\xff\xff\xff", 4) + "....", "frame");
}

TEST_F(BadInput, AFrameOfNegativeSize) {
    expect_closed(std::string("\xff\xff\xff\xff", 4) + "....", "frame");
}

TEST_F(BadInput, ATlsHelloOnAPlaintextPort) {
    expect_closed(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), "TLS");
}

TEST_F(BadInput, AnHttpRequest) {
    expect_closed("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP");
}

TEST_F(BadInput, AnApiThatNobodyKnows) {
    expect_closed(frame(std::string("\x27\x0f\x00\x00\x00\x00\x00\x01\xff\xff", 10)), "9999");
}

TEST_F(BadInput, AVersionThatIsNotServed) {
    // Produce 2 is advertised, as Kafka does for old clients, and refused, as Kafka does.
    expect_closed(
        frame(std::string("\x00\x00\x00\x02\x00\x00\x00\x01\xff\xff", 10) + std::string(10, '\0')),
        "api=Produce version=2");
}

TEST_F(BadInput, ACountThatWouldAllocate) {
    // Metadata 1 with two billion topics in four bytes.
    expect_closed(
        frame(std::string("\x00\x03\x00\x01\x00\x00\x00\x01\xff\xff\x7f\xff\xff\xff", 14)),
        "Metadata");
}

TEST_F(BadInput, AHeaderThatIsCut) {
    expect_closed(frame(std::string("\x00\x03\x00", 3)), "less than eight bytes");
}

TEST_F(BadInput, AnUnknownVersionOfApiVersionsIsAnsweredInVersionZero) {
    RawClient client{broker.port()};
    ASSERT_TRUE(client.send(frame(std::string("\x00\x12\x00\x7f\x00\x00\x00\x09", 8))));
    const auto answer = client.receive();
    ASSERT_TRUE(answer && answer->size() > 10);
    EXPECT_EQ((*answer)[4], std::byte{0});
    EXPECT_EQ((*answer)[5], std::byte{35}) << "UNSUPPORTED_VERSION right after the correlation id";
    client.call<wire::ApiVersionsResponse>(wire::ApiVersionsRequest{}, 0);
}

TEST_F(BadInput, AStrangerWhoConnectsAndGoesAThousandTimes) {
    for (int i = 0; i < 1000; ++i) RawClient{broker.port()}.reset();
    RawClient other{broker.port()};
    EXPECT_FALSE(other.call<wire::MetadataResponse>(wire::MetadataRequest{}, 9).brokers.empty());
}

TEST_F(BadInput, ReadersThatNeverReadHoldUpNobodyElse) {
    RawClient writer{broker.port()};
    ASSERT_EQ(create_topic(writer, "t", 1), ErrorCode::none);
    wire::BatchBuilder builder;
    const std::string large(900'000, 'x');
    builder.add({.value = large});
    const auto batch = builder.build();
    for (int i = 0; i < 20; ++i)
        ASSERT_EQ(produce(writer, "t", 0, batch).error_code, ErrorCode::none);
    std::vector<std::unique_ptr<RawClient>> stalled;
    for (int c = 0; c < 50; ++c) {
        stalled.push_back(std::make_unique<RawClient>(broker.port()));
        for (int i = 0; i < 50; ++i) {
            stalled.back()->send_request(fetch_request("t", 0, 0, 0, 20 << 20), 12);
        }
    }
    EXPECT_EQ(produce(writer, "t", 0, batch).error_code, ErrorCode::none);
    EXPECT_FALSE(fetch(writer, "t", 0, 20).records->empty());
}

// A batch, a change to it, and what Kafka 4.4 answers.
struct Lie {
    const char* name;
    void (*tell)(std::vector<std::byte>& batch);
    ErrorCode answer;
    bool fix_crc = true;
};

void put(std::vector<std::byte>& batch, std::size_t at, std::uint8_t value) {
    batch[at] = std::byte{value};
}

const Lie lies[] = {
    {"ItsChecksum", [](auto& b) { put(b, 20, std::to_integer<std::uint8_t>(b[20]) ^ 1); },
     ErrorCode::corrupt_message, false},
    {"ItsMagicOfLongAgo", [](auto& b) { put(b, 16, 1); }, ErrorCode::invalid_record, false},
    {"ItsCount", [](auto& b) { put(b, 60, 9); }, ErrorCode::invalid_record},
    {"ItsCountOfNone", [](auto& b) { put(b, 60, 0); }, ErrorCode::invalid_record},
    {"ItsLastOffset", [](auto& b) { put(b, 26, 7); }, ErrorCode::invalid_record},
    {"ItsBaseOffset", [](auto& b) { put(b, 7, 5); }, ErrorCode::invalid_record},
    {"BeingAControlBatch", [](auto& b) { put(b, 22, 32); }, ErrorCode::invalid_record},
    {"ItsLength", [](auto& b) { put(b, 11, 1); }, ErrorCode::corrupt_message, false},
};

class LyingBatch : public testing::TestWithParam<Lie> {};

TEST_P(LyingBatch, IsRefusedAsKafkaDoes) {
    BrokerUnderTest broker;
    RawClient client{broker.port()};
    ASSERT_EQ(create_topic(client, "t", 1), ErrorCode::none);
    auto batch = batch_of(3);
    GetParam().tell(batch);
    if (GetParam().fix_crc) {
        const std::uint32_t crc = wire::BatchView{batch}.computed_crc();
        for (std::size_t i = 0; i < 4; ++i) {
            put(batch, 17 + i, static_cast<std::uint8_t>(crc >> (24 - 8 * i)));
        }
    }
    EXPECT_EQ(produce(client, "t", 0, batch).error_code, GetParam().answer);
    EXPECT_EQ(produce(client, "t", 0, batch_of(3)).base_offset, 0) << "nothing of it was kept";
}

INSTANTIATE_TEST_SUITE_P(About, LyingBatch, testing::ValuesIn(lies),
                         [](const auto& lie) { return lie.param.name; });

}  // namespace
}  // namespace leat::app
