#include "core/config/substitution.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "core/config/file_text.h"
#include "core/config/units.h"
#include "leat/sdk/result.h"

namespace leat::config {

namespace {

using Text = sdk::Result<std::string>;

sdk::Error cannot(const std::string& reference, const std::string& why) {
    return {sdk::Errc::invalid_argument, "`${" + reference + "}` " + why};
}

bool legal_variable(std::string_view name) {
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view legal =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return !name.empty() && digits.find(name[0]) == std::string_view::npos &&
           name.find_first_not_of(legal) == std::string_view::npos;
}

Text from_variable(const std::string& reference, const std::string& name) {
    if (!legal_variable(name))
        return cannot(reference, "names no variable: letters, digits and `_`, no digit first");
    const char* value = std::getenv(name.c_str());
    if (value == nullptr)
        return cannot(reference, "is not set: the broker's environment has no `" + name + "`");
    return std::string{value};
}

Text from_file(const std::string& reference, const std::string& name,
               const std::filesystem::path& folder) {
    if (name.empty() || name.find('\0') != std::string::npos)
        return cannot(reference, "names no file");
    const OpenFile file{folder / name};
    const auto system = [&](const char* what) {
        return cannot(reference, std::string{what} + ": " + std::strerror(errno));
    };
    if (file.descriptor() < 0) return system("cannot be opened");
    struct stat status {};
    if (::fstat(file.descriptor(), &status) != 0) return system("cannot be looked at");
    if (!S_ISREG(status.st_mode)) return cannot(reference, "is not a regular file");
    if ((status.st_mode & S_IWOTH) != 0)
        return cannot(reference, "can be written by everybody on this machine: chmod o-w");
    std::string text;
    if (!read_up_to(file.descriptor(), most_substituted_bytes, text))
        return system("cannot be read");
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    return text;
}

class Substitution {
public:
    Substitution(const std::filesystem::path& folder, Source& source,
                 std::vector<Complaint>& complaints)
        : folder_{folder}, source_{source}, complaints_{complaints} {}

    // `path` is that of the node's key, "limits.idle"; `public_key`: clients may ask for it.
    void walk(Node& node, const std::string& path, bool public_key) {
        if (auto* text = std::get_if<std::string>(&node.value)) {
            replace(node, *text, path, public_key);
        } else if (auto* array = std::get_if<Array>(&node.value)) {
            for (Node& item : array->items) walk(item, path, public_key);
        } else if (auto* table = std::get_if<Table>(&node.value)) {
            for (Entry& entry : table->entries) {
                const std::string below = path.empty() ? entry.key : path + "." + entry.key;
                walk(entry.value, below, public_key || holds_topic_configs(path, entry.key));
            }
        }
    }

private:
    static bool holds_topic_configs(const std::string& path, const std::string& key) {
        return key == "config" && (path == "topic_defaults" || path.starts_with("topics."));
    }

    void replace(Node& node, const std::string& written, const std::string& path, bool public_key) {
        if (written.find("${") == std::string::npos) return;
        auto put = public_key ? Text{sdk::Error{sdk::Errc::invalid_argument,
                                                "`${...}` is not for topic configs: every client "
                                                "may ask for them"}}
                              : expanded(written, path, node.place);
        std::string kept = written;
        if (put) {
            node.value = std::move(*put);
        } else {
            complaints_.push_back(source_.complaint(node.place, put.error().what));
            node.value = Unknown{};
        }
        node.written = std::move(kept);
    }

    Text expanded(std::string_view written, const std::string& path, Place place) {
        std::string out;
        while (!written.empty()) {
            if (written.starts_with("$${")) {
                out += "${";
                written.remove_prefix(3);
            } else if (written.starts_with("${")) {
                const std::size_t end = written.find('}');
                if (end == std::string_view::npos)
                    return sdk::Error{sdk::Errc::invalid_argument,
                                      "`${` without its `}`; the text itself is written `$${`"};
                auto found = fetched(std::string{written.substr(2, end - 2)});
                if (!found) return found;
                source_.hide({path, place, std::string{written.substr(0, end + 1)}, *found});
                out += *found;
                written.remove_prefix(end + 1);
            } else {
                out += written.front();
                written.remove_prefix(1);
            }
        }
        return out;
    }

    Text fetched(const std::string& reference) {
        const bool variable = reference.starts_with("env:");
        if (!variable && !reference.starts_with("file:"))
            return cannot(reference,
                          "is neither `${env:NAME}` nor `${file:PATH}`; the text "
                          "itself is written `$${`");
        auto found = variable ? from_variable(reference, reference.substr(4))
                              : from_file(reference, reference.substr(5), folder_);
        if (!found) return found;
        if (found->size() > most_substituted_bytes)
            return cannot(reference, "is longer than " + text_of(Size{most_substituted_bytes}));
        if (!is_text(*found)) return cannot(reference, "holds no UTF-8 text");
        total_ += found->size();
        if (total_ > most_substitutions_bytes)
            return cannot(reference, "and what stands before it put in more than " +
                                         text_of(Size{most_substitutions_bytes}));
        return found;
    }

    const std::filesystem::path& folder_;
    Source& source_;
    std::vector<Complaint>& complaints_;
    std::size_t total_ = 0;
};

}  // namespace

void substitute(Node& root, const std::filesystem::path& folder, Source& source,
                std::vector<Complaint>& complaints) {
    Substitution{folder, source, complaints}.walk(root, "", false);
}

}  // namespace leat::config
