// What the cluster's image tells of the topics that an assignor is asked about.
#pragma once

#include "core/cluster/image.h"
#include "leat/sdk/assignment.h"

namespace leat::groups {

// Ids, partitions and the racks of their replicas. A topic that does not exist is taken out, and so
// is, of what members have or hold, each partition that does not exist; positions change
// accordingly. A topic that has partitions already keeps their number.
void fill_in_topics(sdk::AssignmentInput& input, const cluster::Image& image);

}  // namespace leat::groups
