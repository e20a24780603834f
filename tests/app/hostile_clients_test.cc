// Crowds of clients that take and do not give. Everybody else is answered meanwhile, and when they
// are gone, so are the memory and the descriptors that they held.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/wire/messages/metadata.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"
#include "tests/app/footprint.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

class HostileClients : public testing::Test {
protected:
    // What a crowd leaves behind once it is gone: nothing but what is kept for the next.
    void expect_as_before() {
        footprint.expect_as_before(64 * mib);
        expect_served(other);
    }

    void SetUp() override {
        ASSERT_EQ(create_topic(other, "t", 1), ErrorCode::none);
        expect_served(other);
        footprint.remember();
    }

    static constexpr std::size_t budget = 160 * mib;
    BrokerUnderTest broker{
        "[limits]\nlargest_frame = \"100MiB\"\nmemory_budget = \"160MiB\"\n"
        "[network]\nshards = 2\n"};
    RawClient other{broker.port()};
    Footprint footprint{"self"};  // The broker and its clients.
};

TEST_F(HostileClients, TwoHundredReadersThatNeverRead) {
    // Fetches of records, and descriptions of a large topic: memory of the answers' own.
    ASSERT_EQ(create_topic(other, "wide", 500), ErrorCode::none);
    wire::BatchBuilder builder;
    const std::string large(900'000, 'x');
    builder.add({.value = large});
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(produce(other, "t", 0, builder.build()).error_code, ErrorCode::none);
    }
    footprint.remember();  // With all those partitions.
    std::vector<std::unique_ptr<RawClient>> crowd;
    for (int c = 0; c < 200; ++c) {
        crowd.push_back(std::make_unique<RawClient>(broker.port()));
        for (int i = 0; i < 60; ++i) {
            if (c % 2 == 0) {
                crowd.back()->send_request(wire::MetadataRequest{.topics = std::nullopt}, 9);
            } else {
                crowd.back()->send_request(fetch_request("t", 0, 0, 0, 20 << 20), 12);
            }
        }
        if (c % 10 == 0) expect_served(other);
    }
    EXPECT_LE(footprint.grown(), budget);
    expect_served(other);
    crowd.clear();
    expect_as_before();
}

TEST_F(HostileClients, AThousandSendersThatAnnounceAHundredMegabytesAndSendAHundredBytes) {
    std::string begun("\x06\x40\x00\x00", 4);  // 100 MiB
    begun += std::string("\x00\x00\x00\x09\x00\x00\x00\x01\xff\xff", 10) + std::string(90, 'x');
    std::vector<std::unique_ptr<RawClient>> crowd;
    for (int c = 0; c < 1000; ++c) {
        crowd.push_back(std::make_unique<RawClient>(broker.port()));
        ASSERT_TRUE(crowd.back()->send(begun));
        if (c % 100 == 0) expect_served(other);
    }
    EXPECT_LE(footprint.grown(), budget);
    expect_served(other);
    crowd.clear();
    expect_as_before();
}

TEST_F(HostileClients, TwoThousandThatConnectAndAreGone) {
    for (int i = 0; i < 2000; ++i) {
        RawClient{broker.port()}.reset();
        if (i % 200 == 0) expect_served(other);
    }
    expect_as_before();
}

}  // namespace
}  // namespace leat::app
