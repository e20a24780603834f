#include "core/wire/error_codes_in.h"

#include <gtest/gtest.h>

#include "core/wire/messages/api_versions.h"
#include "core/wire/messages/metadata.h"
#include "core/wire/messages/produce.h"

namespace leat::wire {
namespace {

using Errors = std::vector<ErrorCode>;

TEST(ErrorCodesIn, AnAnswerWithoutErrorsHasNone) {
    MetadataResponse response;
    response.topics.push_back({.name = "t", .partitions = {{.partition_index = 0}}});
    EXPECT_EQ(errors_in(response), Errors{});
    EXPECT_EQ(errors_in(ApiVersionsResponse{}), Errors{});
}

TEST(ErrorCodesIn, FindsThoseAtTheTopAndInEveryListBelow) {
    EXPECT_EQ(errors_in(ApiVersionsResponse{.error_code = ErrorCode::unsupported_version}),
              Errors{ErrorCode::unsupported_version});
    MetadataResponse response;
    response.topics.push_back({.error_code = ErrorCode::unknown_topic_or_partition});
    response.topics.push_back({.partitions = {{.error_code = ErrorCode::leader_not_available},
                                              {.error_code = ErrorCode::none},
                                              {.error_code = ErrorCode::leader_not_available}}});
    EXPECT_EQ(errors_in(response),
              (Errors{ErrorCode::unknown_topic_or_partition, ErrorCode::leader_not_available,
                      ErrorCode::leader_not_available}));
}

TEST(ErrorCodesIn, CountsWhatAProduceRefusesForEachPartition) {
    ProduceResponse response;
    response.responses.push_back(
        {.partition_responses = {{.error_code = ErrorCode::invalid_required_acks},
                                 {.error_code = ErrorCode::invalid_required_acks}}});
    EXPECT_EQ(errors_in(response).size(), 2u);
}

}  // namespace
}  // namespace leat::wire
