#include "core/app/completion.h"

#include <string_view>
#include <vector>

namespace leat::app {
namespace {

// What differs between shells: how the words come in, and how what is offered goes out. Between
// them are the tables, in what both understand.
struct Shell {
    std::string_view head;
    std::string_view foot;
};

constexpr Shell bash{
    R"(# What bash completes after `leat`; made by `leat completion bash`.
_leat() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command="" next at offers="" value=""
    COMPREPLY=()
    # bash takes --option=value apart at the equals sign.
    if [[ $word == = ]]; then
        word=""
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((at = 1; at < COMP_CWORD; ++at)); do
        next=${command:+$command }${COMP_WORDS[at]}
)",
    R"(    mapfile -t COMPREPLY < <(compgen -W "$offers" -- "$word")
}
complete -o default -F _leat leat
)"};

// Either sourced or, as a file `_leat` in a folder of $fpath, called at once when it is needed.
constexpr Shell zsh{
    R"(#compdef leat
# What zsh completes after `leat`; made by `leat completion zsh`.
_leat() {
    local word=${words[CURRENT]} before=${words[CURRENT - 1]}
    local command="" next at offers="" value=""
    if [[ $word == --*=* ]]; then
        before=${word%%=*}
        word=${word#*=}
        compset -P 1 '*='
    fi
    for ((at = 2; at < CURRENT; ++at)); do
        next=${command:+$command }${words[at]}
)",
    R"(    compadd -- ${=offers} || _files
}
if [[ ${funcstack[1]} == _leat ]]; then
    _leat "$@"
else
    compdef _leat leat
fi
)"};

// Of IsMember: its description, "{none,gzip}", is behind the type's name.
std::string values_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const auto begin = type.find('{'), end = type.rfind('}');
    if (begin == std::string::npos || end == std::string::npos) return "";
    std::string values = type.substr(begin + 1, end - begin - 1);
    for (char& each : values) {
        if (each == ',') each = ' ';
    }
    return values;
}

std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const auto& name : option.get_snames()) names.push_back("-" + name);
    for (const auto& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

struct Parts {
    std::string commands;  // The patterns of all of them.
    std::string values;    // What follows an option that takes one.
    std::string words;     // What may stand anywhere in a command.
};

void describe(const CLI::App& command, const std::string& path, Parts& to) {
    const auto add = [](std::string& list, const std::string& word) {
        list += (list.empty() ? "" : " ") + word;
    };
    std::string plain, options;
    for (const auto* each : command.get_subcommands([](const CLI::App*) { return true; })) {
        const std::string name = (path.empty() ? "" : path + " ") + each->get_name();
        add(plain, each->get_name());
        to.commands += (to.commands.empty() ? "            " : " | ") + ("\"" + name + "\"");
        describe(*each, name, to);
    }
    for (const auto* option : command.get_options()) {
        if (option->get_positional()) {
            if (const auto values = values_of(*option); !values.empty()) add(plain, values);
            continue;
        }
        const auto names = names_of(*option);
        if (!option->get_lnames().empty()) add(options, "--" + option->get_lnames().front());
        if (option->get_items_expected_max() == 0) continue;  // A flag.
        std::string patterns;
        for (const auto& name : names) {
            patterns += (patterns.empty() ? "" : " | ") + ("\"" + path + "|" + name + "\"");
        }
        to.values += "        " + patterns + ") value=1 offers=\"" + values_of(*option) + "\" ;;\n";
    }
    to.words += "        \"" + path + "\")\n            if [[ $word == -* ]]; then offers=\"" +
                options + "\"; else offers=\"" + plain + "\"; fi ;;\n";
}

std::string script_for(const Shell& shell, const CLI::App& root) {
    Parts parts;
    describe(root, "", parts);
    std::string script{shell.head};
    script += "        case $next in\n" + parts.commands + ")\n";
    script += "            command=$next ;;\n        esac\n    done\n";
    script += "    case \"$command|$before\" in\n" + parts.values + "    esac\n";
    script += "    [[ $value ]] || case $command in\n" + parts.words + "    esac\n";
    return script.append(shell.foot);
}

}  // namespace

std::string bash_completion(const CLI::App& root) {
    return script_for(bash, root);
}

std::string zsh_completion(const CLI::App& root) {
    return script_for(zsh, root);
}

}  // namespace leat::app
