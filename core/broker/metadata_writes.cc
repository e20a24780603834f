#include "core/broker/metadata_writes.h"

#include <utility>

namespace leat::broker {

void MetadataWrites::run(cluster::Stages stages,
                         sdk::Function<void(End, const std::string&)> done) {
    auto work =
        std::make_shared<Work>(Work{cluster::StagedWrite{std::move(stages)}, std::move(done)});
    follow(work, work->write.begin());
}

void MetadataWrites::follow(const std::shared_ptr<Work>& work,
                            cluster::StagedWrite::Orders orders) {
    for (const auto i : orders.commit) {
        store_.commit(work->write.transaction(i),
                      [weak = weak_from_this(), work, i](sdk::Result<sdk::CommitOutcome> outcome) {
                          const auto self = weak.lock();
                          if (self) self->follow(work, work->write.outcome(i, outcome));
                      });
    }
    for (const auto i : orders.look) {
        store_.refresh([weak = weak_from_this(), work, i] {
            const auto self = weak.lock();
            if (!self) return;
            const bool shows = self->store_.view().shows(work->write.transaction(i));
            self->follow(work, work->write.looked(i, shows));
        });
    }
    if (orders.end) work->done(*orders.end, work->write.why());
}

wire::ErrorCode error_of(MetadataWrites::End end) {
    return end == MetadataWrites::End::fenced ? wire::ErrorCode::not_controller
                                              : wire::ErrorCode::request_timed_out;
}

std::string sentence_of(MetadataWrites::End end, const std::string& why) {
    if (end == MetadataWrites::End::fenced) return "Another broker has become the controller.";
    return "The coordination store did not take the change: " + why;
}

}  // namespace leat::broker
