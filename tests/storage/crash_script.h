// One partition's life on a simulated disk: some hundred random steps, the same for the same seed,
// and what may be found when it ends in any of them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "leat/sdk/testing/batches.h"
#include "leat/sdk/testing/log_reader.h"
#include "leat/sdk/testing/manual_context.h"
#include "leat/sdk/testing/manual_shard.h"
#include "mmap_engine.h"
#include "segment_engine.h"
#include "tests/storage/simulated_disk.h"

namespace leat::storage_test {

enum class Engine { segment, mmap };

class CrashScript {
public:
    CrashScript(Engine engine, unsigned seed);
    ~CrashScript();

    SimulatedDisk& disk() { return *disk_; }

    // Until a step fails, or all are done. Returns how many were.
    int run(int steps);
    // After a step failed and the process lives on: what a failed log must still do, and not do.
    void expect_to_stand_after_failure();
    // The process is gone; what it left is read by the next one, which dies at its n-th change if
    // asked to. False if it did die.
    bool come_back(World world, std::uint64_t die_again_at = 0);
    void expect_what_may_be_found();
    void expect_to_go_on();

private:
    using Batches = std::vector<sdk::testing::TestBatch>;
    using Side = std::map<std::string, std::string>;

    struct State {
        Batches held;
        std::int64_t begin = 0;
        std::int64_t flushed = 0;  // Below this all must be found.
        Side side;
    };
    // What the step that failed may have done, wholly, in part, or not at all.
    struct Pending {
        std::string step;
        Batches batches;
        std::optional<std::int64_t> begin;
        std::optional<std::int64_t> end;
        std::optional<std::pair<std::string, std::string>> side;
        bool removed = false;
        std::optional<Batches> rewritten;  // All that is held, if it got as far.
    };

    bool start();
    sdk::Result<std::unique_ptr<sdk::StorageEngine>> make_engine();
    bool step();
    bool append();
    bool truncate();
    bool trim();
    bool rewrite();
    bool write_side_file();
    bool remove();
    bool stop_cleanly_and_start();
    void forget_process();
    std::int64_t end() const { return make_.next().value; }
    std::optional<std::string> mismatch(const State& state, const Pending& pending);
    std::optional<std::string> side_mismatch(const State& state, const Pending& pending);

    const Engine kind_;
    const std::shared_ptr<SimulatedDisk> disk_;
    sdk::PartitionId id_{.topic_id = {{1}}, .topic = "t", .index = 3};
    std::mt19937 random_;
    sdk::testing::BatchMaker make_{sdk::Offset{0}};
    sdk::testing::ManualShard shard_;
    std::unique_ptr<sdk::testing::ManualContext> context_;
    std::unique_ptr<sdk::StorageEngine> engine_;
    std::unique_ptr<sdk::Log> log_;
    State state_;
    Pending pending_;
};

}  // namespace leat::storage_test
