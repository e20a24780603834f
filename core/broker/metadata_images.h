// Every shard's image of the cluster, and how changes reach them: posted from shard 0, in order.
//
// Threads    publish, set_standing and when_applied: shard 0. at(n), standing(n): shard n.
// Lifetime   Shared with what is posted to other shards, so that it outlives it.
#pragma once

#include <memory>
#include <vector>

#include "core/broker/metadata.h"
#include "core/cluster/image.h"
#include "core/runtime/shards.h"

namespace leat::broker {

class MetadataImages : public std::enable_shared_from_this<MetadataImages> {
public:
    explicit MetadataImages(runtime::Shards& shards);

    void listen(std::size_t shard, MetadataListener& listener);

    void publish(cluster::ImageDelta delta);
    void set_standing(Standing standing);
    // Runs `task` on shard 0 when every shard has applied what was published before.
    void when_applied(sdk::Task task);

    const cluster::Image& at(std::size_t shard) const { return views_[shard].image; }
    Standing standing(std::size_t shard) const { return views_[shard].standing; }

private:
    struct alignas(64) View {  // Each is written by one thread.
        cluster::Image image;
        Standing standing = Standing::starting;
        MetadataListener* listener = nullptr;
    };

    runtime::Shards& shards_;
    std::vector<View> views_;
    Standing standing_ = Standing::starting;  // As last published.
};

}  // namespace leat::broker
