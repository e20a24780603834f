// A connection's requests as stories: which may start, and which answers go out.
#include "core/api/request_order.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace leat::api {
namespace {

using Kind = RequestOrder::Kind;

Answer text(const std::string& what) {
    auto owner = std::make_shared<const std::string>(what);
    return {sdk::MemorySlice{owner, std::as_bytes(std::span{*owner})}};
}

std::string due(RequestOrder& order) {
    std::string all;
    while (auto answer = order.take_due()) {
        for (const auto& slice : *answer) {
            const auto& bytes = std::get<sdk::MemorySlice>(slice).bytes;
            all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
        all += ";";
    }
    return all;
}

TEST(RequestOrder, AParkedFetchHoldsUpWhatComesBehindIt) {
    RequestOrder order{5};
    const auto fetch = order.start(Kind::alone);
    EXPECT_FALSE(order.may_start(Kind::alone));
    EXPECT_FALSE(order.may_start(Kind::together));
    EXPECT_EQ(due(order), "");
    order.finish(fetch, text("fetched"));
    EXPECT_EQ(due(order), "fetched;");
    EXPECT_TRUE(order.may_start(Kind::alone));
}

TEST(RequestOrder, ConsecutiveProducesRunTogetherAndAreAnsweredInOrder) {
    RequestOrder order{5};
    const auto first = order.start(Kind::together);
    ASSERT_TRUE(order.may_start(Kind::together));
    const auto second = order.start(Kind::together);
    EXPECT_FALSE(order.may_start(Kind::alone)) << "a Metadata between them waits for both";
    order.finish(second, text("second"));
    EXPECT_EQ(due(order), "") << "the first is still on its way";
    order.finish(first, text("first"));
    EXPECT_EQ(due(order), "first;second;");
}

TEST(RequestOrder, AnAnswerWithoutBytesKeepsItsPlaceInTheOrder) {
    RequestOrder order{5};
    const auto silent = order.start(Kind::together);
    const auto loud = order.start(Kind::together);
    order.finish(loud, text("loud"));
    order.finish(silent, {});
    EXPECT_EQ(due(order), ";loud;");
}

TEST(RequestOrder, OnlySoManyRunTogether) {
    RequestOrder order{2};
    order.start(Kind::together);
    order.start(Kind::together);
    EXPECT_FALSE(order.may_start(Kind::together));
}

}  // namespace
}  // namespace leat::api
