#include "core/broker/metadata_store.h"

#include <algorithm>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::broker {

using sdk::SessionEvent;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds first_pause{50};
constexpr milliseconds longest_pause{3000};

}  // namespace

MetadataStore::MetadataStore(sdk::CoordinationBackend& backend, sdk::Shard& shard,
                             MetadataImages& images, const MetadataOptions& options)
    : backend_{backend},
      shard_{shard},
      images_{images},
      options_{options},
      view_{options.config_defaults, options.self} {
    bootstrap_.self = {.node = options.self,
                       .directory = options.directory,
                       .incarnation = options.make_uuid(),
                       .rack = options.rack,
                       .endpoints = options.endpoints};
    bootstrap_.cluster_id = options.cluster_id;
    bootstrap_.new_cluster_id = cluster::uuid_text(options.make_uuid());
}

void MetadataStore::start(Hooks hooks) {
    hooks_ = std::move(hooks);
    const auto started =
        backend_.start(options_.session, [weak = weak_from_this()](SessionEvent event) {
            if (const auto self = weak.lock(); self && !self->stopped_) self->session_event(event);
        });
    if (started) return;
    shard_.post([weak = weak_from_this(), started] {
        if (const auto self = weak.lock()) self->say_ready(started);
    });
}

void MetadataStore::stop() {
    stopped_ = true;
    fence_.reset();
    shard_.cancel(fencing_);
    images_.set_standing(Standing::stopped);
}

void MetadataStore::session_event(SessionEvent event) {
    switch (event) {
        case SessionEvent::established:
            shard_.cancel(fencing_);
            connected_ = true;
            failures_ = 0;
            refresh([] {});
            return;
        case SessionEvent::suspended: return suspended();
        case SessionEvent::lost:
            connected_ = false;
            loaded_ = false;
            fence_.reset();
            // What the old session left behind may show for a while: it must not look like ours.
            bootstrap_.self.incarnation = options_.make_uuid();
            images_.set_standing(Standing::fenced);
            return;
    }
}

// The session may have ended by the time that we hear again from the store, and another broker may
// lead by then. Half the timeout is left for what the backend took to notice (trap M4).
void MetadataStore::suspended() {
    connected_ = false;
    shard_.cancel(fencing_);
    fencing_ = shard_.after(options_.session.timeout / 2, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && !self->stopped_) self->images_.set_standing(Standing::fenced);
    });
}

void MetadataStore::commit(sdk::Transaction transaction,
                           sdk::Function<void(sdk::Result<sdk::CommitOutcome>)> done) {
    auto kept = std::make_unique<sdk::Transaction>(transaction);
    backend_.commit(std::move(transaction),
                    [weak = weak_from_this(), kept = std::move(kept),
                     done = std::move(done)](sdk::Result<sdk::CommitOutcome> outcome) mutable {
                        const auto self = weak.lock();
                        if (!self || self->stopped_) return;
                        if (outcome) {
                            if (const auto* end = std::get_if<sdk::Committed>(&*outcome)) {
                                self->committed(*kept, end->revision);
                            }
                        }
                        done(std::move(outcome));
                    });
}

void MetadataStore::committed(const sdk::Transaction& transaction, sdk::Revision revision) {
    std::vector<sdk::KeyValue> put;
    std::vector<sdk::KeyDeleted> deleted;
    for (const auto& operation : transaction.operations) {
        if (const auto* each = std::get_if<sdk::Put>(&operation)) {
            put.push_back({each->key, each->value, revision});
        } else {
            deleted.push_back({std::get<sdk::Delete>(operation).key, revision});
        }
    }
    learn(view_.apply(put, deleted));
}

void MetadataStore::refresh(sdk::Task done) {
    (reading_ ? after_next_read_ : after_this_read_).push_back(std::move(done));
    if (!reading_) read();
}

void MetadataStore::read() {
    reading_ = true;
    backend_.read(std::string{cluster::keys::everything},
                  [weak = weak_from_this()](sdk::Result<sdk::Snapshot> snapshot) {
                      const auto self = weak.lock();
                      if (self && !self->stopped_) self->read_ended(std::move(snapshot));
                  });
}

void MetadataStore::read_ended(sdk::Result<sdk::Snapshot> snapshot) {
    if (!snapshot) return later([](MetadataStore& self) { self.read(); });
    reading_ = false;
    failures_ = 0;
    loaded_ = connected_;
    learn(view_.reset(*snapshot));
    if (!std::exchange(watching_, true)) {
        backend_.watch(std::string{cluster::keys::everything}, snapshot->revision,
                       [weak = weak_from_this()](const std::vector<sdk::WatchEvent>& events) {
                           const auto self = weak.lock();
                           if (self && !self->stopped_) self->watched(events);
                       });
    }
    auto satisfied = std::exchange(after_this_read_, std::exchange(after_next_read_, {}));
    if (!after_this_read_.empty()) read();
    for (auto& task : satisfied) task();
    step();
}

