// Runs the broker's group assignors: for every coordinator of every shard, one call at a time, on a
// thread of their own.
//
//   coordinator (its shard)    runner (shard 0)                      lone thread
//    |-- ask(request) ---------->|  topics, racks, lag, sizes            |
//    |                           |-- the call, with a copy ------------->|
//    |<-- done(outcome) ---------|<------- an assignment, a good one ----|
//
// Overrun    A call that takes longer than the budget is left to itself, and its group gets what
//            AssignorCall has for a failure.
// Quarantine An assignor that overran, threw or answered against the rules is not asked again, for
//            any group, until it is replaced: a hung thread is lost for the life of the process, so
//            there is at most one for each version of an assignor; and code that broke its rules
//            once runs in this process too. One that returns an Error keeps the rules.
// Told       Every failure counts as an error of the plugin's instance in the metrics; one line a
//            minute and instance is logged.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/broker/assignment_facts.h"
#include "core/broker/assignor_call.h"
#include "core/cluster/image.h"
#include "core/groups/assignment_request.h"
#include "core/logging/line_limiter.h"
#include "core/logging/logger.h"
#include "core/metrics/plugin_calls.h"
#include "core/runtime/lone_thread.h"

namespace leat::broker {

class AssignorRunner {
public:
    static constexpr std::size_t most_waiting = 100'000;  // Further requests fail at once.

    struct Options {
        std::chrono::milliseconds budget{5'000};  // For one call.
        Assignor built_in;                        // For groups whose assignor fails.
    };

    // [shard 0] That shard's.
    using ImageOf = std::function<const cluster::Image&()>;

    // [any thread] Before the shards run. All outlive it.
    AssignorRunner(ImageOf image, PartitionTables& tables, runtime::LoneThread& thread,
                   logging::Logger& logger, std::vector<Assignor> assignors, Options options);

    // [any thread] Never changes.
    const std::set<std::string, std::less<>>& names() const { return names_; }

    // [any shard] `done` hears once, on `home`.
    using Done = sdk::Function<void(groups::AssignmentOutcome)>;
    void ask(sdk::Shard& home, groups::AssignmentRequest request, CommittedOffsets committed,
             Done done);

    // [shard 0] From the next call on; one that runs ends as it began. False: there is none of that
    // name.
    bool replace(const Assignor& assignor);

    // [shard 0] By instance.
    const std::map<std::string, metrics::PluginCalls, std::less<>>& calls() const { return calls_; }

private:
    struct Known {
        Assignor assignor;
        std::optional<std::string> quarantined{};  // What it did.
    };
    struct Waiting {
        groups::AssignmentRequest request;
        Done done;  // Posts home.
        bool asked = false;
    };

    void take(groups::AssignmentRequest request, CommittedOffsets committed, Done done);
    void next();
    void call(std::optional<std::string> not_called);
    void answered(std::uint64_t number, AssignorAnswer answer);
    void overrun();
    std::string quarantine(const std::string& what);
    void finish(groups::AssignmentOutcome outcome);
    void failed(const std::string& name, const std::string& group, const std::string& what);

    const ImageOf image_;
    PartitionTables& tables_;
    sdk::Shard& shard_;
    runtime::LoneThread& thread_;
    logging::Logger& logger_;
    const Options options_;
    std::map<std::string, Known, std::less<>> assignors_;
    std::set<std::string, std::less<>> names_;

    std::deque<Waiting> waiting_;
    std::optional<Waiting> current_;
    std::shared_ptr<AssignorCall> call_;
    std::uint64_t last_call_ = 0;
    sdk::TimerId timer_ = sdk::TimerId::none;
    std::map<std::string, metrics::PluginCalls, std::less<>> calls_;
    logging::LineLimiter lines_{1};
};

}  // namespace leat::broker
