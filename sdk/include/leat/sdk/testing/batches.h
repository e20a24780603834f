// Record batches for tests of storage engines: real ones, with a checksum that holds, of any size.
//
//   BatchMaker make{Offset{0}};
//   auto first = make(3);                     // Offsets 0 to 2.
//   auto second = make(1, {.value_bytes = 70'000, .timestamp = Timestamp{9}});
//   EXPECT_TRUE(log.append(stamped({first, second})));
//
// Kafka documentation, "Record Batch", format v2; values are filled from a counter, so that no two
// batches are alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/crc32c.h"
#include "leat/sdk/storage.h"

namespace leat::sdk::testing {

struct TestBatch {
    Offset base;
    Offset next;
    Timestamp max_timestamp;
    std::vector<std::byte> bytes;

    StampedBatch stamped() const { return {base, next, max_timestamp, bytes}; }
};

inline std::vector<StampedBatch> stamped(const std::vector<TestBatch>& batches) {
    std::vector<StampedBatch> out;
    for (const auto& batch : batches) out.push_back(batch.stamped());
    return out;
}

struct BatchShape {
    std::size_t value_bytes = 10;            // Of each record.
    Timestamp timestamp{1'700'000'000'000};  // Of the last record; all others are as old.
    LeaderEpoch epoch{0};
    std::int64_t gap = 0;  // Offsets left out before it.
};

class BatchMaker {
public:
    explicit BatchMaker(Offset next) : next_{next} {}

    Offset next() const { return next_; }
    void go_to(Offset next) { next_ = next; }

    TestBatch operator()(std::int32_t records, const BatchShape& shape = {}) {
        const Offset base = next_ + shape.gap;
        next_ = base + records;
        std::vector<std::byte> body;
        put_head(body, records, shape, records);
        for (std::int32_t i = 0; i < records; ++i) put_record(body, i, shape.value_bytes);
        return sealed(base, next_, shape, body);
    }

    // A batch without a record over [base, next), as a compaction leaves it behind.
    static TestBatch empty(Offset base, Offset next, const BatchShape& shape = {}) {
        std::vector<std::byte> body;
        put_head(body, static_cast<std::int32_t>(next - base), shape, 0);
        return sealed(base, next, shape, body);
    }

private:
    template <class Number>
    static void put(std::vector<std::byte>& out, Number number) {
        const auto value = static_cast<std::uint64_t>(number);
        for (std::size_t i = sizeof(Number); i-- != 0;) {
            out.push_back(static_cast<std::byte>(value >> (8 * i)));
        }
    }
    static void put_varint(std::vector<std::byte>& out, std::int64_t number) {
        auto value = static_cast<std::uint64_t>(number) << 1;  // Zigzag of what is not negative.
        for (; value >= 128; value >>= 7) out.push_back(static_cast<std::byte>(value | 128));
        out.push_back(static_cast<std::byte>(value));
    }

    static TestBatch sealed(Offset base, Offset next, const BatchShape& shape,
                            std::span<const std::byte> body) {
        std::vector<std::byte> bytes;
        put(bytes, base.value);
        put(bytes, static_cast<std::int32_t>(body.size() + 9));
        put(bytes, shape.epoch.value);
        put(bytes, std::int8_t{2});
        put(bytes, crc32c(body));
        bytes.insert(bytes.end(), body.begin(), body.end());
        return {base, next, shape.timestamp, std::move(bytes)};
    }

    static void put_head(std::vector<std::byte>& out, std::int32_t offsets, const BatchShape& shape,
                         std::int32_t records) {
        put(out, std::int16_t{0});        // attributes
        put(out, offsets - 1);            // lastOffsetDelta
        put(out, shape.timestamp.value);  // baseTimestamp
        put(out, shape.timestamp.value);  // maxTimestamp
        put(out, std::int64_t{-1});       // producerId
        put(out, std::int16_t{-1});       // producerEpoch
        put(out, std::int32_t{-1});       // baseSequence
        put(out, records);
    }

    void put_record(std::vector<std::byte>& out, std::int32_t delta, std::size_t value_bytes) {
        std::vector<std::byte> record;
        record.push_back(std::byte{0});  // attributes
        put_varint(record, 0);           // timestampDelta
        put_varint(record, delta);
        record.push_back(std::byte{1});  // No key: length -1.
        put_varint(record, static_cast<std::int64_t>(value_bytes));
        const std::string number = std::to_string(++made_) + ".";
        for (std::size_t i = 0; i < value_bytes; ++i) {
            record.push_back(static_cast<std::byte>(number[i % number.size()]));
        }
        put_varint(record, 0);  // No headers.
        put_varint(out, static_cast<std::int64_t>(record.size()));
        out.insert(out.end(), record.begin(), record.end());
    }

    Offset next_;
    std::uint64_t made_ = 0;
};

}  // namespace leat::sdk::testing
