// The tree of subcommands: each is declared once, with its help, its example and what it does. The
// help, the complaint about wrong usage and the completion of shells walk what was declared.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace leat::app {

class CommandLine {
public:
    explicit CommandLine(std::string about);

    // `act` returns the exit code. The one that is chosen runs after everything was parsed.
    CLI::App& command(std::string name, std::string what, std::function<int()> act) {
        return command(leat_, std::move(name), std::move(what), std::move(act));
    }
    CLI::App& command(CLI::App& under, std::string name, std::string what,
                      std::function<int()> act);
    // One that only has others under it: `leat topic`.
    CLI::App& group(std::string name, std::string what);

    CLI::App& root() { return leat_; }

    // The exit code of the chosen command, or 2 after the help of what was meant.
    int run(int argc, char** argv);

private:
    int wrong_usage(int argc, char** argv, std::string what);

    CLI::App leat_;
    std::function<int()> chosen_;
};

}  // namespace leat::app
