// A partition's machine with an engine made of maps beside it, driven as a broker would.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/log/partition_log.h"
#include "core/log/recovery.h"
#include "core/wire/batch_builder.h"

namespace leat::log {

using wire::BatchBuilder;
using wire::BatchView;
using wire::ErrorCode;
using Bytes = std::vector<std::byte>;

constexpr Timestamp noon{1'700'000'000'000};

inline Bytes batch_of(int records, wire::BatchFields fields = {}) {
    BatchBuilder builder{fields};
    for (int i = 0; i < records; ++i)
        builder.add({.key = "key", .value = "value", .timestamp = {noon.value + i}});
    return builder.build();
}

inline Bytes from_producer(std::int32_t sequence, int records = 1, std::int16_t epoch = 0) {
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
class DrivenPartition final : public BatchReader {
public:
    explicit DrivenPartition(PartitionOptions with = {}) : options{with}, machine{with} {
        machine.open({}, std::nullopt, {});
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
    Recovered restart(LeaderEpoch leads = {4}) {
        PartitionLog fresh{options};
        fresh.open({machine.begin(), machine.end(), machine.end()}, std::nullopt, {});
        machine = std::move(fresh);
        auto recovered = recover(machine, &files, *this, noon);
        EXPECT_TRUE(recovered.has_value());
        machine.lead(leads);
        return std::move(*recovered);
    }

    PartitionOptions options;
    PartitionLog machine;
    MemoryFiles files;
    std::map<Offset, Bytes> log;
    Bytes run;
    int seals = 0;
};

}  // namespace leat::log
