#include "core/app/explain/explain.h"

#include <cstdio>

#include "core/app/assembly.h"
#include "core/app/explain/manual.h"
#include "core/app/silent_logger.h"
#include "core/config/nearest.h"

namespace leat::app {

int explain(const Explain& asked) {
    SilentLogger nobody;
    host::PluginHost host{nobody};
    if (!discover_plugins(host, asked.config)) return 1;
    Manual told = manual(host);
    if (!asked.key.empty()) {
        Manual found = find(told, asked.key);
        if (found.empty()) {
            std::fprintf(stderr, "leat: no section, key or plugin is called `%s`%s\n",
                         asked.key.c_str(),
                         config::did_you_mean(asked.key, known_words(told)).c_str());
            return 2;
        }
        told = std::move(found);
    }
    const std::string text = asked.form == ExplainForm::json       ? as_json(told)
                             : asked.form == ExplainForm::markdown ? as_markdown(told)
                                                                   : as_text(told);
    std::fputs(text.c_str(), stdout);
    return 0;
}

}  // namespace leat::app
