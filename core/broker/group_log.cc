#include "core/broker/group_log.h"

#include <utility>

#include "core/log/record_walk.h"
#include "core/runtime/load_slices.h"
#include "core/runtime/offload.h"
#include "core/wire/batch_builder.h"
#include "core/wire/record_batch.h"
#include "leat/sdk/ensure.h"

namespace leat::broker {

using wire::ErrorCode;

namespace {

constexpr std::size_t chunk_bytes = 1024 * 1024;  // Of the log, at a time.

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

// What a worker made of one chunk.
struct GroupLog::Chunk {
    sdk::Status status;
    std::vector<groups::Record> records;
    sdk::Offset next{-1};
    std::size_t not_understood = 0;
    std::string complaint;

    void read(std::span<const std::byte> bytes);
    void open(const wire::BatchView& batch);
};

struct GroupLog::Loading {
    sdk::Function<void(const groups::Record&)> replay;
    sdk::Function<void(Loaded)> done;
    sdk::Offset next{0};
    Loaded so_far;
};

GroupLog::GroupLog(PartitionTable& table, sdk::Shard& shard, PartitionKey key,
                   wire::Version offsets)
    : table_{table}, shard_{shard}, partition_{key}, offsets_{offsets} {}

GroupLog::~GroupLog() = default;

void GroupLog::Chunk::open(const wire::BatchView& batch) {
    if (batch.control()) return;
    const auto opened = log::OpenedRecords::open(batch, {});
    if (!opened) {
        status = opened.error();
        return;
    }
    auto reader = opened->reader();
    while (!reader.at_end()) {
        const auto record = reader.next();
        if (!record) {
            status = record.error();
            return;
        }
        if (!record->key) continue;
        auto decoded = wire::decode_group_record(*record->key, record->value);
        if (decoded) {
            records.push_back(std::move(*decoded));
            continue;
        }
        ++not_understood;
        complaint = decoded.error().what;
    }
}

void GroupLog::Chunk::read(std::span<const std::byte> bytes) {
    while (bytes.size() >= wire::batch_header_bytes && status) {
        const wire::BatchView batch{bytes};
        if (!batch.is_whole()) return;
        open(batch);
        next = batch.next_offset();
        bytes = bytes.subspan(batch.size());
    }
}

void GroupLog::load(sdk::Function<void(const groups::Record&)> replay,
                    sdk::Function<void(Loaded)> done) {
    loading_ = std::make_unique<Loading>(Loading{std::move(replay), std::move(done), {}, {}});
    read_on();
}

void GroupLog::read_on() {
    const auto again = [weak = weak_from_this()] {
        if (const auto self = weak.lock(); self && self->loading_) self->read_on();
    };
    auto outcome =
        table_.read(partition_, {.from = loading_->next, .max_bytes = chunk_bytes}, again);
    if (!outcome) return;
    if (outcome->error == ErrorCode::offset_out_of_range && loading_->next < outcome->log_start) {
        loading_->next = outcome->log_start;
        return read_on();
    }
    if (outcome->error != ErrorCode::none) return finish(outcome->error, "it cannot be read");
    if (loading_->next >= outcome->high_watermark) return finish(ErrorCode::none, {});
    runtime::offload(
        shard_,
        [slices = std::move(outcome->slices)] {
            Chunk chunk;
            std::vector<std::byte> bytes;
            chunk.status = runtime::load(slices, bytes);
            if (chunk.status) chunk.read(bytes);
            return chunk;
        },
        [weak = weak_from_this()](Chunk chunk) {
            if (const auto self = weak.lock()) self->chunk_came(std::move(chunk));
        });
}

void GroupLog::chunk_came(Chunk chunk) {
    if (!chunk.status) return finish(ErrorCode::kafka_storage_error, chunk.status.error().what);
    if (chunk.next <= loading_->next) {
        return finish(ErrorCode::kafka_storage_error, "it ends within a batch");
    }
    for (const groups::Record& record : chunk.records) loading_->replay(record);
    loading_->so_far.records += chunk.records.size();
    loading_->so_far.not_understood += chunk.not_understood;
    if (chunk.not_understood > 0) loading_->so_far.why = std::move(chunk.complaint);
    loading_->next = chunk.next;
    read_on();
}

void GroupLog::finish(ErrorCode error, std::string why) {
    const auto loading = std::exchange(loading_, nullptr);
    loading->so_far.error = error;
    if (error != ErrorCode::none) loading->so_far.why = std::move(why);
    loading->done(std::move(loading->so_far));
}

void GroupLog::append(std::span<const groups::Record> records, std::size_t most_batch_bytes,
                      sdk::Function<void(ErrorCode)> done) {
    std::vector<std::vector<std::byte>> batches;
    wire::BatchBuilder builder;
    std::size_t bytes = 0;
    for (const groups::Record& record : records) {
        const auto encoded =
            wire::encode_group_record(record, wire::written_version(record, offsets_));
        sdk::ensure(encoded.has_value(), "the machine bounds what it puts into records");
        const std::size_t size =
            encoded->key.size() + (encoded->value ? encoded->value->size() : 0) + 64;
        if (bytes > 0 && bytes + size > most_batch_bytes) {
            batches.push_back(builder.build());
            builder = {};
            bytes = 0;
        }
        bytes += size;
        wire::NewRecord added{.key = text_of(encoded->key), .timestamp = shard_.wall_clock()};
        if (encoded->value) added.value = text_of(*encoded->value);
        builder.add(added);
    }
    if (bytes > 0) batches.push_back(builder.build());
    // Shared by the batches' answers: the first error counts, or the last success.
    struct Outstanding {
        std::size_t left;
        sdk::Function<void(ErrorCode)> done;
    };
    auto outstanding = std::make_shared<Outstanding>(Outstanding{batches.size(), std::move(done)});
    for (auto& batch : batches) {
        auto owner = std::make_shared<std::vector<std::byte>>(std::move(batch));
        const std::span<std::byte> span{*owner};
        table_.append(partition_,
                      {.owner = std::move(owner), .records = span, .wait_for_commit = true},
                      [outstanding](const AppendOutcome& outcome) {
                          if (outstanding->left == 0) return;
                          --outstanding->left;
                          if (outcome.error != ErrorCode::none) outstanding->left = 0;
                          if (outstanding->left == 0) outstanding->done(outcome.error);
                      });
    }
}

}  // namespace leat::broker
