#include "core/app/command_line.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/config/nearest.h"

namespace leat::app {

CommandLine::CommandLine(std::string about) : leat_{std::move(about)} {
    leat_.name("leat");
    leat_.require_subcommand(1);
    leat_.set_version_flag("--version", LEAT_VERSION);
}

CLI::App& CommandLine::command(CLI::App& under, std::string name, std::string what,
                               std::function<int()> act) {
    CLI::App* added = under.add_subcommand(std::move(name), std::move(what));
    added->callback([this, added, act = std::move(act)] {
        if (added->get_subcommands().empty()) chosen_ = act;  // Else that one was chosen.
    });
    return *added;
}

CLI::App& CommandLine::group(std::string name, std::string what) {
    CLI::App* added = leat_.add_subcommand(std::move(name), std::move(what));
    added->require_subcommand(1);
    return *added;
}

int CommandLine::run(int argc, char** argv) {
    try {
        leat_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return leat_.exit(error);
        return wrong_usage(argc, argv, error.what());
    }
    return chosen_();
}

// What is wrong, and the help of the subcommand that was meant, or of the whole.
int CommandLine::wrong_usage(int argc, char** argv, std::string what) {
    CLI::App* meant = &leat_;
    std::string before;  // "leat topic", of the help's "Usage: leat topic create".
    for (int at = 1;; ++at) {
        std::vector<std::string> names;
        for (const CLI::App* each : meant->get_subcommands([](const CLI::App*) { return true; })) {
            names.push_back(each->get_name());
        }
        if (names.empty() || at >= argc) break;
        const std::string word = argv[at];
        if (std::ranges::find(names, word) == names.end()) {
            if (word.empty() || word[0] == '-') break;
            const std::string above = before.empty() ? "" : meant->get_name() + " ";
            what = "there is no command `" + above + word + "`" + config::did_you_mean(word, names);
            break;
        }
        before += (before.empty() ? "" : " ") + meant->get_name();
        meant = meant->get_subcommand(word);
    }
    std::fprintf(stderr, "leat: %s\n\n%s", what.c_str(), meant->help(before).c_str());
    return 2;
}

}  // namespace leat::app
