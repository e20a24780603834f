// The conformance kit of storage engines: every rule of leat/sdk/storage.h as a test. A rule that
// is not in here need not be kept. Two lines run it over an engine:
//
//   extern "C" const leat::sdk::PluginInfo leat_plugin_v1_mine;  // Linked statically: mine_static.
//   INSTANTIATE_TEST_SUITE_P(Mine, StorageConformance,
//                            ::testing::Values(storage_plugin(leat_plugin_v1_mine)));
//
// (in namespace leat::sdk::testing). What needs an ability that the engine does not declare is
// skipped; so are the tests that damage its files, unless it says where they are (`tail_file`).
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "leat/sdk/plugin.h"
#include "leat/sdk/testing/batches.h"
#include "leat/sdk/testing/log_reader.h"
#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"

namespace leat::sdk::testing {

struct StorageUnderTest {
    std::string name;
    StorageCapabilities capabilities;
    Factory<StorageEngine> make;
    Settings settings;
    LogOptions log_options{};
    FileReader reader = read_descriptor;
    // Of an engine that drops its oldest extents: the bytes that all its logs may hold together.
    std::uint64_t budget = 0;
    // The file whose last bytes are the last batch of a partition, below the data folder.
    std::function<std::filesystem::path(const std::filesystem::path& data_folder,
                                        const PartitionId&)>
        tail_file;
    // What such a file holds beside each batch that is appended alone. If it is anything, each of
    // its bytes is checked too, and so is all of the batch.
    std::size_t bytes_beside_a_batch = 0;
    // Files below the data folder that it can do without: indexes, say.
    std::function<std::vector<std::filesystem::path>(const std::filesystem::path& data_folder,
                                                     const PartitionId&)>
        rebuildable;

