// Crowds as large as they come, against a broker that is a process of its own: what it holds while
// they are there, that others are served, and that descriptors and memory are as before once they
// are gone. How long others wait meanwhile is a figure, not a test.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/wire/messages/metadata.h"
#include "tests/app/broker_process.h"
#include "tests/app/exchange.h"
#include "tests/app/footprint.h"

namespace leat::app {
namespace {

using wire::ErrorCode;
using Crowd = std::vector<std::unique_ptr<RawClient>>;

constexpr std::size_t budget = 160 * mib;

// Both processes may have as many descriptors as the machine lets them.
std::size_t raise_descriptor_limit() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

class HostileCrowds : public testing::Test {
protected:
    void expect_as_before() {
        footprint.expect_as_before(8 * mib);
        expect_served(other);
    }

    void SetUp() override {
        ASSERT_EQ(create_topic(other, "t", 1), ErrorCode::none);
        remember();
    }
    void remember() {
        for (int i = 0; i < 100; ++i) expect_served(other);
        footprint.remember();
    }

    const std::size_t most_descriptors = raise_descriptor_limit();
    BrokerProcess broker{
        "[limits]\nlargest_frame = \"100MiB\"\nmemory_budget = \"160MiB\"\n"
        "connections = 11000\nconnections_per_address = 11000\n"
        "[topic_defaults.config]\n\"retention.ms\" = -1\n"  // The records are years old.
        "[network]\nshards = 2\n[log]\nlevel = \"error\"\n"};
    RawClient other{broker.port()};
    Footprint footprint{std::to_string(broker.pid())};
};

TEST_F(HostileCrowds, TenThousandIdleConnectionsHaveNoBuffers) {
    // Three quarters of the broker's descriptors are for connections.
    const std::size_t many = std::min<std::size_t>(10'000, most_descriptors * 3 / 4 - 100);
    for (int crowds = 0; crowds < 2; ++crowds) {
        Crowd crowd;
        for (std::size_t c = 0; c < many; ++c) {
            crowd.push_back(std::make_unique<RawClient>(broker.port()));
            if (c % 1000 == 0) expect_served(other);
        }
        ASSERT_TRUE(eventually(
            [&] { return footprint.descriptors() >= footprint.descriptors_before() + many; }));
        EXPECT_LE(footprint.grown(), many * 4 * kib);
        expect_served(other);
        for (std::size_t c = 0; c < many; c += 100) {  // They are not only let in.
            EXPECT_EQ(
                crowd[c]->call<wire::MetadataResponse>(wire::MetadataRequest{}, 9).brokers.size(),
                1u);
        }
        crowd.clear();
        expect_as_before();
    }
}

TEST_F(HostileCrowds, SlowSendersAndReadersThatNeverReadAtOnce) {
    ASSERT_EQ(create_topic(other, "wide", 500), ErrorCode::none);
    wire::BatchBuilder builder;
    const std::string large(900'000, 'x');
    builder.add({.value = large});
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(produce(other, "t", 0, builder.build()).error_code, ErrorCode::none);
    }
    remember();
    std::string begun("\x06\x40\x00\x00", 4);  // A frame of 100 MiB.
    begun += std::string("\x00\x00\x00\x09\x00\x00\x00\x01\xff\xff", 10) + std::string(90, 'x');
    Crowd crowd;
    std::size_t most = 0;
    for (int c = 0; c < 1200; ++c) {
        RawClient& one = *crowd.emplace_back(std::make_unique<RawClient>(broker.port()));
        if (c % 6 != 0) {
            ASSERT_TRUE(one.send(begun));
            continue;
        }
        for (int i = 0; i < 60; ++i) {
            if (c % 12 == 0) {
                one.send_request(wire::MetadataRequest{.topics = std::nullopt}, 9);
            } else {
                one.send_request(fetch_request("t", 0, 0, 0, 20 << 20), 12);
            }
        }
        most = std::max(most, footprint.grown());
        if (c % 60 == 0) expect_served(other);
    }
    for (int i = 0; i < 100; ++i) {
        expect_served(other);
        most = std::max(most, footprint.grown());
    }
    EXPECT_LE(most, budget);
    crowd.clear();
    expect_as_before();
}

TEST_F(HostileCrowds, AHundredThousandConnectAndAreGone) {
    const int many = sanitized ? 10'000 : 100'000;
    for (int i = 0; i < many; ++i) {
        RawClient{broker.port()}.reset();
        if (i % 5000 == 0) expect_served(other);
    }
    expect_as_before();
}

}  // namespace
}  // namespace leat::app
