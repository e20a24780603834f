#include "core/client/address.h"

#include <charconv>
#include <optional>

namespace leat::client {
namespace {

std::optional<std::uint16_t> port_of(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
    return port;
}

std::optional<Address> parse_address(std::string_view text) {
    Address address;
    std::string_view rest;
    if (text.starts_with('[')) {  // An IPv6 address has colons of its own.
        const auto end = text.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        address.host = text.substr(1, end - 1);
        rest = text.substr(end + 1);
    } else {
        const auto colon = text.find(':');
        address.host = text.substr(0, colon);
        if (colon != std::string_view::npos) rest = text.substr(colon);
    }
    if (address.host.empty()) return std::nullopt;
    if (rest.empty()) return address;
    if (!rest.starts_with(':')) return std::nullopt;
    const auto port = port_of(rest.substr(1));
    if (!port) return std::nullopt;
    address.port = *port;
    return address;
}

}  // namespace

sdk::Result<std::vector<Address>> parse_addresses(std::string_view text) {
    std::vector<Address> all;
    for (;;) {
        const auto comma = text.find(',');
        const auto part = text.substr(0, comma);
        auto address = parse_address(part);
        if (!address) {
            return sdk::Error{sdk::Errc::invalid_argument,
                              "`" + std::string{part} + "` is no HOST:PORT of a broker"};
        }
        all.push_back(std::move(*address));
        if (comma == std::string_view::npos) return all;
        text.remove_prefix(comma + 1);
    }
}

std::string text_of(const Address& address) {
    const bool six = address.host.find(':') != std::string::npos;
    return (six ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace leat::client
