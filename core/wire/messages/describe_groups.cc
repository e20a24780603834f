#include "core/wire/messages/describe_groups.h"

namespace leat::wire {

std::span<const Field> DescribeGroupsRequest::fields() {
    static constexpr Field list[] = {
        field<&DescribeGroupsRequest::groups>("Groups"),
        field<&DescribeGroupsRequest::include_authorized_operations>("IncludeAuthorizedOperations")
            .in(since(3)),
    };
    return list;
}

constinit const MessageTraits DescribeGroupsRequest::traits{
    .name = "DescribeGroupsRequest",
    .key = ApiKey::describe_groups,
    .versions = {0, 6},
    .flexible = since(5),
    .fields = &DescribeGroupsRequest::fields,
};

std::span<const Field> DescribeGroupsResponse::Member::fields() {
    static constexpr Field list[] = {
        field<&Member::member_id>("MemberId"),
        field<&Member::group_instance_id>("GroupInstanceId").in(since(4)).ignorable(),
        field<&Member::client_id>("ClientId"),
        field<&Member::client_host>("ClientHost"),
        field<&Member::member_metadata>("MemberMetadata"),
        field<&Member::member_assignment>("MemberAssignment"),
    };
    return list;
}

std::span<const Field> DescribeGroupsResponse::Group::fields() {
    static constexpr Field list[] = {
        field<&Group::error_code>("ErrorCode"),
        field<&Group::error_message>("ErrorMessage").in(since(6)),
        field<&Group::group_id>("GroupId"),
        field<&Group::group_state>("GroupState"),
        field<&Group::protocol_type>("ProtocolType"),
        field<&Group::protocol_data>("ProtocolData"),
        field<&Group::members>("Members"),
        field<&Group::authorized_operations>("AuthorizedOperations").in(since(3)),
    };
    return list;
}

std::span<const Field> DescribeGroupsResponse::fields() {
    static constexpr Field list[] = {
        field<&DescribeGroupsResponse::throttle_time_ms>("ThrottleTimeMs").in(since(1)).ignorable(),
        field<&DescribeGroupsResponse::groups>("Groups"),
    };
    return list;
}

constinit const MessageTraits DescribeGroupsResponse::traits{
    .name = "DescribeGroupsResponse",
    .key = ApiKey::describe_groups,
    .versions = {0, 6},
    .flexible = since(5),
    .fields = &DescribeGroupsResponse::fields,
};

}  // namespace leat::wire
