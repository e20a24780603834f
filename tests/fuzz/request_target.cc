// Input: a request's frame without its size, so that API key and version are the input's.
#include "core/wire/apis.h"
#include "core/wire/frame.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/message_target.h"

namespace leat::fuzz {

void request(Input input) {
    Bytes frame = Pieces{input}.rest();
    const auto header = wire::parse_request(frame);
    if (!header || !header->readable) return;
    Bytes body(header->body.begin(), header->body.end());
    decode_hostile(*wire::describe(header->key)->request, body, header->version);
}

}  // namespace leat::fuzz
