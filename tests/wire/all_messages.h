// Every message, for tests that hold for all of them. A new message joins a list by one word.
#pragma once

#include <memory>
#include <ostream>
#include <string_view>
#include <vector>

#include "core/wire/codec.h"

namespace leat::wire {

// A message type without its type.
struct AnyMessage {
    const MessageTraits* traits;
    std::shared_ptr<void> (*make)();
    bool (*equal)(const void* a, const void* b);
};

inline std::ostream& operator<<(std::ostream& out, const AnyMessage& message) {
    return out << message.traits->name;
}

template <Message T>
AnyMessage any() {
    return {&T::traits, [] { return std::static_pointer_cast<void>(std::make_shared<T>()); },
            [](const void* a, const void* b) {
                return *static_cast<const T*>(a) == *static_cast<const T*>(b);
            }};
}

// Requests and responses.
std::vector<AnyMessage> all_messages();
// What is kept without a header: keys and values of records, and what consumers say to each other.
std::vector<AnyMessage> headerless_messages();

}  // namespace leat::wire
