// Input: whether there is a value, then the key as a piece, then the value.
#include "core/wire/group_records/group_record.h"
#include "leat/sdk/ensure.h"
#include "tests/fuzz/allocations.h"
#include "tests/fuzz/input.h"

namespace leat::fuzz {

void group_records(Input input) {
    using sdk::ensure;
    Pieces pieces{input};
    const bool has_value = pieces.flag();
    const Bytes key = pieces.piece();
    const Bytes value = pieces.rest();
    const std::optional<Input> maybe_value = has_value ? std::optional<Input>{value} : std::nullopt;

    const Allocations allocations;
    const auto record = wire::decode_group_record(key, maybe_value);
    // A std::string allocates a little more than its characters, an error is a sentence.
    ensure(allocations.bytes() <=
               2 * (wire::decode_budget(key.size()) + wire::decode_budget(value.size())) + 4096,
           "decoding stays within its budget");
    if (!record) return;
    const auto version =
        has_value ? static_cast<wire::Version>(Pieces{value}.number()) : wire::Version{0};
    const auto bytes = wire::encode_group_record(*record, version);
    ensure(bytes.has_value(), "what was decoded can be encoded");
    ensure(bytes->value.has_value() == has_value, "a tombstone stays one");
    const auto again = wire::decode_group_record(bytes->key, bytes->value);
    ensure(again.has_value(), "what was encoded can be decoded");
    ensure(*again == *record, "a record survives encoding and decoding");
}

}  // namespace leat::fuzz
