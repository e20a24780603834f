// https://llvm.org/docs/LibFuzzer.html: what a fuzz program calls for every input.
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    leat::fuzz::LEAT_FUZZ_TARGET(std::as_bytes(std::span{data, size}));
    return 0;
}
