// Input: whether it is an assignment, then the subscription or the assignment.
#include "core/wire/consumer_protocol.h"
#include "leat/sdk/ensure.h"
#include "tests/fuzz/allocations.h"
#include "tests/fuzz/input.h"

namespace leat::fuzz {
namespace {

using sdk::ensure;

template <class Decode, class Encode>
void decode_hostile(const Bytes& bytes, Decode decode, Encode encode) {
    const Allocations allocations;
    const auto said = decode(bytes);
    // A std::string allocates a little more than its characters, an error is a sentence.
    ensure(allocations.bytes() <= 2 * wire::decode_budget(bytes.size()) + 4096,
           "decoding stays within its budget");
    if (!said) return;
    const auto encoded = encode(said->message, said->version);
    ensure(encoded.has_value(), "what was decoded can be encoded");
    const auto again = decode(*encoded);
    ensure(again.has_value(), "what was encoded can be decoded");
    ensure(again->message == said->message, "what consumers say survives encoding and decoding");
}

}  // namespace

void consumer_protocol(Input input) {
    Pieces pieces{input};
    const bool assignment = pieces.flag();
    const Bytes bytes = pieces.rest();
    if (assignment) {
        decode_hostile(bytes, wire::decode_assignment, wire::encode_assignment);
    } else {
        decode_hostile(bytes, wire::decode_subscription, wire::encode_subscription);
    }
}

}  // namespace leat::fuzz
