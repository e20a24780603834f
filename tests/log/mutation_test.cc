// Batches that were damaged at random, with a checksum that is right again: whatever they say,
// nothing is read beyond their bytes, and what is accepted keeps the log in order. Meant for the
// sanitizers.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/log/compressed_batch.h"
#include "core/log/time_lookup.h"
#include "tests/log/driven_partition.h"

namespace leat::log {
namespace {

class Mutator {
public:
    explicit Mutator(std::uint32_t seed) : random_{seed} {}

    Bytes batch() {
        const int records = below(5) + 1;
        BatchBuilder builder{{.producer_id = below(3) - 1,
                              .producer_epoch = static_cast<std::int16_t>(below(2)),
                              .base_sequence = below(4)}};
        for (int i = 0; i < records; ++i)
            builder.add({.key = "key", .value = "value", .timestamp = {noon.value + below(9)}});
        Bytes bytes = compressed_batch(builder, static_cast<compression::Codec>(below(5)));
        for (int n = below(4); n > 0; --n) mutate(bytes);
        if (bytes.size() >= wire::batch_header_bytes && below(8) != 0) {
            wire::MutableBatchView view{bytes};
            if (view.is_whole()) view.seal();
        }
        return Bytes(bytes);  // Its capacity is its size.
    }

    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

private:
    void mutate(Bytes& bytes) {
        if (bytes.empty()) return;
        const auto at = random_() % bytes.size();
        const auto in_header = random_() % std::min<std::size_t>(bytes.size(), 70);
        switch (below(6)) {
            case 0: bytes[at] = static_cast<std::byte>(random_()); break;
            case 1: bytes[in_header] = static_cast<std::byte>(random_()); break;
            case 2: bytes[in_header] ^= static_cast<std::byte>(1u << below(8)); break;
            case 3: bytes[in_header] = std::byte{0xff}; break;
            case 4: bytes.resize(at); break;
            default: bytes.insert(bytes.end(), at % 90, std::byte{0}); break;
        }
    }

    std::mt19937 random_;
};

TEST(Mutation, NeverHarmsTheLog) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mutator mutator{seed};
    DrivenPartition partition{{.segment_bytes = 4000}};
    int accepted = 0;
    for (int round = 0; round < 60'000; ++round) {
        BatchRules rules{.compacted = mutator.below(4) == 0,
                         .validation = mutator.below(2) == 0 ? Validation::full
                                                             : Validation::header};
        rules.decompression.max_output = 1u << 16;
        if (mutator.below(3) == 0) rules.timestamp_type = TimestampType::log_append_time;
        const Offset end = partition.machine.end();
        const auto outcome = partition.produce(mutator.batch(), rules);
        const auto* prepared = std::get_if<Prepared>(&outcome);
        if (prepared == nullptr) {
            ASSERT_EQ(partition.machine.end(), end);
            continue;
        }
        ++accepted;
        const BatchView stored{partition.log.at(end)};
        ASSERT_EQ(stored.base_offset(), end);
        ASSERT_EQ(partition.machine.end() - end, stored.record_count());
        ASSERT_TRUE(stored.is_whole() && stored.crc_matches());
        (void)first_not_older(stored, noon, {0}, rules.decompression);
        (void)newest(stored, rules.decompression);
    }
    EXPECT_GT(accepted, 1000);
    const auto before = partition.machine.producers().entries();
    partition.restart();
    EXPECT_EQ(partition.machine.producers().entries().size(), before.size());
}

}  // namespace
}  // namespace leat::log
