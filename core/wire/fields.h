// The vocabulary in which a wire message is declared, once: its struct in messages/<api>.h holds
// the values and their defaults, its field list in messages/<api>.cc says in which versions each is
// on the wire. Decoding, encoding, sizes, `leat apis` and the comparison with Kafka's definitions
// all walk that list.
//
//   std::span<const Field> HeartbeatRequest::fields() {
//       static constexpr Field list[] = {
//           field<&HeartbeatRequest::group_id>("GroupId"),
//           field<&HeartbeatRequest::group_instance_id>("GroupInstanceId").in(since(3)),
//       };
//       return list;
//   }
//
// Lists are type-erased constants, so that one small interpreter (codec.h) serves all messages.
// What a member may be: bool, int8_t .. int64_t, uint16_t, an enum of one of these, double, Uuid,
// std::string, std::string_view (a view into the frame), Bytes, RecordsView, WritableRecords, a
// struct with fields() of its own, std::vector of these (not of bool), and std::optional of the
// last eight where null is possible. A nullable field's default is always null, also where Kafka's
// is empty. KIP-482 has the rules of tags and compact lengths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/wire/versions.h"
#include "leat/sdk/uuid.h"

namespace leat::wire {

using Bytes = std::vector<std::byte>;

// Record batches in somebody else's memory: of the frame they were decoded from. Equal when the
// bytes are.
template <class Byte>
struct ByteView : std::span<Byte> {
    using std::span<Byte>::span;

    friend bool operator==(const ByteView& a, const ByteView& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
};
using RecordsView = ByteView<const std::byte>;
// A produced batch is stamped where it lies in the frame.
using WritableRecords = ByteView<std::byte>;

enum class Kind : std::uint8_t {
    boolean,
    int8,
    int16,
    uint16,
    int32,
    int64,
    float64,
    uuid,
    string,
    string_view,
    bytes,
    records,
    writable_records,
    structure,
    array,
    optional,
};

struct Field;

// A C++ type as the interpreter sees it. `count`, `first` and `resize` treat an optional as an
// array of at most one element; elements are `element->size` apart.
struct Type {
    Kind kind{};
    std::size_t size = 0;  // Of one value in memory, without what it points to.
    std::span<const Field> (*fields)() = nullptr;
    const Type* element = nullptr;
    std::size_t (*count)(const void* values) = nullptr;
    const void* (*first)(const void* values) = nullptr;
    void* (*resize)(void* values, std::size_t count) = nullptr;  // Returns the first.
};

template <class T>
struct TypeOf;
template <class T>
inline constexpr Type type_of = TypeOf<T>::value;

struct Field {
    std::string_view name;  // As Kafka spells it.
    const Type* type = nullptr;
    void* (*get)(void* message) = nullptr;
    const std::int64_t* default_at = &zero;  // The default of integers; of all others it is empty.
    Versions versions = always;       // Where the field is on the wire at all.
    Versions nullable = never;
    std::int32_t tag = -1;  // If not negative: in the tagged section, when not the default.
    bool may_drop = false;

    static constexpr std::int64_t zero = 0;
    std::int64_t default_number() const { return *default_at; }