    friend std::ostream& operator<<(std::ostream& out, const StorageUnderTest& storage) {
        return out << storage.name;
    }
};

// The first storage engine that a plugin enrols, every option at its default but for `settings`.
inline StorageUnderTest storage_plugin(const PluginInfo& plugin,
                                       std::map<std::string, OptionValue> settings = {}) {
    class Collector final : public Registrar {
    public:
        void storage_engine(StorageDeclaration declaration) override {
            found.push_back(std::move(declaration));
        }
        void coordination_backend(CoordinationDeclaration) override {}
        void replication_policy(ReplicationDeclaration) override {}
        void group_assignor(AssignmentDeclaration) override {}
        std::vector<StorageDeclaration> found;
    } collector;
    plugin.enroll(collector);
    ensure(!collector.found.empty(), "a storage plugin enrols a storage engine");
    const StorageDeclaration& engine = collector.found.front();
    std::map<std::string, OptionValue, std::less<>> values;
    for (const Option& option : engine.options) values[option.name] = option.fallback;
    for (auto& [name, value] : settings) values[name] = value;
    StorageUnderTest storage;
    storage.name = engine.name;
    storage.capabilities = engine.capabilities;
    storage.make = engine.make;
    storage.settings = Settings{std::move(values)};
    return storage;
}

// A data folder that goes with the test; in memory where the system has such a place, for these
// tests sync a lot.
class TemporaryFolder {
public:
    TemporaryFolder() {
        const bool in_memory = std::filesystem::is_directory("/dev/shm");
        std::string name = (in_memory ? "/dev/shm/" : ::testing::TempDir()) + "leat-kit-XXXXXX";
        ensure(::mkdtemp(name.data()) != nullptr, "there is room for a temporary folder");
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

class StorageConformance : public ::testing::TestWithParam<StorageUnderTest> {
protected:
    void SetUp() override { start(); }
    void TearDown() override {
        log_.reset();
        engine_.reset();
    }

    const StorageCapabilities& can() const { return GetParam().capabilities; }

    void start() {
        const std::filesystem::path& home =
            can().durable || can().side_files ? home_ : nowhere_;
        context_ = std::make_unique<ManualContext>(shard_, home);
        auto engine = GetParam().make(*context_, GetParam().settings);
        ASSERT_TRUE(engine) << engine.error().what;
        engine_ = std::move(*engine);
        log_ = open(id_);
        shard_.run_ready();
    }
    std::unique_ptr<Log> open(const PartitionId& id) {
        auto log = engine_->open(id, GetParam().log_options);
        EXPECT_TRUE(log) << log.error().what;
        return log ? std::move(*log) : nullptr;
    }
    void restart_cleanly() {
        EXPECT_TRUE(log_->flush());
        log_.reset();
        EXPECT_TRUE(engine_->closed_cleanly());
        engine_.reset();
        shard_.forget_everything();
        start();
    }
    // The process dies: all that it wrote is there, but nobody has said goodbye.
    void crash() {
        log_.reset();
        engine_.reset();
        shard_.forget_everything();
        start();
    }

    // Appends one batch, and keeps it in mind.
    const TestBatch& append(std::int32_t records, const BatchShape& shape = {}) {
        written_.push_back(make_(records, shape));
        const StampedBatch one = written_.back().stamped();
        const Status appended = log_->append({&one, 1});
        EXPECT_TRUE(appended) << appended.error().what;
        shard_.run_ready();  // What the engine has its workers do beside.
        return written_.back();
    }
    void append_some(int batches) {
        for (int i = 0; i < batches; ++i) append(1 + i % 3);
    }

    std::vector<SeenBatch> read(Offset from, Offset below, std::size_t max_bytes) {
        auto seen = read_batches(*log_, from, below, max_bytes, GetParam().reader);
        EXPECT_TRUE(seen) << seen.error().what;
        return seen ? std::move(*seen) : std::vector<SeenBatch>{};
    }
    std::vector<SeenBatch> read_all(Log& log) {
        auto seen = read_log(log, {-1}, 1u << 20, GetParam().reader);
        EXPECT_TRUE(seen) << seen.error().what;
        return seen ? std::move(*seen) : std::vector<SeenBatch>{};
    }
    std::vector<SeenBatch> read_all() { return read_all(*log_); }

    static std::vector<SeenBatch> as_seen(std::span<const TestBatch> batches) {
        std::vector<SeenBatch> seen;
        for (const TestBatch& one : batches) seen.push_back({one.base, one.next, one.bytes});
        return seen;
    }
    // What was appended, from the batch that holds `begin` on.
    std::vector<SeenBatch> expected(Offset begin = {0}) const {
        std::vector<SeenBatch> seen = as_seen(written_);
        std::erase_if(seen, [&](const SeenBatch& one) { return one.next <= begin; });
        return seen;
    }
    // vector== in EXPECT_EQ would print every byte.
    static ::testing::AssertionResult same(const std::vector<SeenBatch>& seen,
                                           const std::vector<SeenBatch>& wanted) {
        if (seen == wanted) return ::testing::AssertionSuccess();
        auto failure = ::testing::AssertionFailure();
        failure << "saw " << seen.size() << " batches, wanted " << wanted.size();
        for (std::size_t i = 0; i < std::min(seen.size(), wanted.size()); ++i) {
            if (seen[i] == wanted[i]) continue;
            return failure << "; number " << i << " has offset " << seen[i].base.value
                           << ", wanted " << wanted[i].base.value;
        }
        return failure;
    }

    TemporaryFolder folder_;
    std::filesystem::path home_ = folder_.path();
    const std::filesystem::path nowhere_;
    const PartitionId id_{.topic_id = {{1, 2, 3}}, .topic = "orders", .index = 7};
    ManualShard shard_;
    std::unique_ptr<ManualContext> context_;
    std::unique_ptr<StorageEngine> engine_;
    std::unique_ptr<Log> log_;
    BatchMaker make_{Offset{0}};
    std::vector<TestBatch> written_;
};

// Defined in the files below, instantiated by whoever includes this one.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StorageConformance);

}  // namespace leat::sdk::testing

#include "leat/sdk/testing/storage_conformance_append.h"
#include "leat/sdk/testing/storage_conformance_budget.h"
#include "leat/sdk/testing/storage_conformance_cut.h"
#include "leat/sdk/testing/storage_conformance_durable.h"
#include "leat/sdk/testing/storage_conformance_random.h"
#include "leat/sdk/testing/storage_conformance_rewrite.h"
#include "leat/sdk/testing/storage_conformance_scarce.h"
