#include "core/broker/metadata_producer_ids.h"

#include <algorithm>
#include <utility>

namespace leat::broker {

using wire::ErrorCode;

void MetadataProducerIds::allocate(sdk::Function<void(Metadata::ProducerId)> done) {
    if (waiting_.size() >= most_waiting_for_metadata) {
        return done({.error = ErrorCode::coordinator_load_in_progress});
    }
    waiting_.push_back(std::move(done));
    serve();
}

void MetadataProducerIds::found(std::int64_t highest) {
    if (highest >= cluster::made_up_producer_id) return;
    floor_ = std::max(floor_, highest + 1);
    next_ = std::max(next_, floor_);
}

void MetadataProducerIds::serve() {
    while (!waiting_.empty() && next_ < end_) {
        auto done = std::move(waiting_.front());
        waiting_.pop_front();
        done({.id = next_++});
    }
    if (waiting_.empty() || taking_) return;
    taking_ = true;
    attempts_ = 0;
    take_block();
}

void MetadataProducerIds::take_block() {
    if (++attempts_ > most_attempts) return fail(ErrorCode::coordinator_load_in_progress);
    const auto token = options_.make_uuid();
    auto transaction = cluster::take_producer_ids(store_.view(), options_.self, token, floor_);
    if (!transaction) return fail(ErrorCode::unknown_server_error);
    store_.commit(std::move(*transaction),
                  [weak = weak_from_this(), token](sdk::Result<sdk::CommitOutcome> outcome) {
                      if (const auto self = weak.lock()) self->outcome(token, outcome);
                  });
}

void MetadataProducerIds::outcome(const sdk::Uuid& token,
                                  const sdk::Result<sdk::CommitOutcome>& outcome) {
    if (!outcome) return fail(ErrorCode::coordinator_not_available);
    if (std::holds_alternative<sdk::Committed>(*outcome)) return look(token);
    store_.refresh([weak = weak_from_this(), token] {
        if (const auto self = weak.lock()) self->look(token);
    });
}

// A block that an attempt of unknown outcome has taken is given up if somebody took the next one
// meanwhile: ids are plenty.
void MetadataProducerIds::look(const sdk::Uuid& token) {
    const auto first = cluster::taken_producer_ids(store_.view(), token);
    if (!first) return take_block();
    next_ = std::max(*first, floor_);  // It may have been raised meanwhile.
    end_ = *first + cluster::producer_id_block;
    taking_ = false;
    serve();
}

void MetadataProducerIds::fail(ErrorCode error) {
    taking_ = false;
    for (auto& done : std::exchange(waiting_, {})) done({.error = error});
}

void MetadataProducerIds::stop() {
    fail(ErrorCode::coordinator_not_available);
}

}  // namespace leat::broker
