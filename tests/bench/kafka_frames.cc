#include "tests/bench/kafka_frames.h"

#include <lz4frame.h>
#include <zstd.h>

#include <chrono>
#include <random>

#include "leat/sdk/crc32c.h"

namespace leat::bench {

namespace {

constexpr std::int16_t unreadable = -1000;
constexpr std::size_t batch_header = 61;

std::int64_t now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

Bytes records(const BatchShape& shape) {
    std::mt19937 random{42};
    // The share of a value that cannot be compressed decides what the codec makes of it.
    const int noise = shape.codec == Codec::none  ? shape.value_bytes
                      : shape.codec == Codec::lz4 ? shape.value_bytes * 48 / 100
                                                  : shape.value_bytes * 19 / 100;
    Writer all;
    for (int i = 0; i < shape.records; ++i) {
        Bytes value(static_cast<std::size_t>(shape.value_bytes), 'v');
        for (int k = 0; k < noise; ++k) value[static_cast<std::size_t>(k)] =
            static_cast<char>(random());
        Writer record;
        record.number(std::int8_t{0}).varint(0).varint(i).varint(-1).varint(shape.value_bytes);
        record.raw(value).varint(0);
        const Bytes bytes = record.take();
        all.varint(static_cast<std::int64_t>(bytes.size())).raw(bytes);
    }
    return all.take();
}

Bytes compressed(const Bytes& raw, Codec codec) {
    if (codec == Codec::none) return raw;
    Bytes out;
    if (codec == Codec::lz4) {
        LZ4F_preferences_t preferences{};  // Brokers take no linked blocks.
        preferences.frameInfo.blockMode = LZ4F_blockIndependent;
        out.resize(LZ4F_compressFrameBound(raw.size(), &preferences));
        out.resize(
            LZ4F_compressFrame(out.data(), out.size(), raw.data(), raw.size(), &preferences));
    } else {
        out.resize(ZSTD_compressBound(raw.size()));
        out.resize(ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), 3));
    }
    return out;
}

}  // namespace

Writer& Writer::varint(std::int64_t value) {
    auto zigzag = (static_cast<std::uint64_t>(value) << 1) ^
                  static_cast<std::uint64_t>(value >> 63);
    for (; zigzag >= 0x80; zigzag >>= 7) bytes_.push_back(static_cast<char>(zigzag | 0x80));
    bytes_.push_back(static_cast<char>(zigzag));
    return *this;
}

namespace {

Bytes batch_of(const Bytes& body, int records, Codec codec) {
    const std::int64_t at = now_ms();
    Writer batch;
    batch.number(std::int64_t{0});
    batch.number(static_cast<std::int32_t>(batch_header - 12 + body.size()));
    batch.number(std::int32_t{-1}).number(std::int8_t{2}).number(std::int32_t{0});
    batch.number(static_cast<std::int16_t>(codec));
    batch.number(static_cast<std::int32_t>(records - 1)).number(at).number(at);
    batch.number(std::int64_t{-1}).number(std::int16_t{-1}).number(std::int32_t{-1});
    batch.number(static_cast<std::int32_t>(records)).raw(body);
    Bytes bytes = batch.take();
    seal_batch(bytes);
    return bytes;
}

}  // namespace

Bytes record_batch(const BatchShape& shape) {
    return batch_of(compressed(records(shape), shape.codec), shape.records, shape.codec);
}

Bytes keyed_batch(const std::vector<std::string>& keys, int value_bytes, unsigned seed) {
    const Bytes value(static_cast<std::size_t>(value_bytes), static_cast<char>(seed));
    Writer all;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        Writer record;
        record.number(std::int8_t{0}).varint(0).varint(static_cast<std::int64_t>(i));
        record.varint(static_cast<std::int64_t>(keys[i].size())).raw(keys[i]);
        record.varint(value_bytes).raw(value).varint(0);
        const Bytes bytes = record.take();
        all.varint(static_cast<std::int64_t>(bytes.size())).raw(bytes);
    }
    return batch_of(all.take(), static_cast<int>(keys.size()), Codec::none);
}

std::size_t value_position(const BatchShape& one_record) {
    const std::size_t whole = record_batch(one_record).size();
    return whole - 1 - static_cast<std::size_t>(one_record.value_bytes);  // No headers: one byte.
}

