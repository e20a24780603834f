#include "core/app/client_commands/record_json.h"

#include <nlohmann/json.hpp>

#include "core/app/client_commands/base64.h"

namespace leat::app {
namespace {

using json = nlohmann::ordered_json;
using sdk::Errc;
using sdk::Error;

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Unicode, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text) {
    const auto byte = [&](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
    };
    for (std::size_t at = 0; at < text.size();) {
        const unsigned lead = byte(at);
        const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4)) return false;
        for (std::size_t i = 1; i < size; ++i) {
            if ((byte(at + i) & 0xc0) != 0x80) return false;
        }
        const unsigned second = byte(at + 1);
        if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
            (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
            return false;
        }
        at += size;
    }
    return true;
}

void put(json& object, const std::string& name, std::optional<std::string_view> bytes) {
    if (!bytes) {
        object[name] = nullptr;
    } else if (is_utf8(*bytes)) {
        object[name] = *bytes;
    } else {
        object[name + "_base64"] = to_base64(*bytes);
    }
}

std::optional<std::string_view> text_of(const std::optional<std::span<const std::byte>>& bytes) {
    if (!bytes) return std::nullopt;
    return text_of(*bytes);
}

Error wrong(const std::string& what) {
    return {Errc::invalid_argument, what};
}

using Field = std::optional<std::string>;

// `said`: whether there was one.
sdk::Result<Field> take(const json& object, const std::string& name, bool& said) {
    const auto plain = object.find(name);
    const auto encoded = object.find(name + "_base64");
    said = plain != object.end() || encoded != object.end();
    if (plain != object.end() && encoded != object.end()) {
        return wrong("`" + name + "` and `" + name + "_base64` are both there");
    }
    if (plain != object.end()) {
        if (plain->is_null()) return Field{};
        if (!plain->is_string()) return wrong("`" + name + "` takes a string or null");
        return Field{plain->get<std::string>()};
    }
    if (encoded == object.end()) return Field{};
    auto bytes = encoded->is_string() ? from_base64(encoded->get<std::string>()) : std::nullopt;
    if (!bytes) return wrong("`" + name + "_base64` is not base64");
    return Field{std::move(*bytes)};
}

sdk::Status only_known(const json& object, std::span<const std::string_view> known) {
    for (const auto& [name, value] : object.items()) {
        if (std::ranges::find(known, name) == known.end()) return wrong("unknown: `" + name + "`");
    }
    return {};
}

sdk::Status take_headers(const json& all, client::OutgoingRecord& record) {
    static constexpr std::string_view known[] = {"name", "name_base64", "value", "value_base64"};
    if (!all.is_array()) return wrong("`headers` takes a list");
    for (const json& each : all) {
        if (!each.is_object()) return wrong("a header takes a `name` and a `value`");
        if (const auto status = only_known(each, known); !status) return status;
        bool named = false, valued = false;
        auto name = take(each, "name", named);
        auto value = take(each, "value", valued);
        if (!name) return name.error();
        if (!value) return value.error();
        if (!*name || !valued) return wrong("a header takes a `name` and a `value`");
        record.headers.emplace_back(std::move(**name), std::move(*value));
    }
    return {};
}

template <class Number>
sdk::Status take_number(const json& object, const char* name, std::optional<Number>& to) {
    const auto found = object.find(name);
    if (found == object.end()) return {};
    if (!found->is_number_integer() || found->get<std::int64_t>() < 0 ||
        found->get<std::int64_t>() > std::numeric_limits<Number>::max()) {
        return wrong("`" + std::string{name} + "` takes a whole number from 0 on");
    }
    to = found->get<Number>();
    return {};
}

}  // namespace

std::string to_json(const std::string& topic, const client::IncomingRecord& record) {
    json object{{"topic", topic}, {"partition", record.partition}, {"offset", record.offset}};
    if (record.timestamp >= 0) object["timestamp"] = record.timestamp;
    put(object, "key", text_of(record.record.key));
    put(object, "value", text_of(record.record.value));
    json headers = json::array();
    wire::HeaderReader reader{record.record};
    while (const auto header = reader.next()) {
        json each = json::object();
        put(each, "name", header->key);
        put(each, "value", text_of(header->value));
        headers.push_back(std::move(each));
    }
    object["headers"] = std::move(headers);
    return object.dump();
}

sdk::Result<ParsedRecord> from_json(std::string_view line) {
    static constexpr std::string_view known[] = {"topic",     "partition",    "offset",
                                                 "timestamp", "key",          "key_base64",
                                                 "value",     "value_base64", "headers"};
    const json object = json::parse(line, nullptr, false);
    if (!object.is_object()) return wrong("it is not an object in JSON");
    if (const auto status = only_known(object, known); !status) return status.error();
    ParsedRecord parsed;
    bool keyed = false, valued = false;
    auto key = take(object, "key", keyed);
    auto value = take(object, "value", valued);
    if (!key) return key.error();
    if (!value) return value.error();
    if (!valued) return wrong("it has no `value`; a tombstone's is null");
    parsed.record.key = std::move(*key);
    parsed.record.value = std::move(*value);
    sdk::Status status = take_number(object, "partition", parsed.partition);
    if (status) status = take_number(object, "timestamp", parsed.timestamp);
    if (status && object.contains("headers"))
        status = take_headers(object["headers"], parsed.record);
    if (!status) return status.error();
    return parsed;
}

}  // namespace leat::app
