#include "tests/fuzz/message_target.h"

#include <map>
#include <string_view>

#include "core/wire/error_codes_in.h"
#include "core/wire/messages/fetch.h"
#include "core/wire/messages/produce.h"
#include "leat/sdk/ensure.h"
#include "tests/fuzz/allocations.h"
#include "tests/wire/all_messages.h"

namespace leat::fuzz {
namespace {

using sdk::ensure;

struct Known {
    wire::AnyMessage message;
    wire::ErrorFields errors;
};

const Known& known(const wire::MessageTraits& traits) {
    static const auto all = [] {
        std::map<std::string_view, Known> by_name;
        for (const auto& message : wire::all_messages()) {
            by_name.emplace(message.traits->name,
                            Known{message, wire::ErrorFields{message.traits->fields()}});
        }
        return by_name;
    }();
    return all.at(traits.name);
}

// The fast way says the same as the interpreter.
template <class T, class Body>
void decode_fast(Body body, wire::Version version, const void* slow, bool understood) {
    const Allocations allocations;
    const auto fast = wire::decode<T>(body, version);
    ensure(allocations.bytes() <= decode_allowance(body.size()),
           "decoding stays within its budget");
    ensure(fast.has_value() == understood, "both decoders take the same frames");
    if (fast) ensure(*fast == *static_cast<const T*>(slow), "both decoders read the same");
}

void encode_again(const Known& type, const void* object, wire::Version version) {
    wire::Buffer encoded;
    std::size_t size = 0;
    const wire::MessageTraits& traits = *type.message.traits;
    const auto done = wire::encode_message(traits, object, version, &encoded, size);
    ensure(done.has_value(), "what was decoded can be encoded");
    ensure(size == encoded.size(), "an encoded message has the size that was said");
    const auto again = type.message.make();
    ensure(wire::decode_message(traits, encoded, version, again.get()).has_value(),
           "what was encoded can be decoded");
    ensure(type.message.equal(object, again.get()), "a message survives encoding and decoding");
}

}  // namespace

void decode_hostile(const wire::MessageTraits& traits, std::span<std::byte> body,
                    wire::Version version) {
    const Known& type = known(traits);
    const auto object = type.message.make();
    bool understood = false;
    {
        const Allocations allocations;
        understood = wire::decode_message(traits, body, version, object.get()).has_value();
        ensure(allocations.bytes() <= decode_allowance(body.size()),
               "decoding stays within its budget");
    }
    if (traits.name == wire::ProduceRequest::traits.name)
        decode_fast<wire::ProduceRequest>(body, version, object.get(), understood);
    if (traits.name == wire::FetchRequest::traits.name)
        decode_fast<wire::FetchRequest>(std::span<const std::byte>{body}, version, object.get(),
                                        understood);
    if (!understood) return;
    encode_again(type, object.get(), version);
    std::vector<wire::ErrorCode> errors;
    type.errors.collect(object.get(), errors);
}

}  // namespace leat::fuzz
