#include "core/logging/line.h"

#include <chrono>
#include <cstdint>

namespace leat::logging {

namespace {

constexpr char hex_digits[] = "0123456789abcdef";

// Length of the well-formed UTF-8 sequence that `text` begins with; 0 if there is none. (The
// Unicode Standard, table 3-7.)
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const std::uint8_t second = byte(1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
    return length;
}

bool is_control(std::string_view sequence) {
    const auto first = static_cast<std::uint8_t>(sequence[0]);
    if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
    if (sequence.size() == 2) return first == 0xc2 && static_cast<std::uint8_t>(sequence[1]) < 0xa0;
    // U+2028 to U+202E and U+2066 to U+2069: line separators and turns of the writing direction.
    const auto last = static_cast<std::uint8_t>(sequence.back());
    if (sequence.substr(0, 2) == "\xe2\x80") return last >= 0xa8 && last <= 0xae;
    if (sequence.substr(0, 2) == "\xe2\x81") return last >= 0xa6 && last <= 0xa9;
    return false;
}

void append_byte_escape(std::string& out, Format format, char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    out += format == Format::json ? "\\\\x" : "\\x";
    out += hex_digits[byte >> 4];
    out += hex_digits[byte & 15];
}

void append_escaped(std::string& out, Format format, std::string_view text) {
    const std::size_t cut = text.size() > most_value_bytes ? text.size() - most_value_bytes : 0;
    text.remove_suffix(cut);
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
        if (sequence == "\"" || sequence == "\\") {
            out += '\\';
            out += sequence;
        } else if (sequence == "\n") {
            out += "\\n";
        } else if (sequence == "\t") {
            out += "\\t";
        } else if (length == 0 || is_control(sequence)) {
            for (const char c : sequence) append_byte_escape(out, format, c);
        } else {
            out += sequence;
        }
        text.remove_prefix(sequence.size());
    }
    if (cut > 0) out += "...(" + std::to_string(cut) + " bytes more)";
}

std::string quoted(Format format, std::string_view value) {
    std::string out = "\"";
    append_escaped(out, format, value);
    out += '"';
    return out;
}

bool plain(std::string_view value) {
    if (value.empty() || value.size() > most_value_bytes) return false;
    while (!value.empty()) {
        const std::size_t length = sequence_length(value);
        if (length == 0 || is_control(value.substr(0, length))) return false;
        if (std::string_view{" \"\\=,"}.find(value[0]) != std::string_view::npos) return false;
        value.remove_prefix(length);
    }
    return true;
}

void append_number(std::string& out, std::int64_t number, std::size_t digits) {
    const std::string text = std::to_string(number);
    if (text.size() < digits) out.append(digits - text.size(), '0');
    out += text;
}

// Without gmtime and strftime: with them come the C library's time zones, and they weigh more in a
// small static program than all of logging.
std::string text_of(WallTime time) {
    using namespace std::chrono;
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss clock{floor<milliseconds>(time - day)};
    std::string out;
    append_number(out, int{date.year()}, 4);
    append_number(out += '-', unsigned{date.month()}, 2);
    append_number(out += '-', unsigned{date.day()}, 2);
    append_number(out += 'T', clock.hours().count(), 2);
    append_number(out += ':', clock.minutes().count(), 2);
    append_number(out += ':', clock.seconds().count(), 2);
    append_number(out += '.', clock.subseconds().count(), 3);
    return out + "Z";
}

}  // namespace

std::string_view name_of(Level level) {
    switch (level) {
        case Level::debug:
            return "debug";
        case Level::info:
            return "info";
        case Level::warn:
            return "warn";
        case Level::error:
            return "error";
    }
    return "error";
}

std::string quoted_if_needed(std::string_view value) {
    return plain(value) ? std::string{value} : quoted(Format::text, value);
}

std::string line_of(Format format, WallTime time, Level level, std::string_view event,
                    std::span<const Field> fields) {
    const bool json = format == Format::json;
    std::string line;
    if (json) {
        line = "{\"time\":\"" + text_of(time) + "\",\"level\":\"" + std::string{name_of(level)} +
               "\",\"event\":" + quoted(format, event);
    } else {
        line = text_of(time) + " " + std::string{name_of(level)};
        line.append(6 - name_of(level).size(), ' ');
        append_escaped(line, format, event);
    }
    std::size_t left_out = 0;
    const auto add = [&](std::string_view key, const std::string& value) {
        if (json) {
            line += "," + quoted(format, key) + ":" + value;
        } else {
            line.append(" ").append(key).append("=").append(value);
        }
    };
    for (const auto& [key, value] : fields) {
        const std::string shown = json ? quoted(format, value) : quoted_if_needed(value);
        constexpr std::size_t reserved = 64;  // For the note about what was left out.
        if (line.size() + key.size() + shown.size() + reserved > most_line_bytes) {
            ++left_out;
        } else {
            add(key, shown);
        }
    }
    if (left_out > 0) add("fields_left_out", std::to_string(left_out));
    if (json) line += '}';
    return line;
}

}  // namespace leat::logging
