#include "core/wire/apis_json.h"

#include <algorithm>
#include <string_view>

namespace leat::wire {
namespace {

// Names are ours, so nothing has to be escaped.
std::string quoted(std::string_view text) { return "\"" + std::string{text} + "\""; }

const Type& innermost(const Type& type) {
    const bool wrapped = type.kind == Kind::array || type.kind == Kind::optional;
    return wrapped ? innermost(*type.element) : type;
}

Versions overlap(Versions a, Versions b) {
    const Versions both{std::max(a.min, b.min), std::min(a.max, b.max)};
    return both.min > both.max ? never : both;
}

std::string fields_json(std::span<const Field> fields);

std::string field_json(const Field& field) {
    std::string json = "{\"name\": " + quoted(field.name);
    json += ", \"type\": " + quoted(to_text(*field.type));
    json += ", \"versions\": " + quoted(to_text(field.versions));
    const Versions nullable = overlap(field.versions, field.nullable);
    if (nullable != never) json += ", \"nullable\": " + quoted(to_text(nullable));
    if (field.type->kind == Kind::boolean) {
        if (field.default_number != 0) json += ", \"default\": true";
    } else if (field.default_number != 0) {
        json += ", \"default\": " + std::to_string(field.default_number);
    }
    if (field.tag >= 0) json += ", \"tag\": " + std::to_string(field.tag);
    if (field.may_drop) json += ", \"ignorable\": true";
    const Type& inner = innermost(*field.type);
    if (inner.kind == Kind::structure) json += ", \"fields\": " + fields_json(inner.fields());
    return json + "}";
}

std::string fields_json(std::span<const Field> fields) {
    std::string json;
    for (const Field& field : fields) json += (json.empty() ? "" : ", ") + field_json(field);
    return "[" + json + "]";
}

std::string message_json(const MessageTraits& traits) {
    return "{\"name\": " + quoted(traits.name) +
           ", \"versions\": " + quoted(to_text(traits.versions)) +
           ", \"flexible\": " + quoted(to_text(traits.flexible)) +
           ", \"fields\": " + fields_json(traits.fields()) + "}";
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

std::string to_json(const ApiDescription& api) {
    return "{\"key\": " + std::to_string(static_cast<int>(api.key)) +
           ", \"name\": " + quoted(api.name) + ", \"request\": " + message_json(*api.request) +
           ", \"response\": " + message_json(*api.response) + "}";
}

std::string apis_as_json() {
    std::string json;
    for (const ApiDescription& api : all_apis())
        json += (json.empty() ? "" : ",\n ") + to_json(api);
    return "[" + json + "]\n";
}

}  // namespace leat::wire
