#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "core/app/command_line.h"
#if LEAT_OPERATOR_VIEW
#include "core/app/admin_command.h"
#include "core/app/top.h"
#endif
#include "core/app/commands.h"
#include "core/app/completion.h"
#if LEAT_CLIENT_COMMANDS
#include "core/app/client_commands/client_commands.h"
#endif
#if LEAT_INSPECTION_COMMANDS
#include "core/app/dump/dump.h"
#include "core/app/explain/explain.h"
#endif

namespace {

// Those that need nothing but this program and its files.
void add_commands(leat::app::CommandLine& line, std::string& file, std::string& shell, bool& json) {
    line.command("serve", "Serve until SIGTERM or SIGINT.\n  leat serve config/dev.toml",
                 [&] { return leat::app::serve(file); })
        .add_option("FILE", file, "The configuration, TOML")
        ->required();
    CLI::App& check = line.command(
        "check", "Say every mistake in a configuration, with its place.\n  leat check broker.toml",
        [&] { return leat::app::check(file, json); });
    check.add_option("FILE", file, "The configuration, TOML")->required();
    CLI::App& plugins = line.command(
        "plugins", "List plugins, their options and why some are refused.\n  leat plugins", [&] {
            return leat::app::plugins(
                file.empty() ? std::nullopt : std::optional<std::filesystem::path>{file}, json);
        });
    plugins.add_option("FILE", file, "A configuration, for its search path");
    CLI::App& apis = line.command("apis", "List the APIs that are served.\n  leat apis --json",
                                  [&] { return leat::app::apis(json); });
    for (CLI::App* each : {&check, &plugins, &apis}) each->add_flag("--json", json, "For programs");
    line.command("completion",
                 "Print what makes a shell complete `leat`.\n"
                 "  source <(leat completion bash)\n"
                 "  leat completion zsh > ~/.zsh/completions/_leat      a folder of $fpath",
                 [&line, &shell] {
                     const auto script = shell == "zsh" ? leat::app::zsh_completion(line.root())
                                                        : leat::app::bash_completion(line.root());
                     std::fputs(script.c_str(), stdout);
                     return 0;
                 })
        .add_option("SHELL", shell, "Which one")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh"}));
}

#if LEAT_OPERATOR_VIEW
void add_reload(leat::app::CommandLine& line, leat::app::AdminCommand& asked) {
    CLI::App& reload =
        line.command(*line.root().get_subcommand("plugins"), "reload",
                     "Have a running broker take a group assignor from its file as it is now.\n"
                     "  leat plugins reload sticky --config broker.toml",
                     [&asked] {
                         asked.action = "reload";
                         return leat::app::admin(asked);
                     });
    reload.add_option("NAME", asked.plugin, "The assignment plugin")->required();
    auto* config = reload.add_option("--config", asked.broker.config, "The broker's configuration");
    reload.add_option("--socket", asked.broker.socket, "Or its socket: DATA/admin.sock")
        ->excludes(config);
}

void add_admin(leat::app::CommandLine& line, leat::app::AdminCommand& asked) {
    CLI::App& admin = line.command("admin",
                                   "Ask a running broker by the socket in its data folder.\n"
                                   "  leat admin log-level debug --config broker.toml",
                                   [&asked] { return leat::app::admin(asked); });
    admin
        .add_option("ACTION", asked.action,
                    "log-level: says or changes the least that is logged; stop: ends the broker in "
                    "order; metrics: prints them; ready: says whether it serves")
        ->required()
        ->check(CLI::IsMember({"log-level", "stop", "metrics", "ready"}));
    admin.add_option("LEVEL", asked.level, "For log-level: debug, info, warn or error");
    auto* config = admin.add_option("--config", asked.broker.config, "The broker's configuration");
    admin.add_option("--socket", asked.broker.socket, "Or its socket: DATA/admin.sock")
        ->excludes(config);
}
#endif

#if LEAT_OPERATOR_VIEW
void add_top(leat::app::CommandLine& line, leat::app::TopCommand& asked) {
    CLI::App& top =
        line.command("top", "Show what a running broker does.\n  leat top --config broker.toml",
                     [&asked] { return leat::app::top(asked); });
    auto* config = top.add_option("--config", asked.broker.config, "The broker's configuration");
    auto* socket = top.add_option("--socket", asked.broker.socket, "Or its DATA/admin.sock");
    auto* url = top.add_option("--url", asked.broker.url, "Or its [http] address");
    config->excludes(socket)->excludes(url);
    socket->excludes(url);
    top.add_flag("--once", asked.once, "One look of a second, as where no terminal is");
}
#endif

#if LEAT_INSPECTION_COMMANDS
void add_explain(leat::app::CommandLine& line, leat::app::Explain& asked) {
    using leat::app::ExplainForm;
    CLI::App& explain =
        line.command("explain", "Say what a configuration may hold.\n  leat explain limits.idle",
                     [&asked] { return leat::app::explain(asked); });
    explain.add_option("KEY", asked.key, "A key, a section or a plugin; without it: all");
    explain.add_option("--config", asked.config, "A configuration, for its search path");
    const auto form = [&](const char* name, ExplainForm chosen, const char* what) {
        return explain.add_flag_callback(
            name, [&asked, chosen] { asked.form = chosen; }, what);
    };
    form("--markdown", ExplainForm::markdown, "As docs/configuration.md")
        ->excludes(form("--json", ExplainForm::json, "For programs"));
}

void add_dump(leat::app::CommandLine& line, leat::app::Dump& asked) {
    CLI::App& dump = line.command(
        "dump", "Say what files of a data folder hold.\n  leat dump data/disk/orders-0",
        [&asked] { return leat::app::dump(asked); });
    dump.add_option("PATH", asked.paths, "Files; of a folder, everything in it")->required();
    dump.add_option("--config", asked.config, "A configuration, for its search path");
    dump.add_flag("--records", asked.options.records, "Open the batches of segments");
    dump.add_flag("--json", asked.json, "For programs");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    leat::app::CommandLine line {
        "Leat, a message broker that Kafka clients talk to, assembled from plugins.\n\n"
        "  leat serve config/dev.toml        a broker on 127.0.0.1:9092\n"
        "  leat check broker.toml            every mistake in a configuration, without starting\n"
        "  leat plugins --json               what can be named in a configuration\n"
        "  leat apis                         what clients can ask for\n"
#if LEAT_OPERATOR_VIEW
        "  leat top --config FILE            what a running broker does, live\n"
        "  leat admin stop --config FILE     ends a running broker in order\n"
#endif
#if LEAT_INSPECTION_COMMANDS
        "  leat explain limits.idle          what a key means, takes and is by default\n"
        "  leat dump data/disk/orders-0      what files hold, and what is wrong with them\n"
#endif
#if LEAT_CLIENT_COMMANDS
        "  leat topic list                   the topics of a broker, of this or another kind\n"
        "  leat group lag shop               how far a consumer group is behind\n"
        "  leat produce greetings            lines from standard input to a topic\n"
        "  leat consume greetings            the records of a topic\n"
        "  leat doctor broker-1:9092         what works with a broker, of this or another kind\n"
#endif
        "\nExit codes: 0 all is well, 1 the configuration, the machine or the broker refuses,\n"
        "2 wrong usage."
    };
    std::string file;
    std::string shell;
    bool json = false;
    add_commands(line, file, shell, json);
#if LEAT_OPERATOR_VIEW
    leat::app::AdminCommand administered;
    add_admin(line, administered);
    add_reload(line, administered);
    leat::app::TopCommand watched;
    add_top(line, watched);
#endif
#if LEAT_INSPECTION_COMMANDS
    leat::app::Explain asked;
    leat::app::Dump looked_at;
    add_explain(line, asked);
    add_dump(line, looked_at);
#endif
#if LEAT_CLIENT_COMMANDS
    leat::app::add_client_commands(line);
#endif
    return line.run(argc, argv);
}
