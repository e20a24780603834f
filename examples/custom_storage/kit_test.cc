// Every rule of storage engines, over this one, and what it promises beyond them.
#include <unistd.h>

#include <set>

#include "extent.h"
#include "leat/sdk/testing/storage_conformance.h"

extern "C" const leat::sdk::PluginInfo leat_plugin_v1_custom_storage;

namespace leat::sdk::testing {
namespace {

namespace fs = std::filesystem;

// A key for this process.
std::string key_file() {
    static const std::string path = [] {
        std::string name = ::testing::TempDir() + "sealed-key-XXXXXX";
        ensure(::mkstemp(name.data()) >= 0, "there is room for a key");
        std::ofstream{name} << std::string(64, 'a') << "\n";
        return name;
    }();
    return path;
}

fs::path last_extent(const fs::path& folder, const PartitionId&) {
    fs::path last;
    for (const auto& entry : fs::recursive_directory_iterator{folder})
        if (entry.path().extension() == ".sealed" && entry.path() > last) last = entry.path();
    return last;
}

StorageUnderTest under_test(std::int64_t cache) {
    auto engine = storage_plugin(leat_plugin_v1_custom_storage,
                                 {{"key_file", key_file()}, {"cache", OptionValue{cache}}});
    engine.tail_file = last_extent;
    engine.bytes_beside_a_batch = sealed::head_bytes;
    return engine;
}

const auto engines = ::testing::Values(under_test(64 << 20), under_test(1 << 20));

INSTANTIATE_TEST_SUITE_P(Sealed, StorageConformance, engines);
INSTANTIATE_TEST_SUITE_P(Sealed, StorageTailDamage, engines);
INSTANTIATE_TEST_SUITE_P(Sealed, StorageHistory, engines);
INSTANTIATE_TEST_SUITE_P(Sealed, StorageOnSmallDevice, engines);

class SealedStorage : public StorageConformance {
protected:
    void stop() {
        log_.reset();
        engine_.reset();
        shard_.forget_everything();
    }
    Errc open_again() {
        context_ = std::make_unique<ManualContext>(shard_, home_);
        engine_ = std::move(*GetParam().make(*context_, GetParam().settings));
        auto log = engine_->open(id_, {});
        return log ? Errc::internal : log.error().code;
    }
    static std::string contents(const fs::path& file) {
        std::ifstream in{file, std::ios::binary};
        return {std::istreambuf_iterator<char>{in}, {}};
    }
};

TEST_P(SealedStorage, FindsAnyBitThatWasFlippedInWhatWasSynced) {
    append(2, {.value_bytes = 40});
    append(1, {.value_bytes = 40});
    ASSERT_TRUE(log_->flush());
    append(1, {.value_bytes = 40});
    const std::size_t synced = sealed::header_bytes + 2 * sealed::head_bytes +
                               written_[0].bytes.size() + written_[1].bytes.size();
    stop();
    const fs::path file = last_extent(home_, id_);
    const std::string whole = contents(file);
    for (std::size_t at = 0; at < synced; ++at) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
        std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
        EXPECT_EQ(open_again(), Errc::corrupt) << at;
        EXPECT_EQ(contents(file), bytes) << "nothing is changed";
        stop();
    }
}

TEST_P(SealedStorage, MissesAFileThatWasTakenAwayAndOneThatWasMoved) {
    for (int i = 0; i < 3; ++i) {
        append(2);
        ASSERT_TRUE(log_->seal());
        ASSERT_TRUE(log_->flush());
    }
    stop();
    const fs::path last = last_extent(home_, id_);
    const fs::path first = last.parent_path() / "00000000000000000000.sealed";
    const fs::path middle = last.parent_path() / "00000000000000000002.sealed";
    for (const fs::path& each : {first, middle}) {
        fs::rename(each, home_ / "away");
        EXPECT_EQ(open_again(), Errc::corrupt) << each;
        stop();
        fs::rename(home_ / "away", each);
    }
    fs::copy_file(first, middle, fs::copy_options::overwrite_existing);
    EXPECT_EQ(open_again(), Errc::corrupt);
}

TEST_P(SealedStorage, FindsWhatIsChangedWhileItRuns) {
    append(3, {.value_bytes = 700});
    restart_cleanly();  // So that it is in no cache.
    const fs::path file = last_extent(home_, id_);
    std::string bytes = contents(file);
    bytes[bytes.size() / 2] ^= 1;
    std::ofstream{file, std::ios::binary} << bytes;
    const auto seen = read_batches(*log_, {0}, {3}, 1000);
    ASSERT_FALSE(seen);
    EXPECT_EQ(seen.error().code, Errc::corrupt);
}

TEST_P(SealedStorage, WritesNothingThatCanBeReadAndNeverTheSameTwice) {
    std::set<std::string> seen;
    for (int i = 0; i < 8; ++i) {
        append(1, {.value_bytes = 200});
        const std::string plain{reinterpret_cast<const char*>(written_.back().bytes.data()) + 61,
                                64};
        const std::string stored = contents(last_extent(home_, id_));
        EXPECT_EQ(stored.find(plain), std::string::npos);
        EXPECT_TRUE(seen.insert(stored.substr(stored.size() - 64)).second);
        // The same batch once more, where it was: in a file with another key.
        ASSERT_TRUE(log_->truncate({0}));
        make_.go_to({0});
    }
}

TEST_P(SealedStorage, RefusesAnotherKeyAndAKeyThatOthersMayRead) {
    append(1);
    stop();
    const std::string other = home_ / "other";
    std::ofstream{other} << std::string(64, 'b');
    auto settings = [&] {
        return Settings{{{"key_file", other}, {"cache", std::int64_t{1} << 20}}};
    };
    fs::permissions(other, fs::perms{0640});
    EXPECT_EQ(GetParam().make(*context_, settings()).error().code, Errc::invalid_argument);
    fs::permissions(other, fs::perms{0600});
    const auto made = GetParam().make(*context_, settings());
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().what.find("another key"), std::string::npos) << made.error().what;
}

INSTANTIATE_TEST_SUITE_P(Sealed, SealedStorage, ::testing::Values(under_test(64 << 20)));

}  // namespace
}  // namespace leat::sdk::testing
