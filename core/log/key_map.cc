#include "core/log/key_map.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

namespace leat::log {
namespace {

struct SipState {
    std::uint64_t a, b, c, d;

    void round() {
        a += b;
        b = std::rotl(b, 13) ^ a;
        a = std::rotl(a, 32);
        c += d;
        d = std::rotl(d, 16) ^ c;
        a += d;
        d = std::rotl(d, 21) ^ a;
        c += b;
        b = std::rotl(b, 17) ^ c;
        c = std::rotl(c, 32);
    }
    void take(std::uint64_t word) {
        d ^= word;
        round();
        round();
        a ^= word;
    }
    std::uint64_t finish() {
        for (int i = 0; i < 4; ++i) round();
        return a ^ b ^ c ^ d;
    }
};

std::uint64_t little_endian(std::span<const std::byte> bytes) {
    std::uint64_t word = 0;
    for (std::size_t i = bytes.size(); i-- != 0;) {
        word = word << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    }
    return word;
}

}  // namespace

KeyHash hash_of(std::span<const std::byte> key, const Secret& secret) {
    SipState state{secret[0] ^ 0x736f6d6570736575, secret[1] ^ 0x646f72616e646f6d ^ 0xee,
                   secret[0] ^ 0x6c7967656e657261, secret[1] ^ 0x7465646279746573};
    const std::uint64_t length = key.size();
    for (; key.size() >= 8; key = key.subspan(8)) state.take(little_endian(key.first(8)));
    state.take(length << 56 | little_endian(key));
    state.c ^= 0xee;
    const std::uint64_t first = state.finish();
    state.b ^= 0xdd;
    return {first, state.finish()};
}

void KeyMap::Free::operator()(Place* places) const {
    std::free(places);
}

KeyMap::KeyMap(std::size_t bytes, const Secret& secret)
    : secret_{secret},
      count_{std::max<std::size_t>(2, bytes / sizeof(Place))},
      most_{std::max<std::size_t>(1, count_ / 10 * 9 + count_ % 10 * 9 / 10)},
      places_{static_cast<Place*>(std::calloc(count_, sizeof(Place)))} {
    if (places_ == nullptr) throw std::bad_alloc{};
}

// The key's, or a free one: there is always one.
KeyMap::Place& KeyMap::place_of(const KeyHash& key) const {
    std::size_t at = key[0] % count_;
    while (places_[at].offset_plus_one != 0 && places_[at].key != key) at = (at + 1) % count_;
    return places_[at];
}

bool KeyMap::put(std::span<const std::byte> key, sdk::Offset offset) {
    const KeyHash hash = hash_of(key, secret_);
    Place& place = place_of(hash);
    if (place.offset_plus_one == 0) {
        if (size_ == most_) return false;
        ++size_;
        place.key = hash;
    }
    place.offset_plus_one = std::max(place.offset_plus_one, offset.value + 1);
    return true;
}

std::optional<sdk::Offset> KeyMap::find(std::span<const std::byte> key) const {
    const Place& place = place_of(hash_of(key, secret_));
    if (place.offset_plus_one == 0) return std::nullopt;
    return sdk::Offset{place.offset_plus_one - 1};
}

}  // namespace leat::log
