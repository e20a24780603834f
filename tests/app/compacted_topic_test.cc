// A keyed topic in a whole broker: it is compacted by itself, on every engine.
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "core/wire/record_reader.h"
#include "tests/app/broker_under_test.h"
#include "tests/app/exchange.h"

namespace leat::app {
namespace {

using wire::ErrorCode;

struct Found {
    std::size_t records = 0;
    std::set<std::int64_t> offsets;
    std::int64_t end = 0;
};

Found read_all(RawClient& client, const std::string& topic, std::int64_t end) {
    Found found;
    while (found.end < end) {
        const auto part = fetch(client, topic, 0, found.end);
        EXPECT_EQ(part.error_code, ErrorCode::none);
        if (!part.records) break;
        std::vector<std::byte> bytes{part.records->begin(), part.records->end()};
        std::span<const std::byte> rest{bytes};
        while (rest.size() >= wire::batch_header_bytes) {
            const wire::BatchView batch{rest};
            if (!batch.is_whole()) break;
            EXPECT_TRUE(batch.crc_matches());
            wire::RecordReader reader{batch.records()};
            while (!reader.at_end()) {
                const auto record = reader.next();
                if (!record) break;
                found.offsets.insert((batch.base_offset() + record->offset_delta).value);
                ++found.records;
            }
            found.end = batch.next_offset().value;
            rest = rest.subspan(batch.size());
        }
        if (::testing::Test::HasFailure()) break;
    }
    return found;
}

// Ten records of one key, 100 KB together.
std::vector<std::byte> large_batch() {
    wire::BatchBuilder batch;
    const std::string value(10'000, 'x');
    for (int i = 0; i < 10; ++i) {
        batch.add({.key = "key", .value = value, .timestamp = {1'700'000'000'000 + i}});
    }
    return batch.build();
}

class CompactedTopic : public ::testing::TestWithParam<std::string> {};

TEST_P(CompactedTopic, LosesOldRecordsByItselfAndKeepsTheNewestThroughARestart) {
    const std::string engines =
        "[storage.mapped]\nplugin = \"mmap\"\nsegment_size = \"64KiB\"\n"
        "[compaction]\ncheck_interval = \"20ms\"\nmemory = \"64KiB\"\n";
    auto broker = std::make_unique<BrokerUnderTest>(engines);
    broker->keep_folder();
    const auto folder = broker->folder();
    constexpr std::int64_t end = 500;
    {
        RawClient client{broker->port()};
        ASSERT_EQ(create_topic(client, "t", 1,
                               {{"cleanup.policy", "compact"},
                                {"segment.bytes", "1048576"},
                                {"min.cleanable.dirty.ratio", "0.01"},
                                {"leat.storage.engine", GetParam()}}),
                  ErrorCode::none);
        for (int i = 0; i < 50; ++i) {
            ASSERT_EQ(produce(client, "t", 0, large_batch()).error_code, ErrorCode::none);
        }
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
        Found found = read_all(client, "t", end);
        while (found.records > 150 && std::chrono::steady_clock::now() < deadline) {
            found = read_all(client, "t", end);
        }
        EXPECT_LE(found.records, 150u);  // What is in the segment that is being written.
        EXPECT_TRUE(found.offsets.contains(end - 1));
        EXPECT_EQ(found.end, end);
    }
    EXPECT_TRUE(broker->stop());
    broker.reset();
    if (GetParam() != "ram") {
        BrokerUnderTest again{engines, folder};
        RawClient client{again.port()};
        const Found found = read_all(client, "t", end);
        EXPECT_LE(found.records, 150u);
        EXPECT_TRUE(found.offsets.contains(end - 1));
        EXPECT_EQ(produce(client, "t", 0, batch_of(1)).base_offset, end);
    }
    std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(OnEachEngine, CompactedTopic, ::testing::Values("disk", "mapped", "ram"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace leat::app
