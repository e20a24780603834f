// Requests of Kafka's protocol, built once and sent many times, and what a load generator must read
// of the answers. Written apart from core/wire on purpose: a measuring tool that shares the
// broker's codec would share its mistakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leat::bench {

using Bytes = std::string;

class Writer {
public:
    template <class Integer>
    Writer& number(Integer value) {
        for (std::size_t i = sizeof value; i-- > 0;) {
            bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i)));
        }
        return *this;
    }
    Writer& string(std::string_view text) {
        number(static_cast<std::int16_t>(text.size()));
        bytes_.append(text);
        return *this;
    }
    Writer& varint(std::int64_t value);  // Zigzag, as in records.
    Writer& raw(std::string_view bytes) {
        bytes_.append(bytes);
        return *this;
    }
    Bytes take() { return std::move(bytes_); }
    std::size_t size() const { return bytes_.size(); }

private:
    Bytes bytes_;
};

// Reads past the end give zero and make ok() false.
class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_{bytes} {}

    template <class Integer>
    Integer number() {
        if (!has(sizeof(Integer))) return 0;
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < sizeof(Integer); ++i) {
            value = (value << 8) | static_cast<unsigned char>(bytes_[at_ + i]);
        }
        at_ += sizeof(Integer);
        return static_cast<Integer>(value);
    }
    std::string_view string() { return raw(number<std::int16_t>()); }  // Null reads as empty.
    std::string_view raw(std::int64_t size) {
        if (size <= 0 || !has(static_cast<std::size_t>(size))) return {};
        const auto view = bytes_.substr(at_, static_cast<std::size_t>(size));
        at_ += static_cast<std::size_t>(size);
        return view;
    }
    bool ok() const { return ok_; }
    std::size_t at() const { return at_; }

private:
    bool has(std::size_t size) {
        if (bytes_.size() - at_ < size) ok_ = false;
        return ok_;
    }
    std::string_view bytes_;
    std::size_t at_ = 0;
    bool ok_ = true;
};

enum class Codec { none = 0, lz4 = 3, zstd = 4 };

struct BatchShape {
    int records = 100;
    int value_bytes = 1024;
    Codec codec = Codec::none;  // lz4 comes out at about half of raw, zstd at about a fifth.
};

Bytes record_batch(const BatchShape& shape);
// A record for each key, none compressed, with values of so many bytes that differ by `seed`.
Bytes keyed_batch(const std::vector<std::string>& keys, int value_bytes, unsigned seed);
// In a batch of one uncompressed record, where its value begins; and its CRC made right again.
std::size_t value_position(const BatchShape& one_record);
void seal_batch(std::span<char> batch);

// Whole frames with their length; the correlation id is at correlation_position.
inline constexpr std::size_t correlation_position = 8;
void set_correlation(std::span<char> frame, std::int32_t id);
std::int32_t number_at(const char* bytes);

struct Target {
    std::string topic;
    std::int32_t partition = 0;
};
Bytes framed(std::int16_t key, std::int16_t version, std::string_view body);
Bytes api_versions_v0();
Bytes metadata_v4(const std::vector<std::string>& topics);
struct NewTopic {
    std::string name;
    std::int32_t partitions = 1;
    std::vector<std::pair<std::string, std::string>> configs;
};
Bytes create_topics_v4(const NewTopic& topic);
Bytes delete_topic_v3(const std::string& topic);
Bytes alter_config_v0(const std::string& topic, const std::string& name, const std::string& value);
Bytes describe_log_dirs_v1(const Target& target);
Bytes produce_v7(const Target& target, std::int16_t acks, std::string_view batch);
struct FetchShape {
    std::int64_t offset = 0;
    std::int32_t max_wait_ms = 500;
    std::int32_t min_bytes = 1;
    std::int32_t max_bytes = 1024 * 1024;
};
Bytes fetch_v11(const Target& target, const FetchShape& shape);

// Of an incremental fetch session (KIP-227): epoch 0 names the partitions, later ones nothing.
struct SessionShape {
    std::int32_t partitions = 1;
    std::int32_t id = 0;
    std::int32_t epoch = 0;
};
Bytes fetch_in_session_v11(const std::string& topic, const SessionShape& shape);

// Of answers without their length. A failure is the error code; -1000 if it cannot be read.
std::int16_t produce_error(std::string_view answer);
std::int16_t create_error(std::string_view answer);
std::int64_t log_bytes(std::string_view log_dirs_answer);  // Of the one partition; -1: not told.
int ready_partitions(std::string_view metadata_answer);  // With a leader and no error.
struct Fetched {
    std::int16_t error = 0;
    std::string_view batches;
    std::int64_t high_watermark = 0;
    std::int64_t next_offset = -1;  // -1: nothing came.
};
Fetched fetched(std::string_view answer);
struct FetchedInSession {
    std::int16_t error = 0;
    std::int32_t id = 0;
    std::int32_t topics = 0;
};
FetchedInSession fetched_in_session(std::string_view answer);

}  // namespace leat::bench
