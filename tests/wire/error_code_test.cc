#include "core/wire/error_code.h"

#include <gtest/gtest.h>

namespace leat::wire {
namespace {

TEST(ErrorCode, HasKafkasNameAndASentence) {
    EXPECT_EQ(name_of(ErrorCode{-1}), "UNKNOWN_SERVER_ERROR");
    EXPECT_EQ(name_of(ErrorCode{35}), "UNSUPPORTED_VERSION");
    EXPECT_EQ(name_of(ErrorCode{42}), "INVALID_REQUEST");
    EXPECT_EQ(name_of(ErrorCode{136}), "CONTROLLER_ID_NOT_REGISTERED");
    for (std::int16_t code = -1; code <= 136; ++code) {
        EXPECT_FALSE(text_of(ErrorCode{code}).empty()) << code;
    }
}

TEST(ErrorCode, OfALaterKafkaIsUnknown) {
    EXPECT_EQ(name_of(ErrorCode{137}), "UNKNOWN_ERROR_CODE");
    EXPECT_EQ(name_of(ErrorCode{-2}), "UNKNOWN_ERROR_CODE");
}

}  // namespace
}  // namespace leat::wire
