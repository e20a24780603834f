// Every lie that a batch can tell, and the answer that a running Apache Kafka 4.4 gave to it.
#include "core/log/batch_validator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/log/compressed_batch.h"
#include "core/log/time_lookup.h"
#include "core/wire/batch_builder.h"

namespace leat::log {
namespace {

using compression::Codec;
using wire::BatchBuilder;
using wire::ErrorCode;
using wire::MutableBatchView;
using Bytes = std::vector<std::byte>;

constexpr Timestamp noon{1'700'000'000'000};
constexpr std::int64_t hour = 3'600'000;

BatchBuilder builder_of(int records) {
    BatchBuilder builder;
    for (int i = 0; i < records; ++i)
        builder.add({.key = "key", .value = "value", .timestamp = noon});
    return builder;
}
Bytes good(int records = 1) {
    return builder_of(records).build();
}

template <class Number>
Bytes with(Bytes batch, std::size_t at, Number value, bool sealed = true) {
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        const auto shift = 8 * (sizeof(Number) - 1 - i);
        batch[at + i] = static_cast<std::byte>((static_cast<std::uint64_t>(value) >> shift) & 0xff);
    }
    if (sealed) MutableBatchView{batch}.seal();
    return batch;
}
Bytes with_attributes(int attributes, Bytes batch = good()) {
    return with(std::move(batch), 21, static_cast<std::int16_t>(attributes));
}
Bytes then(Bytes batch, const Bytes& more) {
    batch.insert(batch.end(), more.begin(), more.end());
    return batch;
}
Bytes cut(Bytes batch, std::size_t size) {
    batch.resize(size);
    return batch;
}

std::optional<AppendError> refusal(const Bytes& bytes, const BatchRules& rules = {}) {
    auto validated = validate(std::span<const std::byte>{bytes}, rules, noon);
    if (auto* error = std::get_if<AppendError>(&validated)) return std::move(*error);
    return std::nullopt;
}
ErrorCode code(const Bytes& bytes, const BatchRules& rules = {}) {
    const auto error = refusal(bytes, rules);
    return error ? error->code : ErrorCode::none;
}

TEST(BatchValidator, TakesAnHonestBatch) {
    EXPECT_EQ(code(good(3)), ErrorCode::none);
    for (const Codec codec : {Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
        const Bytes batch = compressed_batch(builder_of(3), codec);
        EXPECT_EQ(code(batch), ErrorCode::none);
        EXPECT_EQ(code(batch, {.validation = Validation::full}), ErrorCode::none);
    }
}

TEST(BatchValidator, RefusesWhatIsNotOneWholeBatch) {
    EXPECT_EQ(std::get<AppendError>(validate(std::nullopt, {}, noon)).code,
              ErrorCode::invalid_record);
    EXPECT_EQ(code({}), ErrorCode::invalid_record);
    EXPECT_EQ(code(cut(good(), 10)), ErrorCode::invalid_record);
    EXPECT_EQ(code(cut(good(), 40)), ErrorCode::invalid_record);
    EXPECT_EQ(code(cut(good(), good().size() - 3)), ErrorCode::invalid_record);
    EXPECT_EQ(code(with(good(), 8, std::int32_t{5}, false)), ErrorCode::corrupt_message);
    EXPECT_EQ(code(with(good(), 8, std::int32_t{-7}, false)), ErrorCode::corrupt_message);
    EXPECT_EQ(code(with(good(), 8, std::int32_t{30}, false)), ErrorCode::corrupt_message);
    EXPECT_EQ(code(with(good(), 8, std::int32_t{0x7fffffff}, false)), ErrorCode::invalid_record);
    EXPECT_EQ(code(then(good(), good())), ErrorCode::invalid_record);
    EXPECT_EQ(code(then(good(), Bytes(70))), ErrorCode::corrupt_message);
}

TEST(BatchValidator, CutsOffWhatCannotBeAnotherBatch) {
    const Bytes batch = good();
    for (const Bytes& tail : {Bytes(5), cut(good(), good().size() - 3)}) {
        const Bytes sent = then(batch, tail);
        const auto valid = validate(std::span<const std::byte>{sent}, {}, noon);
        EXPECT_EQ(std::get<ValidBatch>(valid).bytes, batch.size());
    }
}

TEST(BatchValidator, RefusesOtherMagics) {
    EXPECT_EQ(code(with(good(), 16, std::int8_t{0}, false)), ErrorCode::invalid_record);
    EXPECT_EQ(code(with(good(), 16, std::int8_t{1}, false)), ErrorCode::invalid_record);
    EXPECT_EQ(code(with(good(), 16, std::int8_t{3}, false)), ErrorCode::corrupt_message);
    EXPECT_EQ(code(with(good(), 16, std::int8_t{-1}, false)), ErrorCode::corrupt_message);
}

TEST(BatchValidator, RefusesABaseOffsetABadChecksumAndTooManyBytes) {
    EXPECT_EQ(code(with(good(), 0, std::int64_t{5})), ErrorCode::invalid_record);
    Bytes damaged = good();
    damaged.back() ^= std::byte{1};
    EXPECT_EQ(code(damaged), ErrorCode::corrupt_message);
    EXPECT_EQ(code(good(), {.max_message_bytes = good().size()}), ErrorCode::none);
    EXPECT_EQ(code(good(), {.max_message_bytes = good().size() - 1}), ErrorCode::message_too_large);
}

TEST(BatchValidator, RefusesCountsThatDoNotAgree) {
    const auto counted = [](std::int32_t delta, std::int32_t count) {
        return code(with(with(good(), 23, delta), 57, count));
    };
    EXPECT_EQ(counted(-1, 1), ErrorCode::invalid_record);
    EXPECT_EQ(counted(0, 0), ErrorCode::invalid_record);
    EXPECT_EQ(counted(-1, 0), ErrorCode::invalid_record);
    EXPECT_EQ(counted(4, 1), ErrorCode::invalid_record);
    EXPECT_EQ(counted(-2, -1), ErrorCode::invalid_record);
    EXPECT_EQ(counted(0x7fffffff, -0x7fffffff - 1), ErrorCode::invalid_record);
}

TEST(BatchValidator, RefusesMoreRecordsThanThereIsRoomForWithoutLookingAtThem) {
    const auto counted = [](Bytes batch, std::int32_t count) {
        return code(with(with(std::move(batch), 23, count - 1), 57, count));
    };
    BatchBuilder smallest;
    for (int i = 0; i < 3; ++i) smallest.add({.timestamp = noon});
    ASSERT_EQ(smallest.build().size(), wire::batch_header_bytes + 3 * 7);
    EXPECT_EQ(counted(smallest.build(), 3), ErrorCode::none);
    EXPECT_EQ(counted(smallest.build(), 4), ErrorCode::invalid_record);
    EXPECT_EQ(counted(smallest.build(), 0x7fffffff), ErrorCode::invalid_record);
    const Bytes hollow = with(cut(good(), wire::batch_header_bytes), 8, std::int32_t{49});
    EXPECT_EQ(counted(hollow, 1), ErrorCode::invalid_record);
    EXPECT_EQ(code(with_attributes(4, hollow)), ErrorCode::invalid_record);
    for (const Codec codec : {Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
        const Bytes batch = compressed_batch(builder_of(3), codec);
        EXPECT_EQ(counted(batch, 0), ErrorCode::invalid_record);
        EXPECT_EQ(counted(batch, 1'000), ErrorCode::none) << "it could be: nobody looks";
        EXPECT_EQ(counted(batch, 1'000'000), ErrorCode::invalid_record);
        EXPECT_EQ(counted(batch, 0x7fffffff), ErrorCode::invalid_record);
    }
}

TEST(BatchValidator, TakesAsManySmallRecordsAsCompressWell) {
    BatchBuilder many;
    for (int i = 0; i < 500'000; ++i) many.add({.timestamp = noon});
    for (const Codec codec : {Codec::gzip, Codec::lz4, Codec::zstd})
        EXPECT_EQ(code(compressed_batch(many, codec), {.max_message_bytes = 64u << 20}),
                  ErrorCode::none);
}

TEST(BatchValidator, RefusesCountsThatTheRecordsDoNotBearOutWhenItLooks) {
    const BatchRules full{.validation = Validation::full};
    EXPECT_EQ(code(with(with(good(1), 23, 2), 57, 3), full), ErrorCode::invalid_record);
    EXPECT_EQ(code(with(with(good(2), 23, 0), 57, 1), full), ErrorCode::invalid_record);
    BatchBuilder gaps;
    gaps.add({.key = "k"}).add({.key = "k", .offset_delta = 5});
    const auto error = refusal(with(gaps.build(), 23, 1), full);
    ASSERT_TRUE(error);
    ASSERT_EQ(error->record_errors.size(), 1u);
    EXPECT_EQ(error->record_errors[0].batch_index, 1);
}

TEST(BatchValidator, RefusesFlagsThatClientsDoNotSet) {
    EXPECT_EQ(code(with_attributes(32)), ErrorCode::invalid_record);
    EXPECT_EQ(code(with_attributes(16)), ErrorCode::transactional_id_authorization_failed);
    for (const int codec : {5, 6, 7})
        EXPECT_EQ(code(with_attributes(codec)), ErrorCode::unsupported_compression_type);
    const Bytes zstd = compressed_batch(builder_of(1), Codec::zstd);
    EXPECT_EQ(code(zstd, {.zstd = false}), ErrorCode::unsupported_compression_type);
}

TEST(BatchValidator, RefusesAProducerWithoutASequence) {
    BatchBuilder batch{{.producer_id = 9, .producer_epoch = 0, .base_sequence = -1}};
    EXPECT_EQ(code(batch.add({}).build()), ErrorCode::invalid_record);
}

TEST(BatchValidator, RefusesLz4ThatJavaCannotRead) {
    Bytes linked = compressed_batch(builder_of(1), Codec::lz4);
    linked[wire::batch_header_bytes + 4] &= std::byte{0xdf};
    MutableBatchView{linked}.seal();
    EXPECT_EQ(code(linked), ErrorCode::invalid_record);
}

TEST(BatchValidator, NamesTheRecordsThatLackAKeyOnACompactedTopic) {
    BatchBuilder batch;
    for (const bool keyed : {true, false, true, false}) {
        batch.add({.key = keyed ? std::optional<std::string_view>{"k"} : std::nullopt,
                   .timestamp = noon});
    }
    const BatchRules compacted{.compacted = true};
    for (const Bytes& bytes : {batch.build(), compressed_batch(batch, Codec::zstd)}) {
        EXPECT_EQ(code(bytes), ErrorCode::none);
        const auto error = refusal(bytes, compacted);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code, ErrorCode::invalid_record);
        ASSERT_EQ(error->record_errors.size(), 2u);
        EXPECT_EQ(error->record_errors[0].batch_index, 1);
        EXPECT_EQ(error->record_errors[1].batch_index, 3);
    }
}

TEST(BatchValidator, NamesTheRecordsWhoseTimestampsAreOutOfRange) {
    const auto at = [](std::int64_t timestamp) {
        return BatchBuilder{}.add({.timestamp = noon}).add({.timestamp = {timestamp}}).build();
    };
    EXPECT_EQ(code(at(noon.value + hour)), ErrorCode::none);
    EXPECT_EQ(code(at(5)), ErrorCode::none);
    const auto error = refusal(at(noon.value + 2 * hour));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::invalid_timestamp);
    ASSERT_EQ(error->record_errors.size(), 1u);
    EXPECT_EQ(error->record_errors[0].batch_index, 1);

    const BatchRules recent{.timestamp_before_max_ms = hour, .validation = Validation::full};
    EXPECT_EQ(code(at(noon.value - 2 * hour), recent), ErrorCode::invalid_timestamp);
    EXPECT_EQ(code(BatchBuilder{}.add({.timestamp = {-1}}).build(), recent), ErrorCode::none);
    BatchRules by_append = recent;
    by_append.timestamp_type = TimestampType::log_append_time;
    EXPECT_EQ(code(at(noon.value + 2 * hour), by_append), ErrorCode::none);
}

TEST(BatchValidator, CorrectsAHeaderThatLiesAboutTime) {
    const auto corrected = [](const Bytes& bytes) {
        const auto valid = validate(std::span<const std::byte>{bytes}, {}, noon);
        return std::get<ValidBatch>(valid).corrected_max_timestamp;
    };
    EXPECT_EQ(corrected(good()), std::nullopt);
    EXPECT_EQ(corrected(with(good(), 35, noon.value + 100 * hour)), noon);
    EXPECT_EQ(corrected(with(good(), 35, std::int64_t{-1})), noon);
    EXPECT_EQ(corrected(with_attributes(8)), noon);
}

TEST(BatchValidator, DoesNotUnpackABombWhateverTheTopicOpensItsBatchesFor) {
    const std::string zeros(80u << 20, '\0');  // Above the bounds also of codecs that pack little.
    BatchBuilder batch;
    batch.add({.key = "key", .value = zeros, .timestamp = noon});
    for (const Codec codec : {Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
        SCOPED_TRACE(compression::name_of(codec));
        const Bytes bomb = compressed_batch(batch, codec);
        ASSERT_LT(bomb.size(), 8u << 20);
        BatchRules rules{.max_message_bytes = 8u << 20};
        EXPECT_EQ(code(bomb, rules), ErrorCode::none) << "nobody opens it";
        rules.validation = Validation::full;
        EXPECT_EQ(code(bomb, rules), ErrorCode::invalid_record);
        rules.validation = Validation::header;
        rules.compacted = true;
        EXPECT_EQ(code(bomb, rules), ErrorCode::invalid_record);
        const wire::BatchView view{bomb};
        const auto by_time = first_not_older(view, noon, {0});
        ASSERT_FALSE(by_time);
        EXPECT_EQ(by_time.error().code, sdk::Errc::limit);
        ASSERT_FALSE(newest(view));
    }
}

}  // namespace
}  // namespace leat::log
