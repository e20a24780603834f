#include "core/wire/messages/list_partition_reassignments.h"

#include "core/api/handlers.h"
#include "core/api/session.h"

namespace leat::api {

// With one broker nothing moves, and AlterPartitionReassignments is not served.
void list_partition_reassignments(Services&, Request request, Reply reply) {
    auto asked = wire::decode<wire::ListPartitionReassignmentsRequest>(request.header.body,
                                                                       request.header.version);
    if (!asked) return reply.malformed(asked.error());
    reply.answer(wire::ListPartitionReassignmentsResponse{});
}

}  // namespace leat::api
