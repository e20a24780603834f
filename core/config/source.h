// A configuration file's lines, and complaints about places in it:
//
//   broker.toml:3:22: error: `replication_factor` must be 1 to 7, not 9
//       replication_factor = 9
//                            ^
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leat::config {

// Both from 1, the column in characters; line 0 is "the file as a whole".
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    auto operator<=>(const Place&) const = default;
};

enum class Severity {
    error,    // The broker does not start with it.
    warning,  // It does, and the operator should know.
};

struct Complaint {
    std::string file;
    Place place;
    std::string reason;
    std::string line;  // The offending one; what a terminal cannot show is a question mark.
    Severity severity = Severity::error;
};

std::string text_of(const Complaint& complaint);  // As above, with its last newline.
std::string where(const Complaint& complaint);    // "broker.toml:3:22"
std::string text_of(const std::vector<Complaint>& complaints);

// UTF-8 without a zero character.
bool is_text(std::string_view bytes);

// What a reference such as "${env:PASSWORD}" stands for. No complaint shows `value`.
struct Hidden {
    std::string path;  // Of its key: "limits.idle".
    Place place;
    std::string reference;
    std::string value;
};

class Source {
public:
    Source() = default;
    Source(std::string file, std::string_view text);

    const std::string& file() const { return file_; }  // As the operator named it.
    Complaint complaint(Place place, const std::string& reason) const;
    Complaint warning(Place place, const std::string& reason) const;

    void hide(Hidden hidden) { hidden_.push_back(std::move(hidden)); }
    bool hides(std::string_view path) const;  // Whether that key's value is hidden, or part of it.
    // `text` with references where hidden values stand in it as words of their own. Those of less
    // than four characters count only if they come from `place`: "1" is in many a sentence.
    std::string without_hidden(std::string text, Place place = {}) const;

private:
    std::string file_;
    std::vector<std::string> lines_;
    std::vector<Hidden> hidden_;
};

}  // namespace leat::config
