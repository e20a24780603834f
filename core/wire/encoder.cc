#include <bit>
#include <cstring>
#include <string>

#include "core/wire/codec.h"
#include "core/wire/reader.h"

namespace leat::wire {
namespace {

bool is_default(std::int64_t number, const Type& type, const void* value);

template <class T>
bool equals(std::int64_t number, const void* value) {
    T own{};
    std::memcpy(&own, value, sizeof own);
    return static_cast<std::int64_t>(own) == number;
}

bool all_default(std::span<const Field> fields, const void* object) {
    for (const Field& field : fields)
        if (!is_default(field.default_number(), *field.type, field.get(const_cast<void*>(object))))
            return false;
    return true;
}

bool is_default(std::int64_t number, const Type& type, const void* value) {
    switch (type.kind) {
        case Kind::boolean: return equals<bool>(number, value);
        case Kind::int8: return equals<std::int8_t>(number, value);
        case Kind::int16: return equals<std::int16_t>(number, value);
        case Kind::uint16: return equals<std::uint16_t>(number, value);
        case Kind::int32: return equals<std::int32_t>(number, value);
        case Kind::int64: return equals<std::int64_t>(number, value);
        case Kind::float64: return equals<std::int64_t>(0, value);
        case Kind::uuid: return static_cast<const sdk::Uuid*>(value)->is_zero();
        case Kind::string: return static_cast<const std::string*>(value)->empty();
        case Kind::string_view: return static_cast<const std::string_view*>(value)->empty();
        case Kind::bytes: return static_cast<const Bytes*>(value)->empty();
        case Kind::records: return static_cast<const RecordsView*>(value)->empty();
        case Kind::writable_records: return static_cast<const WritableRecords*>(value)->empty();
        case Kind::structure: return all_default(type.fields(), value);
        case Kind::array:
        case Kind::optional: return type.count(value) == 0;
    }
    return true;
}

// Where sized things are, whatever their C++ type.
std::span<const std::byte> bytes_of(const Type& type, const void* value) {
    if (type.kind == Kind::string)
        return std::as_bytes(std::span{*static_cast<const std::string*>(value)});
    if (type.kind == Kind::string_view)
        return std::as_bytes(std::span{*static_cast<const std::string_view*>(value)});
    if (type.kind == Kind::bytes) return *static_cast<const Bytes*>(value);
    if (type.kind == Kind::records) return *static_cast<const RecordsView*>(value);
    return *static_cast<const WritableRecords*>(value);
}

// Counts always and writes when it has somewhere to write to, so that size and bytes cannot differ.
class Encoder {
public:
    Encoder(Buffer* out, Version version, bool flexible)
        : out_{out},
          begin_{out ? out->size() : 0},
          version_{version},
          flexible_{flexible} {}

    void structure(std::span<const Field> fields, const void* object) {
        for (const Field& field : fields) {
            const void* member = field.get(const_cast<void*>(object));
            if (!field.versions.contains(version_)) {
                if (!field.may_drop && !is_default(field.default_number(), *field.type, member))
                    fail(field, "has a value that this version cannot carry");
            } else if (field.tag < 0) {
                value(field, *field.type, member);
            }
        }
        if (flexible_) tagged_section(fields, object);
    }

    // Leaves in the buffer what was written, or nothing of it.
    void finish(bool keep) {
        if (out_) out_->resize(begin_ + (keep ? size_ : 0));
    }

    std::size_t size() const { return size_; }
    const std::string& complaint() const { return complaint_; }

private:
    void fail(const Field& field, std::string_view why) {
        if (complaint_.empty()) complaint_ = std::string{field.name} + " " + std::string{why};
    }

    void put(std::span<const std::byte> bytes) {
        const std::size_t at = begin_ + size_;
        size_ += bytes.size();
        if (!out_ || bytes.empty()) return;
        // Grown in large steps and cut by finish(): an insert per field costs three times as much.
        const std::size_t end = at + bytes.size();
        if (end > out_->size()) out_->resize(end + end / 2);
        std::memcpy(out_->data() + at, bytes.data(), bytes.size());
    }

    template <class T>
    void number(T number) {
        const T wire = from_big_endian(number);
        put(std::as_bytes(std::span{&wire, 1}));
    }

    template <class T>
    void number_at(const void* value) {
        T own{};
        std::memcpy(&own, value, sizeof own);
        number(own);
    }

