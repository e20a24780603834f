#include "core/host/plugin_host.h"

#include <utility>

namespace leat::host {

namespace {

template <class Declaration>
sdk::Status check_free(std::string_view kind, const std::vector<Declaration>& offered,
                       const PluginHost::Found<Declaration>& taken) {
    for (const Declaration& declaration : offered) {
        const auto found = taken.find(declaration.name);
        if (found == taken.end()) continue;
        return sdk::Error{sdk::Errc::already_exists, "registers " + std::string{kind} + " \"" +
                                                         declaration.name + "\", which " +
                                                         found->second.origin.file +
                                                         " has registered: remove one of the two"};
    }
    return {};
}

template <class Declaration>
void move_into(PluginHost::Found<Declaration>& into, std::vector<Declaration>& offered,
               const Origin& origin) {
    for (Declaration& declaration : offered) {
        std::string name = declaration.name;
        into.emplace(std::move(name), Enrolled<Declaration>{std::move(declaration), origin});
    }
}

template <class Declaration>
Listing listing_of(std::string kind, const Enrolled<Declaration>& enrolled) {
    const auto& [declaration, origin] = enrolled;
    return {std::move(kind), declaration.name,    declaration.description,
            origin,          declaration.options, {}};
}

std::vector<std::string> named(std::initializer_list<std::pair<const char*, bool>> capabilities) {
    std::vector<std::string> names;
    for (const auto& [name, has] : capabilities)
        if (has) names.emplace_back(name);
    return names;
}

std::vector<std::string> capabilities_of(const sdk::AssignmentCapabilities& has) {
    return named({{"even counts of each topic", has.balance == sdk::AssignmentBalance::each_topic},
                  {"even counts", has.balance == sdk::AssignmentBalance::members},
                  {"keeps the others' when one leaves", has.keeps_the_others},
                  {"follows racks", has.follows_racks},
                  {"looks at lag", has.needs_lag},
                  {"looks at sizes", has.needs_sizes}});
}

}  // namespace

void PluginHost::refuse(std::string file, std::string reason) {
    logger_.log(logging::Level::warn, "plugin refused", {{"file", file}, {"reason", reason}});
    refusals_.push_back({std::move(file), std::move(reason)});
}

void PluginHost::enroll_built_in(std::span<const sdk::PluginInfo* const> plugins) {
    for (const sdk::PluginInfo* info : plugins) {
        auto status = check_abi(*info);
        if (status) status = enroll(*info, std::string{built_in});
        if (!status)
            refuse("built in: " + std::string{info->name == nullptr ? "?" : info->name},
                   status.error().what);
    }
}

sdk::Status PluginHost::enroll(const sdk::PluginInfo& info, const std::string& file) {
    Enrolment offered;
    if (auto status = offered.run(info); !status) return status;
    if (auto status = check_free("storage engine", offered.storage, storage_); !status)
        return status;
    if (auto status = check_free("coordination backend", offered.coordination, coordination_);
        !status)
        return status;
    if (auto status = check_free("replication policy", offered.replication, replication_); !status)
        return status;
    if (auto status = check_free("group assignor", offered.assignment, assignment_); !status)
        return status;
    const Origin origin{file, info.name, info.version};
    move_into(storage_, offered.storage, origin);
    move_into(coordination_, offered.coordination, origin);
    move_into(replication_, offered.replication, origin);
    move_into(assignment_, offered.assignment, origin);
    logger_.log(logging::Level::debug, "plugin found",
                {{"plugin", info.name}, {"version", info.version}, {"file", file}});
    return {};
}

void PluginHost::put_back(Enrolled<sdk::AssignmentDeclaration> assignor) {
    assignment_.at(assignor.declaration.name) = std::move(assignor);
}

std::vector<Listing> PluginHost::listings() const {
    std::vector<Listing> all;
    for (const auto& [name, enrolled] : assignment_) {
        all.push_back(listing_of("assignment", enrolled));
        all.back().capabilities = capabilities_of(enrolled.declaration.capabilities);
    }
    for (const auto& [name, enrolled] : coordination_) {
        const auto& has = enrolled.declaration.capabilities;
        all.push_back(listing_of("coordination", enrolled));
        all.back().capabilities =
            named({{"durable", has.durable}, {"several brokers", has.multi_node}});
    }
    for (const auto& [name, enrolled] : replication_) {
        const auto& policy = enrolled.declaration;
        all.push_back(listing_of("replication", enrolled));
        all.back().capabilities = {"replicas " + std::to_string(policy.least_replicas) + " to " +
                                   std::to_string(policy.most_replicas)};
    }
    for (const auto& [name, enrolled] : storage_) {
        const auto& has = enrolled.declaration.capabilities;
        all.push_back(listing_of("storage", enrolled));
        all.back().capabilities = named({{"durable", has.durable},
                                         {"truncatable", has.truncatable},
                                         {"side files", has.side_files},
                                         {"rewritable", has.rewritable}});
    }
    return all;
}

}  // namespace leat::host
