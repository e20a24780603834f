// Coordination for a broker that is alone: the store in memory, a journal in the data folder.
//
// Commit     Transactions that arrive while a sync is under way, or in the same turn of the loop,
//            share the next one. Their checks are judged against what is durable plus those before
//            them in their group; nothing is shown to anybody before its sync has succeeded.
// Session    Is the process's: `established` at once, and ephemeral keys are gone at the next
//            start.
// Failure    When the journal fails, the transactions that were being written answer Unknown (they
//            may come up at the next start); every later call answers Errc::io, and the session is
//            suspended for good. A full device refuses commits with Errc::no_space until there is
//            room.
// Threads    The shard; a worker writes. The destructor waits for a write that has begun.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "journal.h"
#include "leat/sdk/coordination.h"
#include "leat/sdk/plugin_context.h"
#include "store.h"
#include "watches.h"

namespace leat::local {

struct LocalOptions {
    std::uint64_t snapshot_after = 4 * 1024 * 1024;  // Bytes of journal.
};

// Transactions that wait for their turn; above either, commit answers Errc::unavailable.
inline constexpr std::size_t most_waiting = 20'000;
inline constexpr std::size_t most_waiting_bytes = 128 * 1024 * 1024;

class LocalBackend final : public sdk::CoordinationBackend {
public:
    LocalBackend(sdk::PluginContext& context, LocalOptions options, std::unique_ptr<Files> files);
    ~LocalBackend() override;

    sdk::Status start(sdk::SessionOptions options,
                      sdk::Function<void(sdk::SessionEvent)> on_session) override;
    void commit(sdk::Transaction transaction,
                sdk::Function<void(sdk::Result<sdk::CommitOutcome>)> done) override;
    void read(std::string prefix, sdk::Function<void(sdk::Result<sdk::Snapshot>)> done) override;
    void watch(std::string prefix, sdk::Revision after, sdk::Watcher watcher) override;

private:
    using Done = sdk::Function<void(sdk::Result<sdk::CommitOutcome>)>;
    struct Waiting {
        sdk::Transaction transaction;
        Done done;
        std::size_t bytes = 0;
    };
    struct Judged {
        Waiting waiting;
        std::optional<std::string> conflict;
        sdk::Revision revision{};  // If there is no conflict.
    };
    // What one sync makes durable.
    struct Group {
        std::vector<Judged> members;
        std::string unit;  // Empty if every member is a conflict.
        sdk::Status written;
    };
    // Also owned by work that is on its way to a worker, which may outlive the backend.
    struct Disk {
        Disk(std::unique_ptr<Files> files, const std::filesystem::path& folder)
            : journal{std::move(files), folder} {}
        Store store;  // Not changed while a worker is busy.
        Journal journal;
    };

    std::optional<sdk::Error> refusal(const sdk::Transaction& transaction, std::size_t bytes) const;
    void later(sdk::Task task);  // Posts it; it is dropped if the backend is gone by then.
    void schedule();
    void write_next();
    std::shared_ptr<Group> next_group();
    void written(Group& group);
    std::vector<sdk::WatchEvent> apply(const Group& group);
    void answer(Group& group);
    void rotate_if_outgrown();
    void fail(const sdk::Error& error);

    sdk::PluginContext& context_;
    const LocalOptions options_;
    std::shared_ptr<Disk> disk_;
    sdk::Function<void(sdk::SessionEvent)> on_session_;
    std::deque<Waiting> waiting_;
    std::size_t waiting_bytes_ = 0;
    Watches watches_;
    bool started_ = false;
    bool scheduled_ = false;
    bool busy_ = false;  // A worker has the journal.
    std::optional<sdk::Error> failure_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // What is posted holds it weakly.
};

}  // namespace leat::local