    void uvarint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) number(static_cast<std::uint8_t>(value | 0x80));
        number(static_cast<std::uint8_t>(value));
    }

    void value(const Field& field, const Type& type, const void* from) {
        switch (type.kind) {
            case Kind::boolean:
            case Kind::int8: number_at<std::int8_t>(from); break;
            case Kind::int16:
            case Kind::uint16: number_at<std::int16_t>(from); break;
            case Kind::int32: number_at<std::int32_t>(from); break;
            case Kind::int64:
            case Kind::float64: number_at<std::int64_t>(from); break;
            case Kind::uuid: uuid(*static_cast<const sdk::Uuid*>(from)); break;
            case Kind::structure: structure(type.fields(), from); break;
            case Kind::array: array(field, type, from); break;
            case Kind::optional: optional(field, type, from); break;
            case Kind::string:
            case Kind::string_view:
            case Kind::bytes:
            case Kind::records:
            case Kind::writable_records: sized(field, type, from); break;
        }
    }

    void uuid(const sdk::Uuid& uuid) { put(std::as_bytes(std::span{uuid.bytes})); }

    // `count` is -1 for null.
    void length(const Field& field, Kind kind, std::int64_t count) {
        const bool text = kind == Kind::string || kind == Kind::string_view;
        if (count > (text ? INT16_MAX : INT32_MAX)) return fail(field, "is too long");
        if (flexible_) return uvarint(static_cast<std::uint64_t>(count + 1));
        text ? number(static_cast<std::int16_t>(count)) : number(static_cast<std::int32_t>(count));
    }

    void optional(const Field& field, const Type& type, const void* from) {
        const Type& inner = *type.element;
        const bool marked = inner.kind == Kind::structure;
        if (type.count(from) == 0) {
            if (!field.nullable.contains(version_)) return fail(field, "is null");
            return marked ? number(std::int8_t{-1}) : length(field, inner.kind, -1);
        }
        if (marked) number(std::int8_t{1});
        value(field, inner, type.first(from));
    }

    void array(const Field& field, const Type& type, const void* from) {
        const std::size_t count = type.count(from);
        length(field, Kind::array, static_cast<std::int64_t>(count));
        if (count == 0) return;
        const auto* element = static_cast<const std::byte*>(type.first(from));
        for (std::size_t i = 0; i < count; ++i, element += type.element->size)
            value(field, *type.element, element);
    }

    void sized(const Field& field, const Type& type, const void* from) {
        const auto bytes = bytes_of(type, from);
        length(field, type.kind, static_cast<std::int64_t>(bytes.size()));
        put(bytes);
    }

    void tagged_section(std::span<const Field> fields, const void* object) {
        std::uint64_t count = 0;
        for (const Field& field : fields) count += sends_tagged(field, object) ? 1 : 0;
        uvarint(count);
        for (const Field& field : fields) {
            if (!sends_tagged(field, object)) continue;
            const void* member = field.get(const_cast<void*>(object));
            Encoder counting{nullptr, version_, flexible_};
            counting.value(field, *field.type, member);
            uvarint(static_cast<std::uint64_t>(field.tag));
            uvarint(counting.size());
            value(field, *field.type, member);
        }
    }

    bool sends_tagged(const Field& field, const void* object) const {
        return field.tag >= 0 && field.versions.contains(version_) &&
               !is_default(field.default_number(), *field.type,
                           field.get(const_cast<void*>(object)));
    }

    Buffer* out_;
    std::size_t begin_;
    Version version_;
    bool flexible_;
    std::size_t size_ = 0;
    std::string complaint_;
};

}  // namespace

Status encode_message(const MessageTraits& traits, const void* message, Version version,
                      Buffer* out, std::size_t& size) {
    const auto name = [&] { return std::string{traits.name} + " v" + std::to_string(version); };
    if (!traits.versions.contains(version))
        return sdk::Error{sdk::Errc::unsupported, name() + " is not a version known here"};
    Encoder encoder{out, version, traits.flexible.contains(version)};
    encoder.structure(traits.fields(), message);
    const bool complete = encoder.complaint().empty();
    encoder.finish(complete);
    size = encoder.size();
    if (complete) return {};
    return sdk::Error{sdk::Errc::invalid_argument, name() + ": " + encoder.complaint()};
}

}  // namespace leat::wire
