// How a library becomes a plugin: it exports one constant.
//
//   LEAT_PLUGIN("memory", "1.0.0", [](leat::sdk::Registrar& host) {
//       host.storage_engine({.name = "memory", .description = "...", .options = {...},
//                            .capabilities = {...},
//                            .make = [](PluginContext& context, const Settings& settings)
//                                        -> Result<std::unique_ptr<StorageEngine>> {...}});
//   });
//
// The API number is part of the exported symbol's name, so the host refuses a library of another
// generation before running any of its code. C++ objects cross the boundary, so host and plugin
// must agree on compiler and library: the ABI tag, compared before anything is called.
//
// Exceptions out of a plugin are caught at the call and contained; a fault in native code (a wild
// pointer) is not, and takes the broker down.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leat/sdk/assignment.h"
#include "leat/sdk/coordination.h"
#include "leat/sdk/inspection.h"
#include "leat/sdk/plugin_context.h"
#include "leat/sdk/replication.h"
#include "leat/sdk/result.h"
#include "leat/sdk/settings.h"
#include "leat/sdk/storage.h"

namespace leat::sdk {

// Raised whenever any header under leat/sdk changes layout or meaning; the number in
// LEAT_PLUGIN_NAME with it.
inline constexpr int plugin_api = 1;
inline constexpr const char* plugin_symbol = "leat_plugin_v1";
inline constexpr const char* plugin_symbol_stem = "leat_plugin_v";

template <class Interface>
using Factory = std::function<Result<std::unique_ptr<Interface>>(PluginContext&, const Settings&)>;

struct StorageDeclaration {
    std::string name;  // What `plugin = "..."` in the configuration says.
    std::string description;
    std::vector<Option> options;
    StorageCapabilities capabilities;
    Factory<StorageEngine> make;  // [worker]
};
struct CoordinationCapabilities {
    bool durable = false;
    bool multi_node = false;  // Several brokers can share one store.
};
struct CoordinationDeclaration {
    std::string name;
    std::string description;
    std::vector<Option> options;
    CoordinationCapabilities capabilities;
    Factory<CoordinationBackend> make;  // [shard]
    std::vector<FileInspector> files{};  // For `leat dump`; may be empty.
};
struct ReplicationDeclaration {
    std::string name;
    std::string description;
    std::vector<Option> options;
    std::int32_t least_replicas = 1;
    std::int32_t most_replicas = 1;
    Factory<ReplicationPolicy> make;  // [shard]
};
struct AssignmentDeclaration {
    std::string name;
    std::string description;
    std::vector<Option> options;
    AssignmentCapabilities capabilities;
    Factory<GroupAssignor> make;  // [worker]
};

// What the host offers while a plugin registers. Nothing is registered behind the host's back:
// there are no static initialisers and no global registry. A name that is taken refuses the whole
// plugin.
class Registrar {
public:
    virtual void storage_engine(StorageDeclaration declaration) = 0;
    virtual void coordination_backend(CoordinationDeclaration declaration) = 0;
    virtual void replication_policy(ReplicationDeclaration declaration) = 0;
    virtual void group_assignor(AssignmentDeclaration declaration) = 0;

protected:
    ~Registrar() = default;
};

struct PluginInfo {
    const char* abi;  // First, and compared before the rest is read.
    const char* name;
    const char* version;
    void (*enroll)(Registrar& host);
};

#define LEAT_TEXT_OF(x) #x
#define LEAT_TEXT(x) LEAT_TEXT_OF(x)
#define LEAT_GLUED(a, b) a##b
#define LEAT_GLUE(a, b) LEAT_GLUED(a, b)

#if defined(_GLIBCXX_DEBUG)
#define LEAT_ABI_DEBUG "debug"
#else
#define LEAT_ABI_DEBUG "plain"
#endif
#if defined(__SANITIZE_ADDRESS__)
#define LEAT_ABI_SANITIZER "address"
#elif defined(__SANITIZE_THREAD__)
#define LEAT_ABI_SANITIZER "thread"
#else
#define LEAT_ABI_SANITIZER "none"
#endif
#if defined(__clang__)
#define LEAT_ABI_COMPILER "clang" LEAT_TEXT(__clang_major__)
#else
#define LEAT_ABI_COMPILER "gcc" LEAT_TEXT(__GNUC__)
#endif
// For example "gcc12 libstdc++-cxx11abi1 plain sanitizer:none".
#define LEAT_ABI_TAG                                                                      \
    LEAT_ABI_COMPILER " libstdc++-cxx11abi" LEAT_TEXT(_GLIBCXX_USE_CXX11_ABI) " " LEAT_ABI_DEBUG \
                      " sanitizer:" LEAT_ABI_SANITIZER

#if !defined(LEAT_PLUGIN_SUFFIX)
#define LEAT_PLUGIN_SUFFIX
#endif
#define LEAT_PLUGIN_NAME LEAT_GLUE(leat_plugin_v1, LEAT_PLUGIN_SUFFIX)

#define LEAT_PLUGIN(name, version, ...)                                                   \
    extern "C" __attribute__((visibility("default")))                                     \
    const ::leat::sdk::PluginInfo LEAT_PLUGIN_NAME;                                       \
    const ::leat::sdk::PluginInfo LEAT_PLUGIN_NAME { LEAT_ABI_TAG, name, version, __VA_ARGS__ }

}  // namespace leat::sdk
