#include "core/app/dump/printer.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/logging/line.h"

namespace leat::app {
namespace {

using json = nlohmann::ordered_json;

json to_json(const sdk::FieldValue& value) {
    return std::visit([](const auto& one) { return json(one); }, value);
}

std::string as_text(const sdk::FieldValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
        return logging::quoted_if_needed(*text);
    }
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    return std::to_string(std::get<std::int64_t>(value));
}

// A name may hold anything: what is not UTF-8 is replaced.
std::string text_of(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace

void Printer::begin() {
    if (json_) print("{\"files\": [");
}

void Printer::begin_file(const std::filesystem::path& path, const std::string& kind,
                         std::uint64_t bytes) {
    const std::string shown = kind.empty() ? "not known" : kind;
    if (json_) {
        const std::string head =
            text_of({{"path", path.string()}, {"kind", shown}, {"bytes", bytes}});
        print(std::string{files_ == 0 ? "\n" : ",\n"} + head.substr(0, head.size() - 1) +
              ",\"items\": [");
    } else {
        print(logging::quoted_if_needed(path.string()) + ": " + shown + ", " +
              std::to_string(bytes) + " bytes\n");
    }
    ++files_;
    first_item_ = true;
}

void Printer::print_json(const std::string& text) {
    print((first_item_ ? "\n  " : ",\n  ") + text);
    first_item_ = false;
}

void Printer::item(const sdk::FileItem& item) {
    if (json_) {
        json one = {{"position", item.position}, {"kind", item.kind}};
        for (const auto& [name, value] : item.fields) {
            // Headers of records come several times.
            if (one.contains(name)) {
                if (!one[name].is_array()) one[name] = json::array({one[name]});
                one[name].push_back(to_json(value));
            } else {
                one[name] = to_json(value);
            }
        }
        print_json(text_of(one));
        return;
    }
    std::string line = "  @" + std::to_string(item.position) + " " + item.kind;
    for (const auto& [name, value] : item.fields) line += " " + name + "=" + as_text(value);
    print(line + "\n");
}

void Printer::damage(std::uint64_t position, const std::string& what) {
    ++damages_;
    if (json_) {
        print_json(text_of({{"position", position}, {"kind", "damage"}, {"what", what}}));
    } else {
        print("  @" + std::to_string(position) + " DAMAGE: " + what + "\n");
    }
}

void Printer::end_file() {
    if (json_) print(first_item_ ? "]}" : "\n]}");
}

void Printer::end() {
    if (json_) print("\n], \"damages\": " + std::to_string(damages_) + "}\n");
}

}  // namespace leat::app
