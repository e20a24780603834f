// Enrols the `local` coordination backend.
#include "leat/sdk/plugin.h"

#include <memory>

#include "backend.h"
#include "inspect.h"

namespace {

using namespace leat;

sdk::Result<std::unique_ptr<sdk::CoordinationBackend>> make(sdk::PluginContext& context,
                                                            const sdk::Settings& settings) {
    if (context.data_folder().empty())
        return sdk::Error{sdk::Errc::invalid_argument,
                          "the coordination plugin `local` keeps a journal: name a data folder"};
    const local::LocalOptions options{.snapshot_after = settings.bytes("snapshot_after")};
    return std::unique_ptr<sdk::CoordinationBackend>{
        std::make_unique<local::LocalBackend>(context, options, local::system_files())};
}

}  // namespace

LEAT_PLUGIN("local", "1.0.0", [](leat::sdk::Registrar& host) {
    host.coordination_backend(
        {.name = "local",
         .description = "For one broker that is alone: a journal in its data folder.",
         .options = {{.name = "snapshot_after",
                      .kind = leat::sdk::OptionKind::size,
                      .fallback = std::int64_t{4} << 20,
                      .description = "Bytes of journal after which a snapshot replaces it.",
                      .least = 64 << 10,
                      .most = std::int64_t{1} << 30}},
         .capabilities = {.durable = true, .multi_node = false},
         .make = make,
         .files = local::inspectors()});
});
