// Where brokers are, as a person writes it: "localhost", "broker-1:9092,broker-2", "[::1]:9092".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "leat/sdk/result.h"

namespace leat::client {

inline constexpr std::uint16_t default_port = 9092;

struct Address {
    std::string host;
    std::uint16_t port = default_port;

    bool operator==(const Address&) const = default;
};

// At least one, with commas between them; without a port it is 9092. Errc::invalid_argument, with
// the part that is none.
sdk::Result<std::vector<Address>> parse_addresses(std::string_view text);

// "broker-1:9092", "[::1]:9092".
std::string text_of(const Address& address);

}  // namespace leat::client
