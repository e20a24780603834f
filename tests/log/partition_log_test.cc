// A partition's life as its leader decides it: offsets, duplicates, seals, failures, recovery.
#include "core/log/partition_log.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/log/recovery.h"
#include "core/wire/batch_builder.h"

namespace leat::log {
namespace {

using wire::BatchBuilder;
using wire::BatchView;
using wire::ErrorCode;
using Bytes = std::vector<std::byte>;

constexpr Timestamp noon{1'700'000'000'000};

Bytes batch_of(int records, wire::BatchFields fields = {}) {
    BatchBuilder builder{fields};
    for (int i = 0; i < records; ++i)
        builder.add({.key = "key", .value = "value", .timestamp = {noon.value + i}});
    return builder.build();
}

Bytes from_producer(std::int32_t sequence, int records = 1, std::int16_t epoch = 0) {
    return batch_of(records,
                    {.producer_id = 7, .producer_epoch = epoch, .base_sequence = sequence});
}

class MemoryFiles final : public sdk::SideFiles {
public:
    sdk::Status write(std::string_view name, std::span<const std::byte> bytes) override {
        files[std::string{name}] = {bytes.begin(), bytes.end()};
        return {};
    }
    sdk::Result<Bytes> read(std::string_view name) override {
        const auto found = files.find(std::string{name});
        if (found == files.end()) return sdk::Error{sdk::Errc::not_found, "no such file"};
        return found->second;
    }
    sdk::Status remove(std::string_view name) override {
        files.erase(std::string{name});
        return {};
    }
    sdk::Result<std::vector<std::string>> list() override {
        std::vector<std::string> names;
        for (const auto& [name, bytes] : files) names.push_back(name);
        return names;
    }

    std::map<std::string, Bytes> files;
};

// What an engine does for the machine, as a driver would have it done.
class Driven : public BatchReader {
public:
    explicit Driven(PartitionOptions with = {}) : options{with}, machine{with} {
        machine.open({}, std::nullopt, {-1});
        machine.lead({3});
    }

    Outcome produce(Bytes bytes, const BatchRules& rules = {}, Timestamp wall = noon) {
        auto outcome = machine.prepare(std::span{bytes}, rules, wall);
        if (auto* prepared = std::get_if<Prepared>(&outcome)) {
            if (prepared->seal_first) carry_out(*prepared->seal_first);
            const auto& kept = prepared->batch.bytes;
            log[prepared->batch.base] = Bytes(kept.begin(), kept.end());
            machine.appended(1);
        }
        return outcome;
    }

    void carry_out(const SealPlan& plan) {
        ++seals;
        for (const auto& file : plan.files) {
            ASSERT_TRUE(files.write(file.name, file.bytes));
        }
    }

    sdk::Result<std::span<const std::byte>> read_from(Offset from) override {
        auto at = log.upper_bound(from);
        if (at != log.begin()) --at;
        run.clear();
        for (; at != log.end(); ++at) run.insert(run.end(), at->second.begin(), at->second.end());
        return std::span<const std::byte>{run};
    }

    // A new process over the same log.
    Recovered restart() {
        PartitionLog fresh{options};
        fresh.open({machine.begin(), machine.end(), machine.end()}, std::nullopt, {-1});
        machine = std::move(fresh);
        auto recovered = recover(machine, &files, *this, noon);
        EXPECT_TRUE(recovered.has_value());
        machine.lead({4});
        return std::move(*recovered);
    }

    PartitionOptions options;
    PartitionLog machine;
    MemoryFiles files;
    std::map<Offset, Bytes> log;
    Bytes run;
    int seals = 0;
};

TEST(PartitionLog, StampsOffsetsAndItsEpochInPlace) {
    Driven partition;
    partition.produce(batch_of(3));
    const auto second = std::get<Prepared>(partition.produce(batch_of(2)));

    EXPECT_EQ(second.batch.base, Offset{3});
    EXPECT_EQ(second.batch.next, Offset{5});
    const BatchView stored{partition.log.at({3})};
    EXPECT_EQ(stored.base_offset(), Offset{3});
    EXPECT_EQ(stored.leader_epoch(), LeaderEpoch{3});
    EXPECT_TRUE(stored.crc_matches());
    EXPECT_EQ(partition.machine.end(), Offset{5});
}

TEST(PartitionLog, AnswersEachOfTheLastFiveBatchesAsItDidTheFirstTime) {
    Driven partition;
    for (int sequence = 0; sequence < 6; ++sequence) partition.produce(from_producer(sequence));
    for (int sequence = 1; sequence < 6; ++sequence) {
        const auto again = std::get<Duplicate>(partition.produce(from_producer(sequence)));
        EXPECT_EQ(again.base, Offset{sequence});
    }
    const auto older = std::get<AppendError>(partition.produce(from_producer(0)));
    EXPECT_EQ(older.code, ErrorCode::out_of_order_sequence_number);
    EXPECT_EQ(partition.machine.end(), Offset{6});
}

TEST(PartitionLog, ForgetsWhatWasPreparedWhenTheAppendFails) {
    Driven partition;
    partition.produce(from_producer(0));
    Bytes first = from_producer(1), second = from_producer(2);
    ASSERT_TRUE(std::holds_alternative<Prepared>(
        partition.machine.prepare(std::span{first}, {}, noon)));
    ASSERT_TRUE(std::holds_alternative<Prepared>(
        partition.machine.prepare(std::span{second}, {}, noon)));
    EXPECT_EQ(partition.machine.prepared_end(), Offset{3});

    partition.machine.append_failed();

    EXPECT_EQ(partition.machine.prepared_end(), Offset{1});
    const auto retried = std::get<Prepared>(partition.produce(from_producer(1)));
    EXPECT_EQ(retried.batch.base, Offset{1});
}

TEST(PartitionLog, KeepsTheWindowAcrossAKillAndACleanStop) {
    const auto size = from_producer(0).size();
    Driven partition{{.segment_bytes = 3 * size}};
    for (int sequence = 0; sequence < 8; ++sequence) partition.produce(from_producer(sequence));
    EXPECT_EQ(partition.seals, 2);

    for (const bool clean : {false, true}) {
        if (clean) partition.carry_out(partition.machine.checkpoint());
        const auto recovered = partition.restart();
        EXPECT_EQ(recovered.replayed_from, Offset{clean ? 8 : 6});
        for (int sequence = 3; sequence < 8; ++sequence) {
            const auto again = std::get<Duplicate>(partition.produce(from_producer(sequence)));
            EXPECT_EQ(again.base, Offset{sequence});
        }
    }
}

TEST(PartitionLog, EndsAnExtentThatIsOldEnough) {
    Driven partition{{.segment_ms = 1000}};
    partition.produce(batch_of(1));
    EXPECT_FALSE(partition.machine.seal_if_due({noon.value + 1000}));
    const auto plan = partition.machine.seal_if_due({noon.value + 1001});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->at, Offset{1});
    EXPECT_FALSE(partition.machine.seal_if_due({noon.value + 5000}));
}

}  // namespace
}  // namespace leat::log