void seal_batch(std::span<char> batch) {
    const std::uint32_t crc = sdk::crc32c(std::as_bytes(batch.subspan(21)));
    for (std::size_t i = 0; i < 4; ++i) batch[17 + i] = static_cast<char>(crc >> (24 - 8 * i));
}

void set_correlation(std::span<char> frame, std::int32_t id) {
    for (std::size_t i = 0; i < 4; ++i) {
        frame[correlation_position + i] =
            static_cast<char>(static_cast<std::uint32_t>(id) >> (24 - 8 * i));
    }
}

std::int32_t number_at(const char* bytes) { return Reader{{bytes, 4}}.number<std::int32_t>(); }

Bytes framed(std::int16_t key, std::int16_t version, std::string_view body) {
    Writer inner;
    inner.number(key).number(version).number(std::int32_t{0}).string("leat-bench").raw(body);
    const Bytes bytes = inner.take();
    return Writer{}.number(static_cast<std::int32_t>(bytes.size())).raw(bytes).take();
}

Bytes api_versions_v0() { return framed(18, 0, ""); }

Bytes metadata_v4(const std::vector<std::string>& topics) {
    Writer body;
    body.number(static_cast<std::int32_t>(topics.size()));
    for (const std::string& topic : topics) body.string(topic);
    return framed(3, 4, body.number(std::int8_t{0}).take());
}

