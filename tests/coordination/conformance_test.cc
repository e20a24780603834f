// The coordination kit, run over `local` and over the model, in good weather and bad.
#include "leat/sdk/testing/coordination_conformance.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "leat/sdk/testing/coordination_model.h"
#include "leat/sdk/testing/manual_context.h"
#include "plugins/coordination/local/backend.h"

namespace leat::sdk::testing {
namespace {

using std::chrono::milliseconds;

class LocalBed final : public CoordinationBed {
public:
    using Time = ManualShard::Time;
    using Work = ManualShard::Work;

    explicit LocalBed(local::LocalOptions options, Time time = Time::manual,
                      Work work = Work::prompt)
        : options_{options}, shard_{time, work} {
        std::string name = (std::filesystem::temp_directory_path() / "leat-kit-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
        context_ = std::make_unique<ManualContext>(shard_, folder_);
    }
    ~LocalBed() override { std::filesystem::remove_all(folder_); }

    ManualShard& shard() override { return shard_; }
    std::unique_ptr<CoordinationBackend> make() override {
        return std::make_unique<local::LocalBackend>(*context_, options_, local::system_files());
    }
    CoordinationCapabilities capabilities() const override { return {.durable = true}; }

private:
    const local::LocalOptions options_;
    ManualShard shard_;
    std::filesystem::path folder_;
    std::unique_ptr<ManualContext> context_;
};

std::unique_ptr<CoordinationBed> local_bed() {
    return std::make_unique<LocalBed>(local::LocalOptions{});
}
// Replaces its journal after every few transactions.
std::unique_ptr<CoordinationBed> restless_local_bed() {
    return std::make_unique<LocalBed>(local::LocalOptions{.snapshot_after = 100});
}

// As in a broker; here the thread sanitizer has something to see.
TEST(LocalThreadsTest, TheRulesHoldWithWorkersThatAreThreads) {
    const auto make_bed = [] {
        return std::make_unique<LocalBed>(local::LocalOptions{.snapshot_after = 2000},
                                          ManualShard::Time::real, ManualShard::Work::threaded);
    };
    for (const CoordinationRule& rule : all_coordination_rules()) {
        // Waits for twice a session's timeout, here in real time, and proves nothing more by it.
        if (std::string_view{rule.name} == "EphemeralKeysGoWithTheSession") continue;
        EXPECT_EQ(complaints_about(make_bed, rule), "") << rule.name;
    }
}

class ModelBed final : public CoordinationBed {
public:
    ModelBed(std::uint64_t seed, CoordinationModel::Faults faults, bool linger) : model_{seed} {
        model_.set_faults(faults);
        if (linger) model_.let_sessions_linger(shard_);
    }

    ManualShard& shard() override { return shard_; }
    std::unique_ptr<CoordinationBackend> make() override {
        return std::make_unique<ModelBackend>(model_, shard_);
    }
    CoordinationCapabilities capabilities() const override {
        return {.durable = true, .multi_node = true};
    }
    bool end_session(CoordinationBackend& instance) override {
        static_cast<ModelBackend&>(instance).lose_session();
        return true;
    }

private:
    ManualShard shard_;
    CoordinationModel model_;
};

std::unique_ptr<CoordinationBed> model_bed() {
    return std::make_unique<ModelBed>(1, CoordinationModel::Faults{}, false);
}
// Everything that the interface allows any time.
template <std::uint64_t Seed>
std::unique_ptr<CoordinationBed> unruly_model_bed() {
    const CoordinationModel::Faults faults{
        .resync = 200, .repeat = 300, .most_delay = milliseconds{20}};
    return std::make_unique<ModelBed>(Seed, faults, true);
}

INSTANTIATE_TEST_SUITE_P(Local, CoordinationConformance, coordination_kit(local_bed),
                         coordination_rule_name);
INSTANTIATE_TEST_SUITE_P(RestlessLocal, CoordinationConformance,
                         coordination_kit(restless_local_bed), coordination_rule_name);
INSTANTIATE_TEST_SUITE_P(Model, CoordinationConformance, coordination_kit(model_bed),
                         coordination_rule_name);
INSTANTIATE_TEST_SUITE_P(UnrulyModel, CoordinationConformance,
                         coordination_kit(unruly_model_bed<1>), coordination_rule_name);

// Conflicts, lost answers and lost sessions, too: only a client that expects them gets through.
TEST(ModelTest, ACarefulClientCountsRightInEveryWeather) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const CoordinationModel::Faults faults{.conflict = 100,
                                               .lost_committed = 100,
                                               .lost_uncommitted = 100,
                                               .session_loss = 50,
                                               .resync = 100,
                                               .repeat = 100,
                                               .most_delay = milliseconds{50}};
        const auto make_bed = [&] { return std::make_unique<ModelBed>(seed, faults, true); };
        const CoordinationRule rule{"", coordination_rules::a_careful_client_counts_right};
        EXPECT_EQ(complaints_about(make_bed, rule), "") << "seed " << seed;
    }
}

}  // namespace
}  // namespace leat::sdk::testing
