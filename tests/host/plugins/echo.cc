// A storage plugin that does nothing, in many shapes: what it is called, what it says and how it
// misbehaves are definitions. With ECHO_ASSIGNS it also enrols a group assignor.
#include <stdexcept>

#include "leat/sdk/plugin.h"

#if !defined(ECHO_NAME)
#define ECHO_NAME "echo"
#endif
#if !defined(ECHO_DESCRIPTION)
#define ECHO_DESCRIPTION "Holds nothing."
#endif
#if !defined(ECHO_EXTRA_OPTION)
#define ECHO_EXTRA_OPTION "extra"
#endif

namespace {

using namespace leat::sdk;

class Engine final : public StorageEngine {
public:
    Result<std::unique_ptr<Log>> open(const PartitionId&, const LogOptions&) override {
        return Error{Errc::unsupported, "it holds nothing"};
    }
    Status remove(const PartitionId&) override { return {}; }
    Result<std::vector<PartitionId>> partitions() override { return std::vector<PartitionId>{}; }
    Status closed_cleanly() override { return {}; }
};

Result<std::unique_ptr<StorageEngine>> make(PluginContext& context, const Settings& settings) {
    const std::string& fault = settings.text("fault");
    if (fault == "throw") throw std::runtime_error{"no mood"};
    if (fault == "throw-int") throw 7;
    if (fault == "nothing") return std::unique_ptr<StorageEngine>{};
    if (fault == "error") return Error{Errc::io, "the disk is gone"};
    context.log(LogLevel::info, "echo made",
                {{"size", std::to_string(settings.bytes("size"))},
                 {"pause_ms", std::to_string(settings.duration("pause").count())}});
    context.counter("made").add(1);
    return std::unique_ptr<StorageEngine>{std::make_unique<Engine>()};
}

std::vector<Option> options() {
    return {{"fault", OptionKind::text, std::string{"no"}, "How it misbehaves.", INT64_MIN,
             INT64_MAX, "no|throw|throw-int|nothing|error"},
            {"size", OptionKind::size, std::int64_t{1024}, "A size.", 0, 1 << 20},
            {"pause", OptionKind::duration, std::int64_t{1000}, "A duration.", 1, 60'000},
            {"count", OptionKind::integer, std::int64_t{3}, "A number.", 1, 9},
            {ECHO_EXTRA_OPTION, OptionKind::boolean, false, "A switch."}};
}

#if defined(ECHO_ASSIGNS)
// Everything to the first member, whatever anybody subscribes to.
class Assignor final : public GroupAssignor {
public:
    Result<GroupAssignment> assign(const AssignmentInput& input,
                                   AssignmentSteps& steps) const override {
        GroupAssignment assignment(input.members.size());
        for (std::uint32_t topic = 0; topic < input.topics.size(); ++topic) {
            const auto count = static_cast<std::int32_t>(input.topics[topic].partitions.size());
            for (std::int32_t at = 0; at < count; ++at) assignment.at(0).push_back({topic, at});
        }
        if (!steps.take(1)) return Error{Errc::timed_out, "no step is left"};
        return assignment;
    }
};

Result<std::unique_ptr<GroupAssignor>> make_assignor(PluginContext& context,
                                                     const Settings& given) {
    context.log(LogLevel::info, "assignor made",
                {{"slack", std::to_string(given.integer("slack"))}});
    return std::unique_ptr<GroupAssignor>{std::make_unique<Assignor>()};
}
#endif

}  // namespace

LEAT_PLUGIN(ECHO_NAME "-plugin", "1.2.3", [](Registrar& host) {
    host.storage_engine({.name = ECHO_NAME,
                         .description = ECHO_DESCRIPTION,
                         .options = options(),
                         .capabilities = {.durable = false, .truncatable = true},
                         .make = make});
#if defined(ECHO_ASSIGNS)
    host.group_assignor(
        {.name = "first_takes_all",
         .description = ECHO_DESCRIPTION,
         .options = {{"slack", OptionKind::integer, std::int64_t{3}, "A number.", 1, 9}},
         .capabilities = {.needs_lag = true, .balance = AssignmentBalance::members},
         .make = make_assignor});
#endif
#if defined(ECHO_THROWS)
    throw std::runtime_error{"not today"};
#endif
});
