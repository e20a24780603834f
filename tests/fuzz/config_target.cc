// Input: the text of a configuration file.
#include "core/config/config.h"
#include "leat/sdk/ensure.h"
#include "tests/fuzz/input.h"

namespace leat::fuzz {

void config(Input input) {
    const Bytes bytes = Pieces{input}.rest();
    const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    const auto loading = config::load_text("/nowhere/broker.toml", text);
    std::string said;
    for (const auto& complaint : loading.complaints) {
        const std::string words = config::text_of(complaint);
        sdk::ensure(!words.empty() && config::is_text(words), "a complaint can be printed");
        said += words;
    }
    const auto again = config::load_text("/nowhere/broker.toml", text);
    sdk::ensure(said == config::text_of(again.complaints), "a file is read the same twice");
    if (!loading.readable) return;
    (void)loading.config.settings_for("a-topic");
    sdk::ensure(!loading.ok() || !loading.config.listeners.empty(),
                "what may be served with has a listener");
}

}  // namespace leat::fuzz
