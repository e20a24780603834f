// What one plugin registers while its enroll() runs. It is thrown away as a whole if anything in it
// cannot be: a name that is taken, an option whose default is not of its kind, no factory. A
// plugin's declarations are input, not beliefs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leat/sdk/plugin.h"
#include "leat/sdk/result.h"

namespace leat::host {

inline constexpr std::size_t most_declarations = 100;  // Of one plugin.
inline constexpr std::size_t most_options = 200;       // Of one declaration.

class Enrolment final : public sdk::Registrar {
public:
    void storage_engine(sdk::StorageDeclaration declaration) override;
    void coordination_backend(sdk::CoordinationDeclaration declaration) override;
    void replication_policy(sdk::ReplicationDeclaration declaration) override;
    void group_assignor(sdk::AssignmentDeclaration declaration) override;

    // Runs the plugin's enroll(), which may throw, and checks what it registered.
    sdk::Status run(const sdk::PluginInfo& info);

    std::vector<sdk::StorageDeclaration> storage;
    std::vector<sdk::CoordinationDeclaration> coordination;
    std::vector<sdk::ReplicationDeclaration> replication;
    std::vector<sdk::AssignmentDeclaration> assignment;

private:
    sdk::Status check() const;
};

// The first check of a PluginInfo, static ones included.
sdk::Status check_abi(const sdk::PluginInfo& info);

// Nothing, or what is wrong with the options' declarations, as a sentence.
sdk::Status check_options(const std::vector<sdk::Option>& options);

}  // namespace leat::host
