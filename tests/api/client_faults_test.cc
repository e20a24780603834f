// Which lines an operator reads of clients that fail.
#include "core/api/client_faults.h"

#include <gtest/gtest.h>

namespace leat::api {
namespace {

using std::chrono::seconds;
using wire::ApiKey;
using wire::ErrorCode;

const sdk::Endpoint here{"10.0.0.7", 40000};
const FaultyClient client{here, "plain", "billing", "librdkafka 2.0.2"};

std::string text(const ClientFaults::Line& line) {
    std::string all{line.event};
    for (const auto& [name, value] : line.fields) all += " " + std::string{name} + "=" + value;
    return all;
}

TEST(ClientFaults, SayWhoDidWhatAndWhatToChange) {
    ClientFaults faults{10};
    const auto line = faults.line(client,
                                  {.of = ClientFault::Of{ApiKey::produce, 9},
                                   .reason = "1200000 bytes, at most 1048588",
                                   .error = ErrorCode::message_too_large,
                                   .topic = "orders",
                                   .partition = 3},
                                  seconds{1});
    ASSERT_TRUE(line);
    EXPECT_EQ(text(*line),
              "request refused client=10.0.0.7:40000 listener=plain client_id=billing "
              "software=librdkafka 2.0.2 api=Produce version=9 partition=orders/3 "
              "error=MESSAGE_TOO_LARGE reason=1200000 bytes, at most 1048588 change=raise the "
              "topic's max.message.bytes, or lower the client's batch.size and its records "
              "left_out=0");
}

TEST(ClientFaults, AVersionOrAnApiThatIsNotServedIsToldWithWhatIs) {
    ClientFaults faults{10};
    const auto change = [&](ApiKey api, wire::Version version) {
        const auto line = faults.line(
            client, {.of = ClientFault::Of{api, version}, .reason = "not known"}, seconds{0});
        return line ? text(*line) : "";
    };
    EXPECT_NE(change(ApiKey::fetch, 2).find("one that speaks 4 to 18"), std::string::npos);
    EXPECT_NE(change(ApiKey{88}, 0).find("api=StreamsGroupHeartbeat version=0"), std::string::npos);
    EXPECT_NE(change(ApiKey::end_txn, 1).find("set no transactional.id"), std::string::npos);
    EXPECT_NE(change(ApiKey{34}, 1).find("api=AlterReplicaLogDirs version=1"), std::string::npos);
    EXPECT_NE(change(ApiKey{30'000}, 0).find("api=30000 version=0"), std::string::npos);
}

TEST(ClientFaults, WhatCannotBeDecodedIsTheClients) {
    ClientFaults faults{10};
    const auto line = faults.line(client,
                                  {.of = ClientFault::Of{ApiKey::metadata, 9},
                                   .reason = "MetadataRequest v9 is malformed at topics",
                                   .undecodable = true},
                                  seconds{0});
    ASSERT_TRUE(line);
    EXPECT_NE(text(*line).find("malformed at topics change=the client does not write"),
              std::string::npos);
}

TEST(ClientFaults, OneReasonOfOneClientIsSaidOnceAMinuteWithHowManyWereLeftOut) {
    ClientFaults faults{100};
    const ClientFault damaged{.of = ClientFault::Of{ApiKey::produce, 9},
                              .reason = "",
                              .error = ErrorCode::corrupt_message};
    auto large = damaged;
    large.error = ErrorCode::message_too_large;
    EXPECT_TRUE(faults.line(client, damaged, seconds{0}));
    for (int i = 1; i < 60; ++i) EXPECT_FALSE(faults.line(client, damaged, seconds{i}));
    EXPECT_TRUE(faults.line(client, large, seconds{1})) << "another reason";
    auto other = client;
    other.client_id = "shipping";
    EXPECT_TRUE(faults.line(other, damaged, seconds{2})) << "another client at that address";
    const sdk::Endpoint there{"10.0.0.8", 40000};
    const FaultyClient elsewhere{there, "plain", "billing", ""};
    EXPECT_TRUE(faults.line(elsewhere, damaged, seconds{3}));
    const sdk::Endpoint again{"10.0.0.7", 50000};
    const FaultyClient same{again, "plain", "billing", ""};
    const auto line = faults.line(same, damaged, seconds{60});
    ASSERT_TRUE(line) << "a minute later, on another connection";
    EXPECT_NE(text(*line).find(" left_out=59"), std::string::npos) << text(*line);
}

TEST(ClientFaults, AnAddressThatCallsItselfManyNamesGetsItsLinesAMinuteAndNoMore) {
    ClientFaults faults{10};
    std::size_t lines = 0;
    for (int i = 0; i < 100'000; ++i) {
        const std::string name = std::to_string(i) + std::string(1000, 'x');
        auto one = client;
        one.client_id = name;
        const auto line = faults.line(one, {.of = std::nullopt, .reason = "nonsense"}, seconds{0});
        if (!line) continue;
        ++lines;
        EXPECT_LT(text(*line).size(), 300u) << "of a name only its beginning is kept";
    }
    EXPECT_EQ(lines, 10u);
}

TEST(ClientFaults, WhatIsNotThereOrNotNowIsNobodysFault) {
    for (const auto error : {ErrorCode::none, ErrorCode::unknown_topic_or_partition,
                             ErrorCode::not_leader_or_follower, ErrorCode::offset_out_of_range,
                             ErrorCode::unsupported_version, ErrorCode::topic_already_exists}) {
        EXPECT_FALSE(is_client_fault(error)) << wire::name_of(error);
    }
    for (const auto error : {ErrorCode::corrupt_message, ErrorCode::message_too_large,
                             ErrorCode::unsupported_compression_type}) {
        EXPECT_TRUE(is_client_fault(error)) << wire::name_of(error);
    }
}

}  // namespace
}  // namespace leat::api
