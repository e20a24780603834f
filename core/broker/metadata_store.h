// This broker's line to the coordination store: its session, its place in the cluster, and the view
// of what is stored, which every commit and every watch event feeds.
//
// Threads    Shard 0.
// Lifetime   stop() first; callbacks that come later find nobody. The backend may go before or
//            after.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/broker/metadata.h"
#include "core/broker/metadata_images.h"
#include "core/cluster/bootstrap.h"
#include "core/cluster/store_view.h"
#include "leat/sdk/coordination.h"

namespace leat::broker {

class MetadataStore : public std::enable_shared_from_this<MetadataStore> {
public:
    // What its owner does when things change. Called on shard 0, never from within a call to the
    // store.
    struct Hooks {
        sdk::Function<void(sdk::Status)> ready;
        sdk::Task adopted;  // This broker has become the controller and its view is complete.
    };

    MetadataStore(sdk::CoordinationBackend& backend, sdk::Shard& shard, MetadataImages& images,
                  const MetadataOptions& options);

    void start(Hooks hooks);
    void stop();

    const cluster::StoreView& view() const { return view_; }
    // Set while this broker is the controller and has read all that its predecessors wrote.
    const std::optional<sdk::Check>& fence() const { return fence_; }

    // Feeds the view with what was committed, then calls `done`.
    void commit(sdk::Transaction transaction,
                sdk::Function<void(sdk::Result<sdk::CommitOutcome>)> done);
    // Reads everything anew, begun after this call; tries until it works.
    void refresh(sdk::Task done);

private:
    void session_event(sdk::SessionEvent event);
    void suspended();
    void read();
    void read_ended(sdk::Result<sdk::Snapshot> snapshot);
    void watched(const std::vector<sdk::WatchEvent>& events);
    void learn(cluster::ImageDelta delta);
    void committed(const sdk::Transaction& transaction, sdk::Revision revision);
    void step();
    void step_ended(const sdk::Result<sdk::CommitOutcome>& outcome);
    void settled();
    void refused(const std::string& why);
    void say_ready(sdk::Status status);
    // After a pause that grows with failures in a row, jittered: brokers must not march in step.
    void later(sdk::Function<void(MetadataStore&)> what);

    sdk::CoordinationBackend& backend_;
    sdk::Shard& shard_;
    MetadataImages& images_;
    const MetadataOptions& options_;
    Hooks hooks_;
    cluster::StoreView view_;
    cluster::Bootstrap bootstrap_;
    std::optional<sdk::Check> fence_;
    std::optional<sdk::Revision> adopting_;  // The fence that a fresh read is under way for.

    bool connected_ = false;
    bool stopped_ = false;
    bool watching_ = false;
    bool stepping_ = false;
    bool loaded_ = false;  // Read at least once in this session.
    bool reading_ = false;
    std::vector<sdk::Task> after_this_read_;
    std::vector<sdk::Task> after_next_read_;
    std::size_t failures_ = 0;  // In a row.
    sdk::TimerId fencing_ = sdk::TimerId::none;
};

}  // namespace leat::broker
