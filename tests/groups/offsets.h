// Commits and fetches one offset of group "g", for stories.
#pragma once

#include <optional>
#include <string>

#include "tests/groups/bed.h"

namespace leat::groups {

struct Committing {
    std::string member;
    std::int32_t generation = -1;
    wire::Version version = 9;
    std::string topic = "t";
    std::int64_t offset = 42;
    std::optional<std::string> metadata = "kept";
    std::int64_t retention_ms = -1;
};

inline ErrorCode commit(Bed& bed, const Committing& what) {
    wire::OffsetCommitRequest request{.group_id = "g",
                                      .generation_id_or_member_epoch = what.generation,
                                      .member_id = what.member,
                                      .retention_time_ms = what.retention_ms};
    request.topics.push_back({.name = what.topic});
    request.topics[0].partitions.push_back({.partition_index = 0,
                                            .committed_offset = what.offset,
                                            .committed_leader_epoch = 3,
                                            .committed_metadata = what.metadata});
    wire::OffsetCommitResponse response;
    bed.decide([&](Effects& effects) {
        response = bed.machine->commit_offsets(request, what.version, bed.now, effects);
    });
    return response.topics.at(0).partitions.at(0).error_code;
}

inline wire::OffsetFetchResponse::Partition fetch(const Bed& bed, const std::string& topic,
                                                  std::int32_t partition) {
    wire::OffsetFetchRequest::Group request{.group_id = "g"};
    request.topics.emplace();
    request.topics->push_back({.name = topic, .partition_indexes = {partition}});
    return bed.machine->fetch_offsets(request).topics.at(0).partitions.at(0);
}

inline std::int64_t fetched(const Bed& bed, const std::string& topic, std::int32_t partition) {
    return fetch(bed, topic, partition).committed_offset;
}

}  // namespace leat::groups
