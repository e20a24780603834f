#include <gtest/gtest.h>

#include "core/net/socket_address.h"

namespace leat::net {
namespace {

std::vector<std::string> numbers(const std::string& host, bool to_listen = false) {
    std::vector<std::string> texts;
    const auto found = resolve({host, 9092}, to_listen);
    if (!found) return {found.error().what};
    for (const SocketAddress& each : *found) texts.push_back(text_of(endpoint_of(each)));
    return texts;
}

TEST(ResolveNumbers, TakesAddressesOfBothFamilies) {
    EXPECT_EQ(numbers("127.0.0.1"), (std::vector<std::string>{"127.0.0.1:9092"}));
    EXPECT_EQ(numbers("::1"), (std::vector<std::string>{"[::1]:9092"}));
}

TEST(ResolveNumbers, KnowsThisMachineByName) {
    EXPECT_EQ(numbers("localhost"), (std::vector<std::string>{"[::1]:9092", "127.0.0.1:9092"}));
}

TEST(ResolveNumbers, ListensEverywhereWithoutAHost) {
    EXPECT_EQ(numbers("", true), (std::vector<std::string>{"0.0.0.0:9092", "[::]:9092"}));
}

TEST(ResolveNumbers, SaysThatItLooksUpNoNames) {
    EXPECT_NE(numbers("broker.example")[0].find("looks up no names"), std::string::npos);
    EXPECT_NE(numbers("127.0.0.256")[0].find("looks up no names"), std::string::npos);
}

}  // namespace
}  // namespace leat::net
