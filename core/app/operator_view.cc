#include "core/app/operator_view.h"

#if LEAT_OPERATOR_VIEW
#include "core/admin/operator_view.h"
#endif

namespace leat::app {

#if LEAT_OPERATOR_VIEW

namespace {

class OverHttp final : public OperatorView {
public:
    explicit OverHttp(admin::OperatorView::Options options) : view_{std::move(options)} {}

    sdk::Result<sdk::Endpoint> listen(const sdk::Endpoint& at) override { return view_.listen(at); }
    void serves(api::Services& services) override { view_.serves(services); }
    void stops() override { view_.stops(); }

private:
    admin::OperatorView view_;
};

}  // namespace

std::unique_ptr<OperatorView> make_operator_view(const config::Config& config,
                                                 net::Runtime& runtime,
                                                 const runtime::MemoryBudget& memory,
                                                 const host::PluginCounters& counters) {
    if (!config.http_listen) return nullptr;
    admin::HttpServer::Limits limits;
    limits.most_connections = static_cast<std::size_t>(config.http.connections);
    return std::make_unique<OverHttp>(admin::OperatorView::Options{
        .runtime = runtime,
        .memory = memory,
        .counters = counters,
        .version = LEAT_VERSION,
        .most_topics = static_cast<std::size_t>(config.http.most_topics),
        .limits = limits});
}

std::vector<config::Complaint> check_operator_view(const config::Config&) {
    return {};
}

#else

std::unique_ptr<OperatorView> make_operator_view(const config::Config&, net::Runtime&,
                                                 const runtime::MemoryBudget&,
                                                 const host::PluginCounters&) {
    return nullptr;
}

std::vector<config::Complaint> check_operator_view(const config::Config& config) {
    if (!config.http_listen) return {};
    return {config.source.complaint({}, "[http] is not in this build: leave `listen` out")};
}

#endif

std::vector<config::Complaint> exposed_operator_view(const config::Config& config) {
    if (!config.http_listen) return {};
    const std::string& host = config.http_listen->host;
    if (host == "localhost" || host == "::1" || host.starts_with("127.")) return {};
    return {config.source.warning(
        {}, "[http] listens at " + (host.empty() ? "every address" : host) +
                ": whoever reaches it reads the names of topics, without a password")};
}

}  // namespace leat::app
