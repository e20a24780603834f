// Writes a ProduceResponse piece by piece, so that the answer of the busiest request is never built
// in memory first.
//
//   ProduceResponseWriter writer{out, version, topics};
//   for each topic: writer.topic(...), then for each of its partitions: writer.partition(...)
//   writer.finish(0)
//
// Where the new leaders are (`node_endpoints`) is not for it: encode a ProduceResponse then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/wire/fast_writer.h"
#include "core/wire/messages/produce.h"

namespace leat::wire {

class ProduceResponseWriter {
public:
    // Appends to `out`, which nobody else touches until finish().
    ProduceResponseWriter(Buffer& out, Version version, std::size_t topics);

    // The name up to version 12, the id from 13 on.
    void topic(std::string_view name, const sdk::Uuid& id, std::size_t partitions);
    void partition(const ProduceResponse::Partition& partition);

    // Errc::invalid_argument if a length did not fit: then `out` is as it was.
    Status finish(std::int32_t throttle_time_ms);

private:
    void end_topic();

    Buffer& out_;
    const std::size_t before_;
    const Version version_;
    FastWriter writer_;
    bool in_topic_ = false;
};

}  // namespace leat::wire
