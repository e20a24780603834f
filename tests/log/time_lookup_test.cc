// ListOffsets by time, inside one batch.
#include "core/log/time_lookup.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/log/compressed_batch.h"
#include "core/wire/batch_builder.h"

namespace leat::log {
namespace {

using compression::Codec;
using wire::BatchBuilder;
using wire::BatchView;
using Bytes = std::vector<std::byte>;

BatchBuilder dated(std::initializer_list<std::int64_t> timestamps) {
    BatchBuilder batch{{.base_offset = {100}}};
    for (const auto timestamp : timestamps) batch.add({.value = "v", .timestamp = {timestamp}});
    return batch;
}

TEST(TimeLookup, FindsTheFirstRecordThatIsNotOlder) {
    for (const Codec codec : {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
        const Bytes bytes = compressed_batch(dated({2, 4, 6, 8}), codec);
        const BatchView batch{bytes};
        EXPECT_EQ(*first_not_older(batch, {3}, {0}), (TimedRecord{{101}, {4}}));
        EXPECT_EQ(*first_not_older(batch, {5}, {0}), (TimedRecord{{102}, {6}}));
        EXPECT_EQ(*first_not_older(batch, {9}, {0}), std::nullopt);
        EXPECT_EQ(*first_not_older(batch, {1}, {103}), (TimedRecord{{103}, {8}}));
    }
}

TEST(TimeLookup, CopesWithTimestampsThatDoNotRise) {
    const Bytes bytes = dated({10, 5, 30, 20, 30}).build();
    EXPECT_EQ(*first_not_older(BatchView{bytes}, {11}, {0}), (TimedRecord{{102}, {30}}));
    EXPECT_EQ(*newest(BatchView{bytes}), (TimedRecord{{102}, {30}}));
}

TEST(TimeLookup, TakesTheAppendTimeForEveryRecordWhereTheTopicDoes) {
    Bytes bytes = dated({2, 4}).build();
    wire::MutableBatchView{bytes}.set_log_append_time({50});
    EXPECT_EQ(*first_not_older(BatchView{bytes}, {40}, {0}), (TimedRecord{{100}, {50}}));
    EXPECT_EQ(*newest(BatchView{bytes}), (TimedRecord{{100}, {50}}));
}

TEST(TimeLookup, PassesOverControlBatches) {
    const Bytes bytes = BatchBuilder{{.producer_id = 1, .control = true}}
                            .add({.timestamp = {5}})
                            .build();
    EXPECT_EQ(*first_not_older(BatchView{bytes}, {1}, {0}), std::nullopt);
    EXPECT_EQ(*newest(BatchView{bytes}), std::nullopt);
}

}  // namespace
}  // namespace leat::log
