// Everything that a configuration may say and that a topic may be set to, gathered from where it is
// declared: the sections of the file, the plugins' options, the table of topic configs. `leat
// explain` and docs/configuration.md are this, printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/reference.h"
#include "core/host/plugin_host.h"

namespace leat::app {

struct ManualKey {
    std::string path;  // "limits.idle", "storage.NAME.writeback", "retention.ms": no two are alike
                       // but options of plugins of one kind.
    config::KeyReference is;
    std::string note;  // What else is to know: "Fixed when the topic is created."; may be empty.
};

struct ManualSection {
    std::string name;    // "limits", "storage.NAME"; empty for the keys above all tables.
    std::string title;   // "[limits]", "[storage.NAME] with plugin segment", "Topic configs".
    std::string plugin;  // Whose options these are; else empty.
    std::string description;
    std::string opening;  // What stands above an example: "[limits]\n"; empty at the file's top.
    std::vector<ManualKey> keys;
};

using Manual = std::vector<ManualSection>;

Manual manual(const host::PluginHost& plugins);

// What `asked` means: a path, a section or a plugin, a key's own name wherever it stands, with the
// operator's names for NAME and PATTERN. Empty if it is none of these.
Manual find(const Manual& manual, std::string_view asked);

// Every word that find() knows, for a guess.
std::vector<std::string> known_words(const Manual& manual);

std::string example_of(const ManualSection& section, const ManualKey& key);

// For people, docs/configuration.md, programs.
std::string as_text(const Manual& manual);
std::string as_markdown(const Manual& manual);
std::string as_json(const Manual& manual);

}  // namespace leat::app
