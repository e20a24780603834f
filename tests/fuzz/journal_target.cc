// Input: a byte of settings, the snapshot (two bytes of length and its bytes), then the journal.
// With the highest bit the checksums are made right first; bit 0: there is a snapshot, bit 1: a
// journal.
#include <cstdint>
#include <string>

#include "core/cluster/store_view.h"
#include "leat/sdk/crc32c.h"
#include "leat/sdk/ensure.h"
#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "plugins/coordination/local/backend.h"
#include "plugins/coordination/local/format.h"
#include "plugins/coordination/local/inspect.h"
#include "tests/coordination/forgetful_disk.h"
#include "tests/fuzz/input.h"

namespace leat::fuzz {
namespace {

using sdk::ensure;

std::string text_of(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t number_at(const std::string& file, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 4; i-- != 0;)
        number = number << 8 | static_cast<unsigned char>(file[at + i]);
    return number;
}
void put_checksum(std::string& file, std::size_t at, std::string_view of,
                  std::string_view more = {}) {
    std::uint32_t crc = sdk::crc32c(std::as_bytes(std::span{of}));
    crc = sdk::crc32c(std::as_bytes(std::span{more}), crc);
    for (std::size_t i = 0; i < 4; ++i) file[at + i] = static_cast<char>(crc >> (8 * i));
}

void make_head_right(std::string& file) {
    if (file.size() < local::head_bytes) return;
    put_checksum(file, local::head_bytes - 4,
                 std::string_view{file}.substr(0, local::head_bytes - 4));
}

void make_checksums_right(std::string& journal, std::string& snapshot) {
    constexpr std::size_t unit_head = 12;
    make_head_right(journal);
    make_head_right(snapshot);
    for (std::size_t at = local::head_bytes; at + unit_head <= journal.size();) {
        const std::size_t size = number_at(journal, at + 4);
        if (size > journal.size() - at - unit_head) break;
        const std::string_view file{journal};
        put_checksum(journal, at + 8, file.substr(at + 4, 4), file.substr(at + unit_head, size));
        at += unit_head + size;
    }
    if (snapshot.size() < local::head_bytes + 4) return;
    const std::size_t end = snapshot.size() - 4;
    put_checksum(snapshot, end,
                 std::string_view{snapshot}.substr(local::head_bytes, end - local::head_bytes));
}

class NoReport final : public sdk::FileReport {
public:
    void item(const sdk::FileItem&) override {}
    void damage(std::uint64_t, const std::string&) override {}
};

// What a broker makes of the keys.
void understand(const sdk::Snapshot& snapshot) {
    cluster::StoreView view{{}};
    view.reset(snapshot);
    (void)view.deletions();
    (void)view.strays();
    (void)view.take_complaints();
}

// Nothing if it does not start.
std::optional<std::vector<sdk::KeyValue>> opened(local::ForgetfulDisk& disk, bool put) {
    sdk::testing::ManualShard shard;
    sdk::testing::ManualContext context{shard, "/data"};
    local::LocalBackend backend{context, {}, disk.files()};
    if (!backend.start({}, [](sdk::SessionEvent) {})) return std::nullopt;
    bool done = !put;
    if (put) {
        backend.commit({{}, {sdk::Put{"/put", "1"}}},
                       [&](auto outcome) { done = outcome.has_value(); });
        shard.run_ready();
    }
    ensure(done, "a store that opened takes a transaction");
    std::optional<std::vector<sdk::KeyValue>> entries;
    backend.read("", [&](sdk::Result<sdk::Snapshot> got) {
        ensure(got.has_value(), "a store that opened can be read");
        understand(*got);
        entries = got->entries;
    });
    shard.run_ready();
    ensure(entries.has_value(), "a read is answered");
    return entries;
}

void write(local::ForgetfulDisk& disk, const char* name, const std::string& bytes) {
    auto file = disk.files()->create(name);
    ensure(file && (*file)->write_at(0, bytes).has_value() && (*file)->sync().has_value(),
           "a simulated file can be written");
}

}  // namespace

void journal(Input input) {
    Pieces pieces{input};
    const std::uint8_t settings = pieces.byte();
    std::string snapshot = text_of(pieces.piece());
    std::string written = text_of(pieces.rest());
    if ((settings & 128) != 0) make_checksums_right(written, snapshot);
    NoReport report;
    for (const auto& inspector : local::inspectors()) {
        inspector.inspect(std::as_bytes(std::span{written}), report);
        inspector.inspect(std::as_bytes(std::span{snapshot}), report);
    }
    local::ForgetfulDisk disk;
    if ((settings & 1) != 0) write(disk, "snapshot", snapshot);
    if ((settings & 2) != 0) write(disk, "journal", written);
    const auto first = opened(disk, false);
    disk.restart();
    ensure(opened(disk, false) == first, "the store is the same the second time");
    if (!first) return;
    disk.restart();
    const auto longer = opened(disk, true);
    disk.restart();
    ensure(longer && opened(disk, false) == longer, "a transaction is there after a restart");
}

}  // namespace leat::fuzz
