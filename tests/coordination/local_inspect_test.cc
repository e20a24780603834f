// The journal and the snapshot as `leat dump` tells them: whole, cut at every byte, changed at
// every byte.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "plugins/coordination/local/backend.h"
#include "plugins/coordination/local/format.h"
#include "plugins/coordination/local/inspect.h"
#include "tests/coordination/forgetful_disk.h"

namespace leat::local {
namespace {

struct Told final : sdk::FileReport {
    void item(const sdk::FileItem& one) override { items.push_back(one); }
    void damage(std::uint64_t position, const std::string& what) override {
        damages.emplace_back(position, what);
    }
    std::vector<sdk::FileItem> items;
    std::vector<std::pair<std::uint64_t, std::string>> damages;
};

Told told_by(const char* name, const std::string& file) {
    Told told;
    for (const auto& inspector : inspectors())
        if (inspector.name == name) inspector.inspect(std::as_bytes(std::span{file}), told);
    return told;
}

// /k0=0, /k1=1 and so on, each in a unit of its own, and /k0 deleted at the end.
void fill(ForgetfulDisk& disk, std::uint64_t snapshot_after) {
    sdk::testing::ManualShard shard;
    sdk::testing::ManualContext context{shard, "/data"};
    LocalBackend backend{context, {.snapshot_after = snapshot_after}, disk.files()};
    ASSERT_TRUE(backend.start({}, [](sdk::SessionEvent) {}));
    for (int i = 0; i < 4; ++i) {
        const std::string n = std::to_string(i);
        backend.commit({{}, {sdk::Put{"/k" + n, n}}}, [](auto outcome) { EXPECT_TRUE(outcome); });
        shard.run_ready();
    }
    backend.commit({{}, {sdk::Delete{"/k0"}}}, [](auto outcome) { EXPECT_TRUE(outcome); });
    shard.run_ready();
}

TEST(LocalInspect, TellsUnitsAndWhatTheyChange) {
    ForgetfulDisk disk;
    fill(disk, 1 << 20);
    const std::string journal = *disk.contents("journal");
    const Told told = told_by("journal", journal);
    EXPECT_TRUE(told.damages.empty());
    ASSERT_EQ(told.items.size(), 11u) << "a head, five units, five operations";
    EXPECT_EQ(told.items[0].kind, "head");
    EXPECT_EQ(told.items[1].kind, "unit");
    EXPECT_EQ(told.items[1].position, head_bytes);
    EXPECT_EQ(told.items[2].kind, "put");
    EXPECT_EQ(std::get<std::string>(told.items[2].fields[1].second), "/k0");
    EXPECT_EQ(std::get<std::string>(told.items[2].fields[2].second), "0");
    EXPECT_EQ(journal.substr(told.items[2].position + 3, 3), "/k0");
    EXPECT_EQ(told.items[10].kind, "delete");
}

TEST(LocalInspect, EveryCutAndEveryChangedByteOfAJournalIsToldWithItsPlace) {
    ForgetfulDisk disk;
    fill(disk, 1 << 20);
    const std::string journal = *disk.contents("journal");
    std::vector<std::size_t> starts{0, head_bytes};
    while (const auto unit = unit_at(journal, starts.back()))
        starts.push_back(starts.back() + unit->bytes);
    for (std::size_t i = 0; i < journal.size(); ++i) {
        std::size_t hit = 0;
        while (starts[hit + 1] <= i) ++hit;
        const Told cut = told_by("journal", journal.substr(0, i));
        const bool at_a_boundary = i == starts[hit] && i != 0;
        EXPECT_EQ(cut.damages.empty(), at_a_boundary) << i;
        if (!at_a_boundary) {
            EXPECT_EQ(cut.damages.at(0).first, starts[hit]) << i;
        }
        for (const char mask : {'\x01', '\x80', '\xff'}) {
            std::string bad = journal;
            bad[i] = static_cast<char>(bad[i] ^ mask);
            const Told changed = told_by("journal", bad);
            ASSERT_FALSE(changed.damages.empty()) << i;
            EXPECT_EQ(changed.damages[0].first, starts[hit]) << i;
        }
    }
}

TEST(LocalInspect, EveryCutAndEveryChangedByteOfASnapshotIsTold) {
    ForgetfulDisk disk;
    fill(disk, 64);
    const std::string snapshot = *disk.contents("snapshot");
    const Told whole = told_by("snapshot", snapshot);
    EXPECT_TRUE(whole.damages.empty());
    EXPECT_GT(whole.items.size(), 1u);
    for (std::size_t i = 0; i < snapshot.size(); ++i) {
        EXPECT_FALSE(told_by("snapshot", snapshot.substr(0, i)).damages.empty()) << i;
        std::string bad = snapshot;
        bad[i] = static_cast<char>(bad[i] ^ '\xff');
        EXPECT_FALSE(told_by("snapshot", bad).damages.empty()) << i;
    }
}

}  // namespace
}  // namespace leat::local
