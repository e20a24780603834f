#include "tests/wire/arbitrary.h"

#include <algorithm>
#include <cstring>

namespace leat::wire {

void Arbitrary::fill(std::span<const Field> fields, void* object) {
    ++depth_;
    for (const Field& field : fields) {
        const bool left_default = field.tag >= 0 && below(3) == 0;
        if (field.versions.contains(version_) && !left_default)
            value(field, *field.type, field.get(object));
    }
    --depth_;
}

void Arbitrary::number(const Type& type, void* to) {
    // Small, large and negative ones.
    const std::uint64_t bits = below(3) == 0 ? below(100) : random_();
    if (type.kind == Kind::boolean) {
        *static_cast<bool*>(to) = (bits & 1) != 0;
    } else if (type.kind == Kind::float64) {
        *static_cast<double*>(to) = static_cast<double>(bits) / 3;
    } else {
        std::memcpy(to, &bits, type.size);
    }
}

std::string& Arbitrary::text() {
    std::string& made = owned_.emplace_back(below(8) == 0 ? below(300) : below(12), ' ');
    for (char& c : made) c = static_cast<char>('a' + below(26));
    return made;
}

void Arbitrary::array(const Field& field, const Type& type, void* to) {
    std::size_t count = below(depth_ > 2 ? 3 : 4);
    // Kafka writes an empty one as nothing, Leat as an array without elements.
    if (field.tag >= 0 && field.nullable.contains(version_))
        count = std::max<std::size_t>(count, 1);
    if (count == 0) return;
    auto* element = static_cast<std::byte*>(type.resize(to, count));
    for (std::size_t i = 0; i < count; ++i, element += type.element->size)
        value(field, *type.element, element);
}

void Arbitrary::value(const Field& field, const Type& type, void* to) {
    switch (type.kind) {
        case Kind::uuid:
            for (auto& byte : static_cast<sdk::Uuid*>(to)->bytes)
                byte = static_cast<std::uint8_t>(below(256));
            break;
        case Kind::string: *static_cast<std::string*>(to) = text(); break;
        case Kind::string_view: *static_cast<std::string_view*>(to) = text(); break;
        case Kind::bytes: {
            const auto bytes = std::as_bytes(std::span{text()});
            static_cast<Bytes*>(to)->assign(bytes.begin(), bytes.end());
            break;
        }
        case Kind::records: {
            const auto bytes = std::as_bytes(std::span{text()});
            *static_cast<RecordsView*>(to) = {bytes.data(), bytes.size()};
            break;
        }
        case Kind::writable_records: {
            const auto bytes = std::as_writable_bytes(std::span{text()});
            *static_cast<WritableRecords*>(to) = {bytes.data(), bytes.size()};
            break;
        }
        case Kind::structure: fill(type.fields(), to); break;
        case Kind::array:
            array(field, type, to);
            break;
        case Kind::optional:
            if (!field.nullable.contains(version_) || below(3) != 0)
                value(field, *type.element, type.resize(to, 1));
            break;
        default: number(type, to);
    }
}

}  // namespace leat::wire
