#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/app/commands.h"
#if LEAT_INSPECTION_COMMANDS
#include "core/app/dump/dump.h"
#include "core/app/explain/explain.h"
#endif
#include "core/config/nearest.h"

namespace {

// What is wrong, and the help of the subcommand that was meant, or of the whole.
int wrong_usage(CLI::App& leat, const std::string& word, std::string what) {
    const auto subcommands = leat.get_subcommands([](const CLI::App*) { return true; });
    std::vector<std::string> names;
    for (const CLI::App* each : subcommands) names.push_back(each->get_name());
    const auto meant = std::ranges::find(names, word);
    if (!word.empty() && word[0] != '-' && meant == names.end()) {
        what = "there is no command `" + word + "`" + leat::config::did_you_mean(word, names);
    }
    const bool known = meant != names.end();
    std::fprintf(stderr, "leat: %s\n\n%s", what.c_str(),
                 (known ? leat.get_subcommand(word)->help("leat") : leat.help()).c_str());
    return 2;
}

#if LEAT_INSPECTION_COMMANDS
void add_explain(const auto& command, leat::app::Explain& asked) {
    using leat::app::ExplainForm;
    CLI::App* explain =
        command("explain", "Say what a configuration may hold.\n  leat explain limits.idle",
                [&asked] { return leat::app::explain(asked); });
    explain->add_option("KEY", asked.key, "A key, a section or a plugin; without it: all");
    explain->add_option("--config", asked.config, "A configuration, for its search path");
    const auto form = [&](const char* name, ExplainForm chosen, const char* what) {
        return explain->add_flag_callback(
            name, [&asked, chosen] { asked.form = chosen; }, what);
    };
    form("--markdown", ExplainForm::markdown, "As docs/configuration.md")
        ->excludes(form("--json", ExplainForm::json, "For programs"));
}

void add_dump(const auto& command, leat::app::Dump& asked) {
    CLI::App* dump =
        command("dump", "Say what files of a data folder hold.\n  leat dump data/disk/orders-0",
                [&asked] { return leat::app::dump(asked); });
    dump->add_option("PATH", asked.paths, "Files; of a folder, everything in it")->required();
    dump->add_option("--config", asked.config, "A configuration, for its search path");
    dump->add_flag("--records", asked.options.records, "Open the batches of segments");
    dump->add_flag("--json", asked.json, "For programs");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    CLI::App leat {
        "Leat, a message broker that Kafka clients talk to, assembled from plugins.\n\n"
        "  leat serve config/dev.toml        a broker on 127.0.0.1:9092\n"
        "  leat check broker.toml            every mistake in a configuration, without starting\n"
        "  leat plugins --json               what can be named in a configuration\n"
        "  leat apis                         what clients can ask for\n"
#if LEAT_INSPECTION_COMMANDS
        "  leat explain limits.idle          what a key means, takes and is by default\n"
        "  leat dump data/disk/orders-0      what files hold, and what is wrong with them\n"
#endif
        "\n"
        "Exit codes: 0 all is well, 1 the configuration or the machine refuses, 2 wrong usage."
    };
    leat.name("leat");
    leat.require_subcommand(1);
    leat.set_version_flag("--version", LEAT_VERSION);

    std::string file;
    bool json = false;
    std::function<int()> run;
    const auto command = [&](const char* name, const char* what, std::function<int()> act) {
        CLI::App* added = leat.add_subcommand(name, what);
        added->callback([&run, act = std::move(act)] { run = act; });
        return added;
    };
    command("serve", "Serve until SIGTERM or SIGINT.\n  leat serve config/dev.toml",
            [&] { return leat::app::serve(file); })
        ->add_option("FILE", file, "The configuration, TOML")
        ->required();
    CLI::App* check = command(
        "check", "Say every mistake in a configuration, with its place.\n  leat check broker.toml",
        [&] { return leat::app::check(file, json); });
    check->add_option("FILE", file, "The configuration, TOML")->required();
    CLI::App* plugins = command(
        "plugins", "List plugins, their options and why some are refused.\n  leat plugins", [&] {
            return leat::app::plugins(
                file.empty() ? std::nullopt : std::optional<std::filesystem::path>{file}, json);
        });
    plugins->add_option("FILE", file, "A configuration, for its search path");
    CLI::App* apis = command("apis", "List the APIs that are served.\n  leat apis --json",
                             [&] { return leat::app::apis(json); });
    for (CLI::App* each : {check, plugins, apis}) each->add_flag("--json", json, "For programs");
#if LEAT_INSPECTION_COMMANDS
    leat::app::Explain asked;
    leat::app::Dump looked_at;
    add_explain(command, asked);
    add_dump(command, looked_at);
#endif

    try {
        leat.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return leat.exit(error);
        return wrong_usage(leat, argc > 1 ? argv[1] : "", error.what());
    }
    return run();
}
