// Builds a record batch: for tests, load generators and the control batches that a broker writes
// itself.
//
//   auto bytes = BatchBuilder{}.add({.key = "k", .value = "v", .timestamp = {1000}}).build();
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/wire/record_batch.h"
#include "leat/sdk/function.h"

namespace leat::wire {

struct NewRecord {
    std::optional<std::string_view> key;
    std::optional<std::string_view> value;
    Timestamp timestamp{0};
    std::span<const std::pair<std::string_view, std::optional<std::string_view>>> headers{};
    std::optional<std::int32_t> offset_delta{};  // Absent: the next. Gaps: as compacted.
};

struct BatchFields {
    Offset base_offset{0};
    LeaderEpoch leader_epoch{-1};
    std::int64_t producer_id = no_producer_id;
    std::int16_t producer_epoch = no_producer_epoch;
    std::int32_t base_sequence = no_sequence;
    bool transactional = false;
    bool control = false;
};

class BatchBuilder {
public:
    // Compresses the records. It is asked once per build.
    using Compress = sdk::Function<std::vector<std::byte>(std::span<const std::byte>)>;

    BatchBuilder() = default;
    explicit BatchBuilder(BatchFields fields) : fields_{fields} {}

    BatchBuilder& add(const NewRecord& record);  // Copies what the record points at.
    std::int32_t count() const { return count_; }

    std::vector<std::byte> build() const;
    std::vector<std::byte> build(int codec_id, Compress compress) const;

private:
    std::vector<std::byte> finish(std::span<const std::byte> records, int codec_id) const;

    BatchFields fields_;
    std::vector<std::byte> records_;
    std::int32_t count_ = 0;
    std::int32_t last_offset_delta_ = -1;
    Timestamp base_timestamp_{-1};
    Timestamp max_timestamp_{-1};
};

// Puts a signed varint in zigzag form, as records use it (Kafka documentation, "Record").
void put_varint(std::vector<std::byte>& to, std::int64_t value);

}  // namespace leat::wire
