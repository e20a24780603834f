// Producer ids for InitProducerId: this broker takes blocks from the coordination store and hands
// out single ids from memory. What is left of a block is lost with the process (KIP-98).
//
// A log that this broker opens may hold ids of another cluster, if its folder was brought here.
// From then on only higher ids are handed out; those before lie elsewhere (cluster/bootstrap.h).
//
// Threads    Shard 0.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "core/broker/metadata.h"
#include "core/broker/metadata_store.h"

namespace leat::broker {

class MetadataProducerIds : public std::enable_shared_from_this<MetadataProducerIds> {
public:
    MetadataProducerIds(MetadataStore& store, const MetadataOptions& options)
        : store_{store}, options_{options} {}

    void allocate(sdk::Function<void(Metadata::ProducerId)> done);
    // A log holds this one and none above.
    void found(std::int64_t highest);
    void stop();

private:
    void take_block();
    void outcome(const sdk::Uuid& token, const sdk::Result<sdk::CommitOutcome>& outcome);
    void look(const sdk::Uuid& token);
    void serve();
    void fail(wire::ErrorCode error);

    static constexpr std::size_t most_attempts = 10;

    MetadataStore& store_;
    const MetadataOptions& options_;
    std::int64_t next_ = 0;
    std::int64_t end_ = 0;    // Ids [next_, end_) are ours.
    std::int64_t floor_ = 0;  // None below is handed out.
    bool taking_ = false;
    std::size_t attempts_ = 0;
    std::deque<sdk::Function<void(Metadata::ProducerId)>> waiting_;
};

}  // namespace leat::broker
