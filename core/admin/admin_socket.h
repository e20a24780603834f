// Where what changes a running broker is asked for: a Unix socket in its data folder, for the user
// that runs the broker (and root) alone. It speaks HTTP, and also tells what the read-only listener
// tells.
//
//   GET  /log-level              the least that is logged
//   POST /log-level?level=debug  from now on
//   POST /stop                   ends in order, as SIGTERM does
//   POST /plugins/reload?name=X  takes the group assignor X from its file as it is now
//   GET  /metrics, /healthz, /readyz
//
// Threads    Lives on shard 0.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/admin/http_server.h"
#include "core/logging/adjustable_logger.h"
#include "core/net/runtime.h"
#include "leat/sdk/result.h"

namespace leat::admin {

inline constexpr std::string_view admin_socket_name = "admin.sock";

class AdminSocket {
public:
    struct Options {
        net::Runtime& runtime;
        logging::AdjustableLogger& logger;
        std::function<void(std::string why)> stop;
        // `done` hears what is so now, or why nothing has changed.
        using Reloaded = sdk::Function<void(sdk::Result<std::string>)>;
        std::function<void(std::string name, Reloaded done)> reload;
        HttpHandler read_only;  // What is asked for elsewhere.
    };
    explicit AdminSocket(Options options);

    // [shard 0] In a folder that nobody else's broker uses: a socket that an earlier life left is
    // replaced. Only its owner may open it (0600), from its first moment.
    sdk::Status listen(const std::filesystem::path& folder);

private:
    void answer(const HttpRequest& request, HttpRespond respond);
    void reload(const HttpRequest& request, HttpRespond respond);
    HttpResponse log_level(const HttpRequest& request);

    Options options_;
    HttpServer server_;
};

}  // namespace leat::admin