Bytes create_topics_v4(const NewTopic& topic) {
    Writer body;
    body.number(std::int32_t{1}).string(topic.name).number(topic.partitions);
    body.number(std::int16_t{1}).number(std::int32_t{0});
    body.number(static_cast<std::int32_t>(topic.configs.size()));
    for (const auto& [name, value] : topic.configs) body.string(name).string(value);
    return framed(19, 4, body.number(std::int32_t{60'000}).number(std::int8_t{0}).take());
}

Bytes delete_topic_v3(const std::string& topic) {
    Writer body;
    body.number(std::int32_t{1}).string(topic).number(std::int32_t{60'000});
    return framed(20, 3, body.take());
}

Bytes alter_config_v0(const std::string& topic, const std::string& name, const std::string& value) {
    Writer body;
    body.number(std::int32_t{1}).number(std::int8_t{2}).string(topic);
    body.number(std::int32_t{1}).string(name).number(std::int8_t{0}).string(value);
    return framed(44, 0, body.number(std::int8_t{0}).take());
}

Bytes describe_log_dirs_v1(const Target& target) {
    Writer body;
    body.number(std::int32_t{1}).string(target.topic);
    return framed(35, 1, body.number(std::int32_t{1}).number(target.partition).take());
}

Bytes produce_v7(const Target& target, std::int16_t acks, std::string_view batch) {
    Writer body;
    body.number(std::int16_t{-1}).number(acks).number(std::int32_t{30'000});
    body.number(std::int32_t{1}).string(target.topic).number(std::int32_t{1});
    body.number(target.partition).number(static_cast<std::int32_t>(batch.size())).raw(batch);
    return framed(0, 7, body.take());
}

Bytes fetch_v11(const Target& target, const FetchShape& shape) {
    Writer body;
    body.number(std::int32_t{-1}).number(shape.max_wait_ms).number(shape.min_bytes);
    body.number(shape.max_bytes).number(std::int8_t{0});
    body.number(std::int32_t{0}).number(std::int32_t{-1});  // No session.
    body.number(std::int32_t{1}).string(target.topic).number(std::int32_t{1});
    body.number(target.partition).number(std::int32_t{-1}).number(shape.offset);
    body.number(std::int64_t{-1}).number(shape.max_bytes);
    return framed(1, 11, body.number(std::int32_t{0}).string("").take());
}

Bytes fetch_in_session_v11(const std::string& topic, const SessionShape& shape) {
    constexpr std::int32_t max_bytes = 1024 * 1024;
    Writer body;
    body.number(std::int32_t{-1}).number(std::int32_t{0}).number(std::int32_t{0});
    body.number(max_bytes).number(std::int8_t{0}).number(shape.id).number(shape.epoch);
    body.number(std::int32_t{shape.epoch == 0});
    if (shape.epoch == 0) body.string(topic).number(shape.partitions);
    for (std::int32_t i = 0; shape.epoch == 0 && i < shape.partitions; ++i) {
        body.number(i).number(std::int32_t{-1}).number(std::int64_t{0});
        body.number(std::int64_t{-1}).number(max_bytes);
    }
    return framed(1, 11, body.number(std::int32_t{0}).string("").take());
}

std::int16_t produce_error(std::string_view answer) {
    Reader reader{answer};
    reader.number<std::int64_t>();  // Correlation id, one topic.
    reader.string();
    reader.number<std::int64_t>();  // One partition, its index.
    const auto error = reader.number<std::int16_t>();
    return reader.ok() ? error : unreadable;
}

std::int16_t create_error(std::string_view answer) {
    Reader reader{answer};
    reader.number<std::int64_t>();  // Correlation id, throttle time.
    reader.number<std::int32_t>();
    reader.string();
    const auto error = reader.number<std::int16_t>();
    return reader.ok() ? error : unreadable;
}

std::int64_t log_bytes(std::string_view answer) {
    Reader from{answer};
    from.number<std::int32_t>();  // Correlation id.
    from.number<std::int32_t>();  // Throttle time.
    for (auto folders = from.number<std::int32_t>(); folders > 0 && from.ok(); --folders) {
        from.number<std::int16_t>();
        from.string();
        for (auto topics = from.number<std::int32_t>(); topics > 0 && from.ok(); --topics) {
            from.string();
            const auto partitions = from.number<std::int32_t>();
            from.number<std::int32_t>();
            const auto size = from.number<std::int64_t>();
            if (partitions == 1 && from.ok()) return size;
        }
    }
    return -1;
}

int ready_partitions(std::string_view answer) {
    Reader reader{answer};
    reader.number<std::int64_t>();  // Correlation id, throttle time.
    for (auto brokers = reader.number<std::int32_t>(); brokers > 0 && reader.ok(); --brokers) {
        reader.number<std::int32_t>();
        reader.string();
        reader.number<std::int32_t>();
        reader.string();
    }
    reader.string();
    reader.number<std::int32_t>();
    int ready = 0;
    for (auto topics = reader.number<std::int32_t>(); topics > 0 && reader.ok(); --topics) {
        reader.number<std::int16_t>();
        reader.string();
        reader.number<std::int8_t>();
        for (auto parts = reader.number<std::int32_t>(); parts > 0 && reader.ok(); --parts) {
            const auto error = reader.number<std::int16_t>();
            reader.number<std::int32_t>();
            if (error == 0 && reader.number<std::int32_t>() >= 0) ++ready;
            if (error != 0) reader.number<std::int32_t>();
            for (int list = 0; list < 2; ++list) reader.raw(4 * reader.number<std::int32_t>());
        }
    }
    return reader.ok() ? ready : 0;
}

Fetched fetched(std::string_view answer) {
    Reader reader{answer};
    reader.number<std::int64_t>();  // Correlation id, throttle time.
    Fetched result;
    result.error = reader.number<std::int16_t>();
    reader.number<std::int32_t>();
    if (reader.number<std::int32_t>() == 0) return result;
    reader.string();
    reader.number<std::int64_t>();  // One partition, its index.
    if (result.error == 0) result.error = reader.number<std::int16_t>();
    result.high_watermark = reader.number<std::int64_t>();
    for (int i = 0; i < 2; ++i) reader.number<std::int64_t>();
    for (auto aborted = reader.number<std::int32_t>(); aborted > 0; --aborted) reader.raw(16);
    reader.number<std::int32_t>();
    result.batches = reader.raw(reader.number<std::int32_t>());
    if (!reader.ok()) result.error = unreadable;
    for (std::string_view rest = result.batches; rest.size() >= batch_header;) {
        Reader batch{rest};
        const auto first = batch.number<std::int64_t>();
        const auto size = static_cast<std::size_t>(batch.number<std::int32_t>()) + 12;
        if (size > rest.size()) break;  // Kafka may cut the last batch short.
        result.next_offset = first + number_at(rest.data() + 23) + 1;
        rest.remove_prefix(size);
    }
    return result;
}

FetchedInSession fetched_in_session(std::string_view answer) {
    Reader reader{answer};
    reader.number<std::int64_t>();  // Correlation id, throttle time.
    FetchedInSession result;
    result.error = reader.number<std::int16_t>();
    result.id = reader.number<std::int32_t>();
    result.topics = reader.number<std::int32_t>();
    if (!reader.ok()) result.error = unreadable;
    return result;
}

}  // namespace leat::bench
