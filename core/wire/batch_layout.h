// Where the fields of a batch's header are, and their numbers in big endian: for the files of this
// folder that read or write them in place. The table is in record_batch.h.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "core/wire/reader.h"

namespace leat::wire {

namespace at {
inline constexpr std::size_t base_offset = 0, length = 8, leader_epoch = 12, magic = 16, crc = 17,
                             attributes = 21, last_offset_delta = 23, base_timestamp = 27,
                             max_timestamp = 35, producer_id = 43, producer_epoch = 51,
                             base_sequence = 53, record_count = 57;
}  // namespace at

template <class Number>
Number load(std::span<const std::byte> bytes, std::size_t position) {
    Number number;
    std::memcpy(&number, bytes.data() + position, sizeof number);
    return from_big_endian(number);
}

template <class Number>
void store(std::span<std::byte> bytes, std::size_t position, Number number) {
    const Number stored = from_big_endian(number);
    std::memcpy(bytes.data() + position, &stored, sizeof stored);
}

}  // namespace leat::wire
