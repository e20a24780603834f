// Crowds of clients that take and do not give. Everybody else is answered meanwhile, and when they
// are gone, so are the memory and the descriptors that they held.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/wire/messages/metadata.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

constexpr std::size_t mib = 1024 * 1024;

class HostileClients : public testing::Test {
protected:
    // Of this process: the broker and its clients.
    static std::size_t descriptors() {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& each :
             std::filesystem::directory_iterator{"/proc/self/fd"}) {
            ++count;
        }
        return count;
    }
    static std::size_t resident() {
        std::ifstream file{"/proc/self/statm"};
        std::size_t total = 0;
        std::size_t pages = 0;
        file >> total >> pages;
        return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    }
    // Sanitizers keep freed memory.
    static std::size_t resident_beyond(std::size_t before) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        static_cast<void>(before);
        return 0;
#else
        return std::max(resident(), before) - before;
#endif
    }
    // Address sanitizer marks every byte of what is allocated: 30 ms for 100 MiB on a busy machine.
    static bool eventually(const std::function<bool()>& holds) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{2};
        while (!holds()) {
            if (std::chrono::steady_clock::now() > deadline) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        return true;
    }

    void expect_served() {
        EXPECT_EQ(produce(other, "t", 0, batch_of(3)).error_code, ErrorCode::none);
        const auto read = fetch(other, "t", 0, 0);
        EXPECT_TRUE(read.records && !read.records->empty());
    }
    // What a crowd leaves behind once it is gone: nothing but what is kept for the next.
    void expect_as_before() {
        EXPECT_TRUE(eventually([&] { return descriptors() <= descriptors_before; }))
            << descriptors() << ", before " << descriptors_before;
        EXPECT_LE(resident_beyond(resident_before), 64 * mib);
        expect_served();
    }

    void SetUp() override {
        ASSERT_EQ(create_topic(other, "t", 1), ErrorCode::none);
        expect_served();
        descriptors_before = descriptors();
        resident_before = resident();
    }

    static constexpr std::size_t budget = 160 * mib;
    BrokerUnderTest broker{
        "[limits]\nlargest_frame = \"100MiB\"\nmemory_budget = \"160MiB\"\n"
        "[network]\nshards = 2\n"};
    RawClient other{broker.port()};
    std::size_t descriptors_before = 0;
    std::size_t resident_before = 0;
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
    descriptors_before = descriptors();
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
        if (c % 10 == 0) expect_served();
    }
    EXPECT_LE(resident_beyond(resident_before), budget);
    expect_served();
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
        if (c % 100 == 0) expect_served();
    }
    EXPECT_LE(resident_beyond(resident_before), budget);
    expect_served();
    crowd.clear();
    expect_as_before();
}

TEST_F(HostileClients, TwoThousandThatConnectAndAreGone) {
    for (int i = 0; i < 2000; ++i) {
        RawClient{broker.port()}.reset();
        if (i % 200 == 0) expect_served();
    }
    expect_as_before();
}

}  // namespace
}  // namespace leat::app
