#include "tests/fuzz/simulated_partition.h"

#include <cstdint>

#include "core/log/recovery.h"
#include "core/wire/batch_builder.h"
#include "leat/sdk/ensure.h"
#include "leat/sdk/testing/batches.h"
#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"

namespace leat::fuzz {
namespace {

using sdk::ensure;
using storage_test::SimulatedDisk;

const sdk::PartitionId partition_id{.topic_id = {{1}}, .topic = "t", .index = 3};

void write(SimulatedDisk& disk, const std::string& path, Input bytes) {
    const int file = disk.open(path, SimulatedDisk::Open::fresh);
    ensure(file > 0, "a simulated file can be made");
    std::uint64_t at = 0;
    while (at < bytes.size()) {
        const auto rest = bytes.subspan(at);
        const iovec part{const_cast<std::byte*>(rest.data()), rest.size()};
        at += static_cast<std::uint64_t>(disk.write(file, {&part, 1}, at));
    }
    disk.close(file);
}

class SeenReader final : public log::BatchReader {
public:
    explicit SeenReader(const std::vector<sdk::testing::SeenBatch>& batches) : batches_{batches} {}

    sdk::Result<std::span<const std::byte>> read_from(sdk::Offset from) override {
        run_.clear();
        for (const auto& batch : batches_) {
            if (batch.next > from) run_.insert(run_.end(), batch.bytes.begin(), batch.bytes.end());
        }
        return std::span<const std::byte>{run_};
    }

private:
    const std::vector<sdk::testing::SeenBatch>& batches_;
    Bytes run_;
};

// What indexes are for. Backwards, so that no read goes on from where another one ended.
void look_up(sdk::Log& log, const sdk::testing::FileReader& reader, Seen& seen) {
    for (auto at = seen.batches.rbegin(); at != seen.batches.rend(); ++at) {
        const auto& batch = *at;
        const auto some = sdk::testing::read_batches(log, batch.base, seen.bounds.end, 1, reader);
        seen.first_read.push_back(some && !some->empty() ? some->front().base.value : -1);
        const auto found = log.seek(wire::BatchView{batch.bytes}.max_timestamp());
        seen.seeks_fit =
            seen.seeks_fit && found && *found <= std::max(batch.base, seen.bounds.begin);
    }
}

}  // namespace

Disk disk_with(const Files& files) {
    auto disk = std::make_shared<SimulatedDisk>();
    disk->make_folder(data_folder);
    disk->make_folder(partition_folder);
    for (const auto& [path, bytes] : files) write(*disk, path, bytes);
    disk->sync_everything("/");
    return disk;
}

Files files_on(SimulatedDisk& disk, const std::string& folder) {
    Files files;
    for (const std::string& path : disk.paths()) {
        if (!path.starts_with(folder + "/")) continue;
        const int file = disk.open(path, SimulatedDisk::Open::existing);
        Bytes bytes(static_cast<std::size_t>(disk.size(file)));
        disk.read_all(file, 0, bytes);
        disk.close(file);
        files[path] = std::move(bytes);
    }
    return files;
}

struct Partition::Open {
    sdk::testing::ManualShard shard;
    sdk::testing::ManualContext context{shard, data_folder};
    std::unique_ptr<sdk::StorageEngine> engine;
    std::unique_ptr<sdk::Log> log;
};

Partition::Partition(Disk disk, bool preallocates) : disk_{std::move(disk)} {
    options_.most_open_files = 2;
    options_.most_active_files = 1;
    options_.index_step = 100;
    options_.preallocates = preallocates;
}

std::unique_ptr<Partition::Open> Partition::open(Seen& seen) {
    auto opened = std::make_unique<Open>();
    auto engine = segment::SegmentEngine::start(opened->context, disk_, options_);
    if (!engine) {
        seen.refused = engine.error().code;
        return opened;
    }
    opened->engine = std::move(*engine);
    auto log = opened->engine->open(partition_id, {.index_interval_bytes = 100});
    if (log) {
        opened->log = std::move(*log);
    } else {
        seen.refused = log.error().code;
        seen.why = log.error().what;
    }
    return opened;
}

void Partition::recover(sdk::Log& log, Seen& seen) {
    log::PartitionLog machine{{}};
    machine.open(seen.bounds, std::nullopt, {});
    SeenReader reader{seen.batches};
    seen.recovered = log::recover(machine, log.side_files(), reader, noon).has_value();
    seen.epochs.assign(machine.epochs().entries().begin(), machine.epochs().entries().end());
    seen.producers = machine.producers().entries();
}

Seen Partition::look(Leave leave) {
    Seen seen;
    const auto opened = open(seen);
    if (opened->log == nullptr) return seen;
    sdk::Log& log = *opened->log;
    seen.bounds = log.bounds();
    seen.extents = log.extents();
    ensure(seen.bounds.begin <= seen.bounds.end && seen.bounds.flushed == seen.bounds.end,
           "what recovery leaves is in order and durable");
    const auto reader = [this](int file, std::uint64_t at, std::span<std::byte> into) {
        return disk_->read_all(file, at, into);
    };
    auto batches = sdk::testing::read_log(log, {-1}, 500, reader);
    if (!batches) std::fprintf(stderr, "%s\n", batches.error().what.c_str());
    ensure(batches.has_value(), "what was recovered can be read");
    seen.batches = std::move(*batches);
    look_up(log, reader, seen);
    recover(log, seen);
    if (leave == Leave::cleanly) ensure(log.flush().has_value(), "an open log can be flushed");
    opened->log.reset();
    if (leave == Leave::cleanly) {
        ensure(opened->engine->closed_cleanly().has_value(), "the engine closes cleanly");
    }
    return seen;
}

void Partition::fill() {
    Seen seen;
    const auto opened = open(seen);
    log::PartitionLog machine{{.segment_bytes = 400}};
    machine.open({}, std::nullopt, {});
    machine.lead({3});
    for (int i = 0; i < 9; ++i) {
        wire::BatchBuilder builder{
            {.producer_id = i % 3 - 1,
             .producer_epoch = static_cast<std::int16_t>(i % 3 == 0 ? -1 : 0),
             .base_sequence = i % 3 == 0 ? -1 : i / 3}};
        builder.add({.key = "key", .value = "value", .timestamp = {noon.value + i}});
        Bytes bytes = builder.build();
        const auto outcome = machine.prepare(std::span{bytes}, {}, noon);
        const auto& prepared = std::get<log::Prepared>(outcome);
        if (prepared.seal_first) {
            ensure(opened->log->seal().has_value(), "a log can be sealed");
            for (const auto& file : prepared.seal_first->files)
                ensure(opened->log->side_files()->write(file.name, file.bytes).has_value(),
                       "a side file can be written");
        }
        ensure(opened->log->append({&prepared.batch, 1}).has_value(), "a log can be filled");
        machine.appended(1);
    }
    for (const auto& file : machine.checkpoint().files)
        (void)opened->log->side_files()->write(file.name, file.bytes);
    ensure(opened->log->flush().has_value(), "a log can be flushed");
    opened->log.reset();
    ensure(opened->engine->closed_cleanly().has_value(), "the engine closes cleanly");
}

bool Partition::append(sdk::Offset end) {
    Seen seen;
    const auto opened = open(seen);
    if (opened->log == nullptr) return false;
    const auto batch = sdk::testing::BatchMaker{end}(2, {.value_bytes = 99, .epoch = {INT32_MAX}});
    const auto one = batch.stamped();
    return opened->log->append({&one, 1}).has_value() && opened->log->flush().has_value();
}

}  // namespace leat::fuzz
