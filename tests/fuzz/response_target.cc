// Input: API key and version of the request, then the frame that answers it without its size.
#include "core/wire/apis.h"
#include "core/wire/frame.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/message_target.h"

namespace leat::fuzz {

void response(Input input) {
    Pieces pieces{input};
    const auto key = static_cast<wire::ApiKey>(pieces.number());
    const auto version = static_cast<wire::Version>(pieces.number());
    const auto* api = wire::describe(key);
    if (api == nullptr || !api->response->versions.contains(version)) return;
    const Bytes frame = pieces.rest();
    const auto header = wire::parse_response(frame, key, version);
    if (!header) return;
    Bytes body(header->body.begin(), header->body.end());
    decode_hostile(*api->response, body, version);
}

}  // namespace leat::fuzz
