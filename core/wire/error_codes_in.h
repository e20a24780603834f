// The error codes that an answer holds, wherever they stand in it: for counting them.
#pragma once

#include <memory>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/error_code.h"

namespace leat::wire {

// Where a message of one type can hold error codes, found once: most answers hold none, and looking
// at them should cost next to nothing.
class ErrorFields {
public:
    explicit ErrorFields(std::span<const Field> fields);

    // Appends all but `none`, in the order of the fields.
    void collect(const void* message, std::vector<ErrorCode>& errors) const;

private:
    struct Step {
        const Field* field;
        std::unique_ptr<const ErrorFields> inner;  // Of the structure that it leads to, if it does.
    };
    static void collect(const Step& step, const Type& type, const void* value,
                        std::vector<ErrorCode>& errors);

    std::vector<Step> steps_;
};

template <Message T>
std::vector<ErrorCode> errors_in(const T& message) {
    static const ErrorFields fields{T::traits.fields()};
    std::vector<ErrorCode> errors;
    fields.collect(&message, errors);
    return errors;
}

}  // namespace leat::wire
