#include "core/wire/error_codes_in.h"

#include <utility>

namespace leat::wire {
namespace {

// What lists of lists and optional values are of, in the end.
const Type& innermost(const Type& type) {
    return type.element == nullptr ? type : innermost(*type.element);
}

}  // namespace

ErrorFields::ErrorFields(std::span<const Field> fields) {
    for (const Field& field : fields) {
        const Type& type = innermost(*field.type);
        if (&type == &type_of<ErrorCode>) steps_.push_back({&field, nullptr});
        if (type.fields == nullptr) continue;
        auto inner = std::make_unique<const ErrorFields>(type.fields());
        if (!inner->steps_.empty()) steps_.push_back({&field, std::move(inner)});
    }
}

// Field::get gives a pointer to write through, and is only read through here.
void ErrorFields::collect(const void* message, std::vector<ErrorCode>& errors) const {
    for (const Step& step : steps_) {
        collect(step, *step.field->type, step.field->get(const_cast<void*>(message)), errors);
    }
}

void ErrorFields::collect(const Step& step, const Type& type, const void* value,
                          std::vector<ErrorCode>& errors) {
    if (type.element != nullptr) {
        const std::size_t count = type.count(value);
        const auto* first = count == 0 ? nullptr : static_cast<const std::byte*>(type.first(value));
        for (std::size_t i = 0; i < count; ++i) {
            collect(step, *type.element, first + i * type.element->size, errors);
        }
    } else if (step.inner) {
        step.inner->collect(value, errors);
    } else if (const auto error = *static_cast<const ErrorCode*>(value); error != ErrorCode::none) {
        errors.push_back(error);
    }
}

}  // namespace leat::wire
