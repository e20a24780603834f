// A batch with its records compressed: for tests, load generators and the broker's own batches.
// Lives here because wire/ and compression/ do not know each other.
#pragma once

#include <cstddef>
#include <vector>

#include "core/compression/codec.h"
#include "core/wire/batch_builder.h"

namespace leat::log {

std::vector<std::byte> compressed_batch(const wire::BatchBuilder& batch, compression::Codec codec);

}  // namespace leat::log
