#include "core/app/admin_command.h"

#include <cstdio>

namespace leat::app {
namespace {

std::string request_of(const AdminCommand& asked) {
    if (asked.action == "stop") return "POST /stop";
    if (asked.action == "reload") return "POST /plugins/reload?name=" + asked.plugin;
    if (asked.action == "metrics") return "GET /metrics";
    if (asked.action == "ready") return "GET /readyz";
    return asked.level.empty() ? "GET /log-level" : "POST /log-level?level=" + asked.level;
}

}  // namespace

int admin(const AdminCommand& asked) {
    const auto answer = ask_broker(asked.broker, request_of(asked));
    if (!answer) {
        std::fprintf(stderr, "leat: %s\n", answer.error().what.c_str());
        return 1;
    }
    std::fputs(answer.value().body.c_str(), answer.value().well ? stdout : stderr);
    return answer.value().well ? 0 : 1;
}

}  // namespace leat::app
