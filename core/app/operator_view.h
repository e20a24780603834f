// What the broker lets an operator see, as the composition root knows it: small builds leave it out
// (LEAT_OPERATOR_VIEW).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/api/services.h"
#include "core/config/config.h"
#include "core/host/plugin_context.h"
#include "core/logging/adjustable_logger.h"
#include "core/net/runtime.h"
#include "core/runtime/memory_budget.h"
#include "leat/sdk/result.h"

namespace leat::app {

// [shard 0] As core/admin/operator_view.h. Destroyed before what it watches.
class OperatorView {
public:
    virtual ~OperatorView() = default;

    virtual sdk::Result<sdk::Endpoint> listen(const sdk::Endpoint& at) = 0;
    // The socket for what changes things, in the data folder.
    virtual sdk::Status listen(const std::filesystem::path& data_folder) = 0;
    virtual void serves(api::Services& services) = 0;
    virtual void stops() = 0;
};

struct OperatorViewParts {
    const config::Config& config;
    net::Runtime& runtime;
    const runtime::MemoryBudget& memory;
    const host::PluginCounters& counters;
    logging::AdjustableLogger& logger;
    std::function<void(std::string why)> stop;  // The broker.
    // A group assignor; `done` hears what is so now, or why nothing has changed.
    std::function<void(std::string name, sdk::Function<void(sdk::Result<std::string>)> done)>
        reload;
};

// Null: this build has none.
std::unique_ptr<OperatorView> make_operator_view(OperatorViewParts parts);

// What is wanted and is not in this build.
std::vector<config::Complaint> check_operator_view(const config::Config& config);
// Legal, and the operator is told: others than this machine can reach it.
std::vector<config::Complaint> exposed_operator_view(const config::Config& config);

}  // namespace leat::app
