// At which offset a compacted log has the newest record of each key: what one pass of compaction
// goes by. Keys are kept as 128 bits of a keyed hash, as many as fit into a fixed piece of memory.
//
// SipHash-2-4 with 128 bits (Aumasson, Bernstein: "SipHash: a fast short-input PRF", and its
// reference implementation). Kafka's map has MD5, of which anybody can make two keys with one hash,
// and so erase somebody else's record; nobody can without the secret, which is new with each start.
//
// A machine: no I/O, one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "leat/sdk/strong.h"

namespace leat::log {

using Secret = std::array<std::uint64_t, 2>;
using KeyHash = std::array<std::uint64_t, 2>;

KeyHash hash_of(std::span<const std::byte> key, const Secret& secret);

class KeyMap {
public:
    // Zeroed pages that are touched as keys come: a large map of few keys costs little.
    KeyMap(std::size_t bytes, const Secret& secret);

    // False if the key is new and there is no room for it. Of two offsets the larger one counts.
    bool put(std::span<const std::byte> key, sdk::Offset offset);
    std::optional<sdk::Offset> find(std::span<const std::byte> key) const;

    std::size_t size() const { return size_; }
    std::size_t capacity() const { return most_; }  // Keys: nine tenths of its places.

private:
    struct Place {
        KeyHash key;
        std::int64_t offset_plus_one;  // 0: free.
    };
    struct Free {
        void operator()(Place* places) const;
    };
    Place& place_of(const KeyHash& key) const;

    const Secret secret_;
    std::size_t count_;
    std::size_t most_;
    std::size_t size_ = 0;
    std::unique_ptr<Place[], Free> places_;
};

}  // namespace leat::log
