#include "core/app/operator_view.h"

#if LEAT_OPERATOR_VIEW
#include "core/admin/admin_socket.h"
#include "core/admin/operator_view.h"
#endif

namespace leat::app {

#if LEAT_OPERATOR_VIEW

namespace {

class OverHttp final : public OperatorView {
public:
    OverHttp(admin::OperatorView::Options options, OperatorViewParts& parts)
        : view_{std::move(options)},
          socket_{
              {.runtime = parts.runtime,
               .logger = parts.logger,
               .stop = std::move(parts.stop),
               .reload = std::move(parts.reload),
               .read_only = [this](const admin::HttpRequest& request, admin::HttpRespond respond) {
                   view_.answer(request, std::move(respond));
               }}} {}

    sdk::Result<sdk::Endpoint> listen(const sdk::Endpoint& at) override { return view_.listen(at); }
    sdk::Status listen(const std::filesystem::path& data_folder) override {
        return socket_.listen(data_folder);
    }
    void serves(api::Services& services) override { view_.serves(services); }
    void stops() override { view_.stops(); }

private:
    admin::OperatorView view_;
    admin::AdminSocket socket_;
};

}  // namespace

std::unique_ptr<OperatorView> make_operator_view(OperatorViewParts parts) {
    const config::HttpSection& http = parts.config.http;
    admin::HttpServer::Limits limits;
    limits.most_connections = static_cast<std::size_t>(http.connections);
    return std::make_unique<OverHttp>(
        admin::OperatorView::Options{.runtime = parts.runtime,
                                     .memory = parts.memory,
                                     .counters = parts.counters,
                                     .version = LEAT_VERSION,
                                     .most_topics = static_cast<std::size_t>(http.most_topics),
                                     .limits = limits},
        parts);
}

std::vector<config::Complaint> check_operator_view(const config::Config&) {
    return {};
}

#else

std::unique_ptr<OperatorView> make_operator_view(OperatorViewParts) {
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
