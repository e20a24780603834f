// Storage engines as an operator meets them: instances, topics that choose one, a crash, a budget.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;
namespace fs = std::filesystem;

constexpr std::size_t large = 1 << 20;
constexpr std::size_t small = 64 << 10;

const std::string mapped_engines = R"(
[storage.mapped]
plugin = "mmap"
segment_size = "1MiB"
spare_segments = 1
[storage.mapped_small]
plugin = "mmap"
segment_size = "64KiB"
spare_segments = 1
[topics."log-*"]
storage = "mapped_small"
)";

std::int64_t earliest(RawClient& client, const std::string& topic) {
    wire::ListOffsetsRequest request{.replica_id = -1};
    request.topics.push_back(
        {.name = topic, .partitions = {{.partition_index = 0, .timestamp = -2}}});
    const auto response = client.call<wire::ListOffsetsResponse>(request, 7);
    return response.topics.at(0).partitions.at(0).offset;
}

// The active segment's file, wherever the data folder keeps that instance.
fs::path first_segment(const fs::path& data, const std::string& partition) {
    for (const auto& entry : fs::recursive_directory_iterator{data}) {
        const fs::path& path = entry.path();
        if (path.filename() == "00000000000000000000.log" &&
            path.parent_path().filename() == partition) {
            return path;
        }
    }
    return {};
}

// A topic with five batches in a prepared file of this size. Files are prepared in the background,
// and a partition that comes before one is ready does without.
std::string prepared_topic(BrokerUnderTest& broker, const std::string& prefix, std::size_t size,
                           std::vector<wire::CreateTopicsRequest::Config> configs = {}) {
    RawClient client{broker.port()};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    for (int number = 0; std::chrono::steady_clock::now() < end; ++number) {
        const std::string topic = prefix + std::to_string(number);
        EXPECT_EQ(create_topic(client, topic, 1, configs), ErrorCode::none);
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(produce(client, topic, 0, batch_of(7)).error_code, ErrorCode::none);
        }
        if (fs::file_size(first_segment(broker.folder(), topic + "-0")) == size) return topic;
    }
    ADD_FAILURE() << "no file of " << size << " bytes was ever prepared";
    return {};
}

TEST(StorageEngines, TwoMappedInstancesKeepWhatWasAcknowledgedThroughACrash) {
    BrokerUnderTest broker{mapped_engines};
    const std::string topics[] = {
        prepared_topic(broker, "t", large, {{"leat.storage.engine", "mapped"}}),
        prepared_topic(broker, "log-a", small)};

    // What kill -9 leaves: the files of a process that goes on, copied.
    const fs::path copy = broker.folder().string() + "-copy";
    // Its admin socket cannot be copied.
    fs::remove(broker.folder() / "data/admin.sock");
    fs::copy(broker.folder(), copy, fs::copy_options::recursive);
    BrokerUnderTest next{mapped_engines, copy};
    RawClient after{next.port()};
    for (const std::string& topic : topics) {
        const auto found = fetch(after, topic, 0, 0);
        EXPECT_EQ(found.error_code, ErrorCode::none);
        EXPECT_EQ(found.high_watermark, 35);
        ASSERT_TRUE(found.records);
        EXPECT_EQ(found.records->size(), 5 * batch_of(7).size());
        EXPECT_EQ(produce(after, topic, 0, batch_of(1)).base_offset, 35);
    }
}

TEST(StorageEngines, AMemoryBudgetMovesTheBeginningOfATopic) {
    BrokerUnderTest broker{"[storage.little]\nplugin = \"memory\"\nbudget = \"64KiB\"\n"};
    RawClient client{broker.port()};
    for (const char* topic : {"idle", "busy"}) {
        ASSERT_EQ(create_topic(client, topic, 1, {{"leat.storage.engine", "little"}}),
                  ErrorCode::none);
    }
    ASSERT_EQ(produce(client, "idle", 0, batch_of(3)).error_code, ErrorCode::none);
    std::int64_t end = 0;
    for (int i = 0; i < 100; ++i) {
        const auto done = produce(client, "busy", 0, batch_of(100));
        ASSERT_EQ(done.error_code, ErrorCode::none) << i;
        end = done.base_offset + 100;
    }
    const std::int64_t begin = earliest(client, "busy");
    EXPECT_GT(begin, 0);
    EXPECT_LT(begin, end);
    EXPECT_EQ(fetch(client, "busy", 0, 0).error_code, ErrorCode::offset_out_of_range);
    const auto first = fetch(client, "busy", 0, begin);
    EXPECT_EQ(first.error_code, ErrorCode::none);
    EXPECT_EQ(first.log_start_offset, begin);
    // The other one's batch was older, though nobody wrote to it since.
    EXPECT_EQ(fetch(client, "idle", 0, 0).error_code, ErrorCode::offset_out_of_range);
    EXPECT_EQ(earliest(client, "idle"), 3);
    EXPECT_EQ(produce(client, "idle", 0, batch_of(1)).base_offset, 3);
}

}  // namespace
}  // namespace leat::app
