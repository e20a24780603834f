#include "core/host/enrolment.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <set>
#include <string_view>
#include <utility>

#include "core/config/values.h"

namespace leat::host {

namespace {

bool legal_name(std::string_view name) {
    constexpr std::string_view legal = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    return !name.empty() && name.size() <= 64 &&
           name.find_first_not_of(legal) == std::string_view::npos;
}

sdk::Error wrong(std::string what) {
    return {sdk::Errc::invalid_argument, std::move(what) + ": tell its author"};
}

bool default_fits(const sdk::Option& option) {
    switch (option.kind) {
        case sdk::OptionKind::text: {
            const auto* text = std::get_if<std::string>(&option.fallback);
            const auto choices = config::split_choices(option.choices);
            return text != nullptr && (choices.empty() || std::find(choices.begin(), choices.end(),
                                                                    *text) != choices.end());
        }
        case sdk::OptionKind::boolean:
            return std::holds_alternative<bool>(option.fallback);
        case sdk::OptionKind::integer:
        case sdk::OptionKind::size:
        case sdk::OptionKind::duration: {
            const auto* number = std::get_if<std::int64_t>(&option.fallback);
            return number != nullptr && *number >= option.least && *number <= option.most;
        }
    }
    return false;
}

template <class Declaration>
sdk::Status check_one(std::string_view kind, const Declaration& declaration,
                      std::set<std::string>& names) {
    const std::string what = std::string{kind} + " \"" + declaration.name + "\"";
    if (!legal_name(declaration.name))
        return wrong("registers a " + std::string{kind} +
                     " whose name is not 1 to 64 of a-z, 0-9, `_` and `-`");
    if (!names.insert(declaration.name).second) return wrong("registers " + what + " twice");
    if (!declaration.make) return wrong("registers " + what + " without a factory");
    if (auto status = check_options(declaration.options); !status)
        return wrong("registers " + what + " whose " + status.error().what);
    return {};
}

template <class Declaration>
sdk::Status check_all(std::string_view kind, const std::vector<Declaration>& declarations) {
    std::set<std::string> names;
    if (declarations.size() > most_declarations)
        return wrong("registers too many " + std::string{kind} + "s");
    for (const Declaration& declaration : declarations)
        if (auto status = check_one(kind, declaration, names); !status) return status;
    return {};
}

}  // namespace

sdk::Status check_options(const std::vector<sdk::Option>& options) {
    std::set<std::string> names;
    if (options.size() > most_options) return sdk::Error{sdk::Errc::limit, "options are too many"};
    for (const sdk::Option& option : options) {
        const std::string what = "option `" + option.name + "` ";
        const auto refuse = [&](std::string_view why) {
            return sdk::Error{sdk::Errc::invalid_argument, what + std::string{why}};
        };
        if (!legal_name(option.name)) return refuse("has a name that TOML would have to quote");
        if (option.name == "plugin") return refuse("has the name that the host itself uses");
        if (!names.insert(option.name).second) return refuse("is declared twice");
        if (!default_fits(option)) return refuse("has a default that it would not accept");
    }
    return {};
}

void Enrolment::storage_engine(sdk::StorageDeclaration declaration) {
    storage.push_back(std::move(declaration));
}
void Enrolment::coordination_backend(sdk::CoordinationDeclaration declaration) {
    coordination.push_back(std::move(declaration));
}
void Enrolment::replication_policy(sdk::ReplicationDeclaration declaration) {
    replication.push_back(std::move(declaration));
}
void Enrolment::group_assignor(sdk::AssignmentDeclaration declaration) {
    assignment.push_back(std::move(declaration));
}

sdk::Status Enrolment::run(const sdk::PluginInfo& info) {
    if (info.name == nullptr || info.version == nullptr || info.enroll == nullptr)
        return wrong("its entry point has no name, version or enroll function");
    try {
        info.enroll(*this);
    } catch (const std::exception& error) {
        return wrong("threw while it registered (" + std::string{error.what()} + ")");
    } catch (...) {
        return wrong("threw while it registered");
    }
    return check();
}

sdk::Status Enrolment::check() const {
    if (storage.empty() && coordination.empty() && replication.empty() && assignment.empty())
        return wrong("registers nothing");
    if (auto status = check_all("storage engine", storage); !status) return status;
    if (auto status = check_all("coordination backend", coordination); !status) return status;
    if (auto status = check_all("replication policy", replication); !status) return status;
    if (auto status = check_all("group assignor", assignment); !status) return status;
    for (const auto& policy : replication)
        if (policy.least_replicas < 1 || policy.most_replicas < policy.least_replicas)
            return wrong("registers replication policy \"" + policy.name +
                         "\" for no number of replicas");
    return {};
}

sdk::Status check_abi(const sdk::PluginInfo& info) {
    constexpr std::string_view ours = LEAT_ABI_TAG;
    constexpr std::size_t longest_tag = 200;
    if (info.abi == nullptr || ::strnlen(info.abi, longest_tag) == longest_tag)
        return sdk::Error{sdk::Errc::unsupported, "it says no ABI: rebuild it against this sdk/"};
    if (ours == info.abi) return {};
    return sdk::Error{sdk::Errc::unsupported,
                      "built with \"" + std::string{info.abi} + "\", this broker with \"" +
                          std::string{ours} +
                          "\", and C++ objects pass between them: rebuild it with the broker's "
                          "compiler and flags"};
}

}  // namespace leat::host
