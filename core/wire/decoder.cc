#include <cstring>
#include <string>

#include "core/wire/codec.h"
#include "core/wire/reader.h"

namespace leat::wire {
namespace {

class Decoder {
public:
    Decoder(std::span<const std::byte> frame, Version version, bool flexible)
        : in_{frame},
          budget_{decode_budget(frame.size())},
          version_{version},
          flexible_{flexible} {}

    void structure(std::span<const Field> fields, void* object) {
        for (const Field& field : fields) {
            if (field.tag >= 0 || !field.versions.contains(version_)) continue;
            value(field, *field.type, field.get(object));
            if (in_.failed()) return blame(field);
        }
        if (flexible_) tagged_section(fields, object);
    }

    bool failed() const { return in_.failed(); }
    std::string complaint() const {
        std::string text = over_budget_ ? "needs more memory than its size allows" : "is malformed";
        if (!blamed_.empty()) text += " at " + std::string{blamed_};
        return text;
    }

private:
    void blame(const Field& field) {
        if (blamed_.empty()) blamed_ = field.name;
    }

    bool charge(std::size_t bytes) {
        if (bytes > budget_) return over_budget_ = true, in_.fail(), false;
        budget_ -= bytes;
        return true;
    }

    template <class T>
    void number(void* to) {
        const T read = in_.number<T>();
        std::memcpy(to, &read, sizeof read);
    }

    void value(const Field& field, const Type& type, void* to) {
        switch (type.kind) {
            case Kind::boolean: *static_cast<bool*>(to) = in_.number<std::uint8_t>() != 0; break;
            case Kind::int8: number<std::int8_t>(to); break;
            case Kind::int16:
            case Kind::uint16: number<std::int16_t>(to); break;
            case Kind::int32: number<std::int32_t>(to); break;
            case Kind::int64:
            case Kind::float64: number<std::int64_t>(to); break;
            case Kind::uuid: uuid(*static_cast<sdk::Uuid*>(to)); break;
            case Kind::structure: structure(type.fields(), to); break;
            case Kind::array: array(field, type, in_.length(flexible_), to); break;
            case Kind::optional: optional(field, type, to); break;
            case Kind::string:
            case Kind::string_view: sized(type, in_.string_length(flexible_), to); break;
            case Kind::bytes:
            case Kind::records:
            case Kind::writable_records: sized(type, in_.length(flexible_), to); break;
        }
    }

    void uuid(sdk::Uuid& to) {
        const auto bytes = in_.take(to.bytes.size());
        if (!bytes.empty()) std::memcpy(to.bytes.data(), bytes.data(), bytes.size());
    }

    void optional(const Field& field, const Type& type, void* to) {
        const Type& inner = *type.element;
        const std::int64_t length = optional_length(inner);
        if (length < 0) {
            if (!field.nullable.contains(version_)) in_.fail();
            return;
        }
        if (in_.failed()) return;
        if (inner.kind == Kind::structure) return structure(inner.fields(), type.resize(to, 1));
        if (inner.kind == Kind::array) return array(field, inner, length, type.resize(to, 1));
        sized(inner, length, type.resize(to, 1));
    }

    // A nullable struct has a byte in front: negative is null.
    std::int64_t optional_length(const Type& inner) {
        if (inner.kind == Kind::structure) return in_.number<std::int8_t>();
        const bool text = inner.kind == Kind::string || inner.kind == Kind::string_view;
        return text ? in_.string_length(flexible_) : in_.length(flexible_);
    }

    // Every element is at least one byte on the wire, so a count above the bytes left is a lie; and
    // the memory of all of them is charged before the first is made.
    void array(const Field& field, const Type& type, std::int64_t count, void* to) {
        if (count < 0) return in_.fail();
        const auto n = static_cast<std::size_t>(count);
        if (n > in_.remaining()) return in_.fail();
        if (!charge(n * type.element->size)) return;
        if (n == 0) return;
        auto* element = static_cast<std::byte*>(type.resize(to, n));
        for (std::size_t i = 0; i < n && !in_.failed(); ++i, element += type.element->size)
            value(field, *type.element, element);
    }

    void sized(const Type& type, std::int64_t length, void* to) {
        if (length < 0) return in_.fail();
        const auto bytes = in_.take(static_cast<std::size_t>(length));
        const auto* text = reinterpret_cast<const char*>(bytes.data());
        if (type.kind == Kind::string_view) {
            *static_cast<std::string_view*>(to) = {text, bytes.size()};
        } else if (type.kind == Kind::records) {
            *static_cast<RecordsView*>(to) = {bytes.data(), bytes.size()};
        } else if (type.kind == Kind::writable_records) {
            // The frame was handed in writable: decode() sees to that for this kind of message.
            auto* writable = const_cast<std::byte*>(bytes.data());
            *static_cast<WritableRecords*>(to) = {writable, bytes.size()};
        } else if (!charge(bytes.size())) {
            return;
        } else if (type.kind == Kind::string) {
            static_cast<std::string*>(to)->assign(text, bytes.size());
        } else {
            static_cast<Bytes*>(to)->assign(bytes.begin(), bytes.end());
        }
    }

    void tagged_section(std::span<const Field> fields, void* object) {
        const std::uint32_t count = in_.uvarint();
        if (count > max_tagged_fields) return in_.fail();
        std::int64_t last = -1;
        for (std::uint32_t i = 0; i < count && !in_.failed(); ++i) {
            const std::uint32_t tag = in_.uvarint();
            const std::uint32_t size = in_.uvarint();
            if (static_cast<std::int64_t>(tag) <= last || size > in_.remaining()) return in_.fail();
            last = tag;
            if (const Field* field = with_tag(fields, tag)) {
                const std::size_t after = in_.remaining() - size;
                value(*field, *field->type, field->get(object));
                if (in_.remaining() != after) in_.fail();
                if (in_.failed()) return blame(*field);
            } else {
                in_.take(size);
            }
        }
    }

    const Field* with_tag(std::span<const Field> fields, std::uint32_t tag) const {
        for (const Field& field : fields)
            if (field.tag == static_cast<std::int64_t>(tag) && field.versions.contains(version_))
                return &field;
        return nullptr;
    }

    Reader in_;
    std::size_t budget_;
    Version version_;
    bool flexible_;
    bool over_budget_ = false;
    std::string_view blamed_;
};

}  // namespace

Status decode_message(const MessageTraits& traits, std::span<const std::byte> frame,
                      Version version, void* message) {
    const std::string name = std::string{traits.name} + " v" + std::to_string(version);
    if (!traits.versions.contains(version))
        return sdk::Error{sdk::Errc::unsupported, name + " is not a version known here"};
    Decoder decoder{frame, version, traits.flexible.contains(version)};
    decoder.structure(traits.fields(), message);
    if (decoder.failed()) return sdk::Error{sdk::Errc::corrupt, name + " " + decoder.complaint()};
    return {};
}

}  // namespace leat::wire
