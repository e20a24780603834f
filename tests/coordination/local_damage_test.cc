// The local backend over files that are damaged, cut or missing.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "plugins/coordination/local/backend.h"
#include "plugins/coordination/local/format.h"
#include "tests/coordination/forgetful_disk.h"

namespace leat::local {
namespace {

// Either the keys that were read, "/k0=0 /k1=1", or why it did not start.
std::string opened(ForgetfulDisk& disk) {
    sdk::testing::ManualShard shard;
    sdk::testing::ManualContext context{shard, "/data"};
    LocalBackend backend{context, {}, disk.files()};
    if (const auto started = backend.start({}, [](sdk::SessionEvent) {}); !started)
        return "refused: " + started.error().what;
    std::string text;
    backend.read("/", [&](sdk::Result<sdk::Snapshot> got) {
        if (!got) text = "error";
        else for (const auto& entry : got->entries) text += entry.key + "=" + entry.value + " ";
    });
    shard.run_ready();
    return text;
}

// /k0=0, /k1=1 and so on, each in a unit of its own. `snapshot_after`: once in the middle.
void fill(ForgetfulDisk& disk, int keys, std::uint64_t snapshot_after = 1 << 20) {
    sdk::testing::ManualShard shard;
    sdk::testing::ManualContext context{shard, "/data"};
    LocalBackend backend{context, {.snapshot_after = snapshot_after}, disk.files()};
    ASSERT_TRUE(backend.start({}, [](sdk::SessionEvent) {}));
    for (int i = 0; i < keys; ++i) {
        const std::string n = std::to_string(i);
        backend.commit({{}, {sdk::Put{"/k" + n, n}}}, [](auto outcome) { EXPECT_TRUE(outcome); });
        shard.run_ready();
    }
}

std::string keys_up_to(int keys) {
    std::string text;
    for (int i = 0; i < keys; ++i) text += "/k" + std::to_string(i) + "=" + std::to_string(i) + " ";
    return text;
}

// Where each unit of the journal begins, and its end.
std::vector<std::size_t> unit_starts(const std::string& journal) {
    std::vector<std::size_t> starts{head_bytes};
    while (const auto unit = unit_at(journal, starts.back()))
        starts.push_back(starts.back() + unit->bytes);
    return starts;
}

TEST(LocalDamageTest, ATailThatIsCutAnywhereGivesTheTransactionsThatAreWhole) {
    ForgetfulDisk disk;
    fill(disk, 4);
    const std::string whole = *disk.contents("journal");
    const auto starts = unit_starts(whole);
    ASSERT_EQ(starts.size(), 5u);
    for (std::size_t size = head_bytes; size <= whole.size(); ++size) {
        int units = 0;
        while (units < 4 && starts[static_cast<std::size_t>(units) + 1] <= size) ++units;
        *disk.contents("journal") = whole.substr(0, size);
        EXPECT_EQ(opened(disk), keys_up_to(units)) << "cut at " << size;
        *disk.contents("journal") = whole.substr(0, size) + std::string(300, '\0');
        EXPECT_EQ(opened(disk), keys_up_to(units)) << "zeros from " << size;
    }
}

TEST(LocalDamageTest, ABitThatFlipsBelowTheLastTransactionIsRefused) {
    ForgetfulDisk disk;
    fill(disk, 4);
    const std::string whole = *disk.contents("journal");
    const std::size_t last = unit_starts(whole)[3];
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const int bit : {0, 3, 7}) {
            std::string& journal = *disk.contents("journal");
            journal = whole;
            journal[at] = static_cast<char>(journal[at] ^ (1 << bit));
            const std::string text = opened(disk);
            if (at < last)
                EXPECT_EQ(text.rfind("refused: ", 0), 0u) << "byte " << at << ": " << text;
            else
                EXPECT_EQ(text, keys_up_to(3)) << "byte " << at;
        }
}

TEST(LocalDamageTest, ASnapshotWithAnyWrongBitIsRefused) {
    ForgetfulDisk disk;
    fill(disk, 9, 300);
    ASSERT_NE(disk.contents("snapshot"), nullptr);
    EXPECT_EQ(opened(disk), keys_up_to(9));
    const std::string whole = *disk.contents("snapshot");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string& snapshot = *disk.contents("snapshot");
        snapshot = whole;
        snapshot[at] = static_cast<char>(snapshot[at] ^ 4);
        EXPECT_EQ(opened(disk).rfind("refused: ", 0), 0u) << "byte " << at;
        snapshot = whole.substr(0, at);
        EXPECT_EQ(opened(disk).rfind("refused: ", 0), 0u) << "cut at " << at;
    }
}

TEST(LocalDamageTest, AMissingFileIsRefusedInWords) {
    ForgetfulDisk disk;
    fill(disk, 9, 300);
    const std::string snapshot = *disk.contents("snapshot");
    disk.forget("snapshot");
    EXPECT_NE(opened(disk).find("the snapshot before it is missing or older"), std::string::npos);
    ForgetfulDisk other;
    fill(other, 9, 300);
    other.forget("journal");
    EXPECT_NE(opened(other).find("journal is missing beside a snapshot"), std::string::npos);
}

TEST(LocalDamageTest, FilesOfDifferentTimesAreRefused) {
    ForgetfulDisk disk;
    fill(disk, 3);
    const std::string young = *disk.contents("journal");
    ForgetfulDisk later;
    fill(later, 40, 300);
    *later.contents("journal") = young;
    EXPECT_NE(opened(later).find("ends before the snapshot beside it"), std::string::npos);
}

TEST(LocalDamageTest, AFormatOfTheFutureSaysWhichProgramToStart) {
    ForgetfulDisk disk;
    fill(disk, 1);
    std::string& journal = *disk.contents("journal");
    std::string head = encode_head(journal_magic, sdk::Revision{0});
    head[8] = 2;
    EXPECT_FALSE(decode_head(head, journal_magic, "journal"));
    journal = "something else entirely, and long enough for a head";
    EXPECT_NE(opened(disk).find("does not begin as Leat begins it"), std::string::npos);
}

TEST(LocalDamageTest, AUnitThatLiesAboutItsCountsIsRefused) {
    ForgetfulDisk disk;
    fill(disk, 1);
    std::string unit = begin_unit(sdk::Revision{2});
    add_transaction(unit, {{}, {sdk::Put{"/k1", "1"}}});
    finish_unit(unit, 2'000'000'000);
    *disk.contents("journal") += unit;
    EXPECT_NE(opened(disk).find("does not go on as it should"), std::string::npos);
}

}  // namespace
}  // namespace leat::local
