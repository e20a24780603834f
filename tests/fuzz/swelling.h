// Messages that are small on the wire and large in memory: what a budget on decoding is for. Each
// asks for more than the targets `request` and `response` allow, by elements that are there, so
// that a decoder without its budget is found by the first of them.
#pragma once

#include "core/wire/codec.h"
#include "tests/wire/all_messages.h"

namespace leat::fuzz {

struct Swelling {
    std::string name;  // "MetadataRequest9.Topics", with "-in-8" when spread over eight.
    wire::Version version = 0;
    std::shared_ptr<void> message;
};

// Of every array of this message in its newest version and in those before and after it got tagged
// fields; none where its elements are not that much smaller on the wire.
std::vector<Swelling> swellings(const wire::AnyMessage& message);

}  // namespace leat::fuzz