void MetadataStore::watched(const std::vector<sdk::WatchEvent>& events) {
    bool resync = false;
    std::vector<sdk::KeyValue> put;
    std::vector<sdk::KeyDeleted> deleted;
    const auto flush = [&] {
        learn(view_.apply(put, deleted));
        put.clear();
        deleted.clear();
    };
    for (const auto& event : events) {
        if (const auto* changed = std::get_if<sdk::KeyChanged>(&event)) {
            // Order holds per key, and a key may go and come back within one batch.
            if (!deleted.empty()) flush();
            put.push_back(changed->entry);
        } else if (const auto* gone = std::get_if<sdk::KeyDeleted>(&event)) {
            deleted.push_back(*gone);
        } else {
            resync = true;
        }
    }
    flush();
    if (resync) refresh([] {});
}

void MetadataStore::learn(cluster::ImageDelta delta) {
    const bool standing = delta.facts || !delta.brokers.empty() || !delta.brokers_gone.empty();
    images_.publish(std::move(delta));
    for (const auto& complaint : view_.take_complaints()) {
        if (options_.complain) options_.complain(complaint);
    }
    if (!standing) return;
    shard_.post([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->step();
    });
}

void MetadataStore::step() {
    if (stopped_ || stepping_ || !connected_ || !loaded_) return;
    auto next = cluster::next_bootstrap_step(view_, bootstrap_);
    if (auto* write = std::get_if<cluster::Write>(&next)) {
        stepping_ = true;
        commit(std::move(write->transaction),
               [weak = weak_from_this()](sdk::Result<sdk::CommitOutcome> outcome) {
                   if (const auto self = weak.lock()) self->step_ended(outcome);
               });
    } else if (const auto* refusal = std::get_if<cluster::Refused>(&next)) {
        refused(refusal->why);
    } else {
        settled();
    }
}

void MetadataStore::step_ended(const sdk::Result<sdk::CommitOutcome>& outcome) {
    stepping_ = false;
    if (outcome && std::holds_alternative<sdk::Committed>(*outcome)) return step();
    if (!outcome) {
        // A full store takes nobody new. One who is registered goes on, and tries again.
        const bool full = outcome.error().code == sdk::Errc::no_space && hooks_.ready;
        if (full || outcome.error().code == sdk::Errc::io) return refused(outcome.error().what);
    }
    // Somebody was faster, or nobody knows: what a fresh read shows decides.
    later([](MetadataStore& self) { self.refresh([] {}); });
}

void MetadataStore::settled() {
    if (view_.image().facts().cluster_id.empty()) return;
    bootstrap_.cluster_id = view_.image().facts().cluster_id;
    const auto fence = cluster::controller_fence(view_, bootstrap_.self);
    if (!fence) {
        fence_.reset();
    } else if (!fence_ || fence_->revision != fence->revision) {
        if (std::exchange(adopting_, fence->revision) == fence->revision) return;
        // Only now is it certain that no older controller writes any more: read what they wrote.
        return refresh([weak = weak_from_this(), fence = *fence] {
            const auto self = weak.lock();
            if (!self || self->stopped_) return;
            self->adopting_.reset();
            const auto still = cluster::controller_fence(self->view_, self->bootstrap_.self);
            if (!still || still->revision != fence.revision) return;
            self->fence_ = fence;
            self->hooks_.adopted();
        });
    }
    images_.set_standing(Standing::serving);
    say_ready({});
}

void MetadataStore::refused(const std::string& why) {
    images_.set_standing(Standing::fenced);
    say_ready(sdk::Error{sdk::Errc::conflict, why});
    later([](MetadataStore& self) { self.refresh([] {}); });
}

void MetadataStore::say_ready(sdk::Status status) {
    if (!hooks_.ready) return;
    // Shared by this call and the barrier's task, which must be able to outlive it.
    auto ready = std::make_shared<sdk::Function<void(sdk::Status)>>(std::move(hooks_.ready));
    hooks_.ready = nullptr;
    images_.when_applied([ready, status] { (*ready)(status); });
}

void MetadataStore::later(sdk::Function<void(MetadataStore&)> what) {
    const auto pause = std::min(longest_pause, first_pause * (1 << std::min<std::size_t>(
                                                                  failures_++, 10)));
    const auto jitter = options_.make_uuid().bytes[0];
    shard_.after(pause / 2 + pause * jitter / 512,
                 [weak = weak_from_this(), what = std::move(what)]() mutable {
                     const auto self = weak.lock();
                     if (self && !self->stopped_) what(*self);
                 });
}

}  // namespace leat::broker
