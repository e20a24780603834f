#include "core/wire/apis_json.h"

#include <algorithm>
#include <string_view>

namespace leat::wire {
namespace {

// Names are ours, so nothing has to be escaped.
void quote(std::string& json, std::string_view text) { ((json += '"') += text) += '"'; }

void text_member(std::string& json, std::string_view name, std::string_view text) {
    if (json.back() != '{') json += ", ";
    quote(json, name);
    json += ": ";
    quote(json, text);
}

void plain_member(std::string& json, std::string_view name, std::string_view value) {
    if (json.back() != '{') json += ", ";
    quote(json, name);
    (json += ": ") += value;
}

const Type& innermost(const Type& type) {
    const bool wrapped = type.kind == Kind::array || type.kind == Kind::optional;
    return wrapped ? innermost(*type.element) : type;
}

Versions overlap(Versions a, Versions b) {
    const Versions both{std::max(a.min, b.min), std::min(a.max, b.max)};
    return both.min > both.max ? never : both;
}

void add_fields(std::string& json, std::span<const Field> fields);

void add_field(std::string& json, const Field& field) {
    json += '{';
    text_member(json, "name", field.name);
    text_member(json, "type", to_text(*field.type));
    text_member(json, "versions", to_text(field.versions));
    const Versions nullable = overlap(field.versions, field.nullable);
    if (nullable != never) text_member(json, "nullable", to_text(nullable));
    if (field.default_number() != 0) {
        const bool boolean = field.type->kind == Kind::boolean;
        plain_member(json, "default", boolean ? "true" : std::to_string(field.default_number()));
    }
    if (field.tag >= 0) plain_member(json, "tag", std::to_string(field.tag));
    if (field.may_drop) plain_member(json, "ignorable", "true");
    const Type& inner = innermost(*field.type);
    if (inner.kind == Kind::structure) {
        plain_member(json, "fields", "");
        add_fields(json, inner.fields());
    }
    json += '}';
}

void add_fields(std::string& json, std::span<const Field> fields) {
    json += '[';
    for (const Field& field : fields) {
        if (&field != fields.data()) json += ", ";
        add_field(json, field);
    }
    json += ']';
}

void add_message(std::string& json, const MessageTraits& traits) {
    json += '{';
    text_member(json, "name", traits.name);
    text_member(json, "versions", to_text(traits.versions));
    text_member(json, "flexible", to_text(traits.flexible));
    plain_member(json, "fields", "");
    add_fields(json, traits.fields());
    json += '}';
}

}  // namespace

std::string to_text(Versions versions) {
    if (versions.min > versions.max) return "none";
    const std::string min = std::to_string(versions.min);
    if (versions.max == always.max) return min + "+";
    if (versions.min == versions.max) return min;
    return min + "-" + std::to_string(versions.max);
}

std::string to_text(const Type& type) {
    switch (type.kind) {
        case Kind::boolean: return "bool";
        case Kind::int8: return "int8";
        case Kind::int16: return "int16";
        case Kind::uint16: return "uint16";
        case Kind::int32: return "int32";
        case Kind::int64: return "int64";
        case Kind::float64: return "float64";
        case Kind::uuid: return "uuid";
        case Kind::string:
        case Kind::string_view: return "string";
        case Kind::bytes: return "bytes";
        case Kind::records:
        case Kind::writable_records: return "records";
        case Kind::structure: return "struct";
        case Kind::array: return "[]" + to_text(*type.element);
        case Kind::optional: return to_text(*type.element);
    }
    return "";
}

std::string to_json(const MessageTraits& message) {
    std::string json;
    add_message(json, message);
    return json;
}

std::string to_json(const ApiDescription& api) {
    std::string json = "{";
    plain_member(json, "key", std::to_string(static_cast<int>(api.key)));
    text_member(json, "name", api.name);
    plain_member(json, "request", "");
    add_message(json, *api.request);
    plain_member(json, "response", "");
    add_message(json, *api.response);
    return json += '}';
}

std::string apis_as_json() {
    std::string json = "[";
    for (const ApiDescription& api : all_apis()) {
        if (json.size() > 1) json += ",\n ";
        json += to_json(api);
    }
    return json += "]\n";
}

}  // namespace leat::wire
