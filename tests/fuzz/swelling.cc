#include "tests/fuzz/swelling.h"

#include <set>

#include "tests/fuzz/message_target.h"

namespace leat::fuzz {
namespace {

using wire::Field;
using wire::Kind;
using wire::Type;

constexpr std::size_t largest_body = 12u << 10;
constexpr std::size_t spread = 8;  // Arrays, each within the budget.

// The array itself where null is possible too.
const Type& array_of(const Type& type) {
    return type.kind == Kind::optional ? *type.element : type;
}

class Swell {
public:
    Swell(wire::Version version, const Field& field, std::size_t count, std::size_t outer)
        : version_{version}, field_{field}, count_{count}, outer_{outer} {}

    void fill(std::span<const Field> fields, void* object) const {
        for (const Field& each : fields) {
            if (!each.versions.contains(version_)) continue;
            const Type& type = array_of(*each.type);
            const bool wanted = &each == &field_;
            if (!wanted && !leads_there(type)) continue;
            void* to = each.get(object);
            if (&type != each.type) to = each.type->resize(to, 1);
            if (type.kind == Kind::structure) {
                fill(type.fields(), to);
                continue;
            }
            const std::size_t count = wanted ? count_ : outer_;
            auto* element = static_cast<std::byte*>(type.resize(to, count));
            for (std::size_t i = 0; i < count && !wanted; ++i, element += type.element->size)
                fill(type.element->fields(), element);
        }
    }

private:
    bool leads_there(const Type& type) const {
        const Type& of = type.kind == Kind::array ? *type.element : type;
        if (of.kind != Kind::structure) return false;
        for (const Field& each : of.fields()) {
            if (!each.versions.contains(version_)) continue;
            if (&each == &field_ || leads_there(array_of(*each.type))) return true;
        }
        return false;
    }

    wire::Version version_;
    const Field& field_;
    std::size_t count_;
    std::size_t outer_;
};

struct Place {
    const Field* field;
    bool nested;
};
void find_arrays(std::span<const Field> fields, wire::Version version, bool nested,
                 std::vector<Place>& to) {
    for (const Field& each : fields) {
        if (!each.versions.contains(version)) continue;
        const Type& type = array_of(*each.type);
        if (type.kind == Kind::array) to.push_back({&each, nested});
        const Type& of = type.kind == Kind::array ? *type.element : type;
        if (of.kind == Kind::structure)
            find_arrays(of.fields(), version, nested || type.kind == Kind::array, to);
    }
}

// With as few elements as are too many; nothing if no body of this size has them.
std::shared_ptr<void> swollen(const wire::AnyMessage& message, wire::Version version,
                              const Field& field, std::size_t outer) {
    const std::size_t element = array_of(*field.type).element->size;
    for (std::size_t count = 64;; count += count / 8) {
        auto made = message.make();
        Swell{version, field, count, outer}.fill(message.traits->fields(), made.get());
        std::size_t size = 0;
        const auto done = wire::encode_message(*message.traits, made.get(), version, nullptr, size);
        if (!done || size > largest_body) return nullptr;
        if (outer > 1 && count * element > wire::decode_budget(size)) return nullptr;
        if (outer * count * element > decode_allowance(size)) return made;
    }
}

}  // namespace

std::vector<Swelling> swellings(const wire::AnyMessage& message) {
    const wire::MessageTraits& traits = *message.traits;
    std::set<wire::Version> versions{traits.versions.max};
    for (const int version : {traits.flexible.min - 1, int{traits.flexible.min}}) {
        const auto each = static_cast<wire::Version>(version);
        if (traits.versions.contains(each)) versions.insert(each);
    }
    std::vector<Swelling> all;
    for (const wire::Version version : versions) {
        std::vector<Place> places;
        find_arrays(traits.fields(), version, false, places);
        for (const auto& [field, nested] : places) {
            for (const std::size_t outer : {std::size_t{1}, spread}) {
                if (outer > 1 && !nested) continue;
                auto made = swollen(message, version, *field, outer);
                if (made == nullptr) continue;
                all.push_back({std::string{traits.name} + std::to_string(version) + "." +
                                   std::string{field->name} + (outer > 1 ? "-in-8" : ""),
                               version, std::move(made)});
            }
        }
    }
    return all;
}

}  // namespace leat::fuzz
