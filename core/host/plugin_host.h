// Finds plugins, checks them, and knows what they offer:
//
//   PluginHost host{logger};
//   host.enroll_built_in(leat_static_plugins());
//   host.discover(config.plugins.search_path);
//   ... instances.h makes instances of what was found.
//
// Each library that cannot be used is refused with one sentence that says what to do, is remembered
// for `leat plugins`, and does not keep the others from working. Whether the broker can start
// without it shows when an instance names what is missing.
//
// One thread at start, and later one at a time: that which reloads. Libraries are never unloaded.
// The host must outlive every instance: their contexts refer to its counters.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host/enrolment.h"
#include "core/host/plugin_context.h"
#include "core/logging/logger.h"
#include "leat/sdk/plugin.h"
#include "leat/sdk/result.h"

namespace leat::host {

inline constexpr std::size_t most_libraries = 1000;  // In one folder; further ones are refused.

inline constexpr std::string_view built_in = "built in";

// Where a declaration comes from.
struct Origin {
    std::string file;  // `built_in` for a static plugin.
    std::string plugin;
    std::string version;
};

template <class Declaration>
struct Enrolled {
    Declaration declaration;
    Origin origin;
};

struct Refusal {
    std::string file;
    std::string reason;  // "built for plugin API 0, this broker speaks 1: rebuild it ..."
};

// One line of `leat plugins`.
struct Listing {
    std::string kind;  // "assignment", "coordination", "replication", "storage".
    std::string name;
    std::string description;
    Origin origin;
    std::vector<sdk::Option> options;
    std::vector<std::string> capabilities;  // "durable", "truncatable", "replicas 1 to 1", ...
};

class PluginHost {
public:
    explicit PluginHost(logging::Logger& logger) : logger_{logger} {}
    PluginHost(const PluginHost&) = delete;
    PluginHost& operator=(const PluginHost&) = delete;

    void enroll_built_in(std::span<const sdk::PluginInfo* const> plugins);

    // Whether discover() can find any: not in a static program.
    static bool loads_libraries();

    // Every *.so of each folder, in the order of the folders and of their names. Folders must be
    // absolute. A file that was seen already, by whatever path, is passed over.
    void discover(std::span<const std::filesystem::path> folders);

    // The group assignor `name` from its file as it is now, in the place of what was there; hands
    // that back, for put_back(). What was made of it works on. The file's other plugins stay as
    // they are. Errc::not_found: there is none; unsupported: it is built in.
    sdk::Result<Enrolled<sdk::AssignmentDeclaration>> reload_assignor(const std::string& name);
    void put_back(Enrolled<sdk::AssignmentDeclaration> assignor);

    template <class Declaration>
    using Found = std::map<std::string, Enrolled<Declaration>, std::less<>>;
    const Found<sdk::StorageDeclaration>& storage() const { return storage_; }
    const Found<sdk::CoordinationDeclaration>& coordination() const { return coordination_; }
    const Found<sdk::ReplicationDeclaration>& replication() const { return replication_; }
    const Found<sdk::AssignmentDeclaration>& assignment() const { return assignment_; }

    const std::vector<Refusal>& refusals() const { return refusals_; }
    std::vector<Listing> listings() const;  // By kind, then name.

    logging::Logger& logger() { return logger_; }
    PluginCounters& counters() { return counters_; }

private:
    void consider(const std::filesystem::path& file);
    sdk::Status load(const std::filesystem::path& file);
    sdk::Status enroll(const sdk::PluginInfo& info, const std::string& file);
    void refuse(std::string file, std::string reason);

    logging::Logger& logger_;
    PluginCounters counters_;
    Found<sdk::StorageDeclaration> storage_;
    Found<sdk::CoordinationDeclaration> coordination_;
    Found<sdk::ReplicationDeclaration> replication_;
    Found<sdk::AssignmentDeclaration> assignment_;
    std::vector<Refusal> refusals_;
    std::set<std::filesystem::path> seen_;  // Canonical.
};

}  // namespace leat::host