    constexpr Field in(Versions v) const {
        Field changed = *this;
        changed.versions = v;
        return changed;
    }
    constexpr Field null_in(Versions v) const {
        Field changed = *this;
        changed.nullable = v;
        return changed;
    }
    // Tags ascend within a list.
    constexpr Field tagged(std::int32_t number) const {
        Field changed = *this;
        changed.tag = number;
        return changed;
    }
    // A value may be left out where the version has no place for it. Otherwise encoding fails.
    constexpr Field ignorable() const {
        Field changed = *this;
        changed.may_drop = true;
        return changed;
    }
};

template <class Struct, class Member>
Struct struct_of(Member Struct::*);
template <class Struct, class Member>
Member member_of(Member Struct::*);

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// Read through a pointer: clang 14 takes no struct with a std::string for a constant, and so finds
// this out when the program starts.
template <auto member>
inline const std::int64_t default_of =
    static_cast<std::int64_t>(decltype(struct_of(member)){}.*member);

template <auto member>
constexpr Field field(std::string_view name) {
    using Struct = decltype(struct_of(member));
    using Member = decltype(member_of(member));
    Field made{.name = name, .type = &type_of<Member>};
    made.get = [](void* message) -> void* { return &(static_cast<Struct*>(message)->*member); };
    if constexpr (std::is_integral_v<Member> || std::is_enum_v<Member>)
        made.default_at = &default_of<member>;
    if constexpr (is_optional<Member>) made.nullable = always;
    return made;
}

template <class T>
consteval Kind number_kind() {
    if constexpr (std::is_enum_v<T>) {
        return number_kind<std::underlying_type_t<T>>();
    } else {
        if (std::is_same_v<T, bool>) return Kind::boolean;
        if (std::is_same_v<T, std::int8_t>) return Kind::int8;
        if (std::is_same_v<T, std::int16_t>) return Kind::int16;
        if (std::is_same_v<T, std::uint16_t>) return Kind::uint16;
        if (std::is_same_v<T, std::int32_t>) return Kind::int32;
        if (std::is_same_v<T, std::int64_t>) return Kind::int64;
        if (std::is_same_v<T, double>) return Kind::float64;
        throw "not a number of the protocol";  // Only the compiler can get here.
    }
}

template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
struct TypeOf<T> {
    static constexpr Type value{.kind = number_kind<T>(), .size = sizeof(T)};
};
template <class T>
    requires requires { T::fields; }
struct TypeOf<T> {
    static constexpr Type value{.kind = Kind::structure, .size = sizeof(T), .fields = &T::fields};
};
template <>
struct TypeOf<sdk::Uuid> {
    static constexpr Type value{.kind = Kind::uuid, .size = sizeof(sdk::Uuid)};
};
template <>
struct TypeOf<std::string> {
    static constexpr Type value{.kind = Kind::string, .size = sizeof(std::string)};
};
template <>
struct TypeOf<std::string_view> {
    static constexpr Type value{.kind = Kind::string_view, .size = sizeof(std::string_view)};
};
template <>
struct TypeOf<Bytes> {
    static constexpr Type value{.kind = Kind::bytes, .size = sizeof(Bytes)};
};
template <>
struct TypeOf<RecordsView> {
    static constexpr Type value{.kind = Kind::records, .size = sizeof(RecordsView)};
};
template <>
struct TypeOf<WritableRecords> {
    static constexpr Type value{.kind = Kind::writable_records, .size = sizeof(WritableRecords)};
};
template <class T>
struct TypeOf<std::vector<T>> {
    using Values = std::vector<T>;
    static constexpr Type value{
        .kind = Kind::array,
        .size = sizeof(Values),
        .element = &type_of<T>,
        .count = [](const void* v) { return static_cast<const Values*>(v)->size(); },
        .first = [](const void* v) -> const void* {
            return static_cast<const Values*>(v)->data();
        },
        .resize = [](void* v, std::size_t n) -> void* {
            static_cast<Values*>(v)->resize(n);
            return static_cast<Values*>(v)->data();
        },
    };
};
template <class T>
struct TypeOf<std::optional<T>> {
    using Values = std::optional<T>;
    static constexpr Type value{
        .kind = Kind::optional,
        .size = sizeof(Values),
        .element = &type_of<T>,
        .count = [](const void* v) -> std::size_t {
            return static_cast<const Values*>(v)->has_value() ? 1 : 0;
        },
        .first = [](const void* v) -> const void* {
            return &**static_cast<const Values*>(v);
        },
        .resize = [](void* v, std::size_t) -> void* {
            return &static_cast<Values*>(v)->emplace(T{});
        },
    };
};

}  // namespace leat::wire
