// The smallest complete storage engine: batches in blocks of memory, gone with the process. Start
// from a copy of it when you write your own, and run the conformance kit over it from day one.
//
// A log is a deque of blocks, and a block is an extent: it has a fixed buffer, so batches never
// move, and readers share its ownership, so a slice outlives trim and remove. Bytes once written
// are never written again: after a truncation the next batch goes to a new block.
//
// All logs of one instance share a budget. When it is spent, an append drops the oldest blocks,
// whosever they are, until there is room: the beginning of their logs rises, and a log line says
// to where. A block that a reader still holds counts until the reader is done.
//
// The log itself is in memory_log.h. Leave RewritableLog (compaction) for later: it is optional.
#include "leat/sdk/plugin.h"
#include "memory_log.h"

namespace leat::memory {
namespace {

class MemoryEngine final : public StorageEngine {
public:
    MemoryEngine(PluginContext& context, std::uint64_t limit)
        : budget_{std::make_shared<Budget>(context, limit)} {}

    Result<std::unique_ptr<Log>> open(const PartitionId& id, const LogOptions&) override {
        return std::unique_ptr<Log>{
            std::make_unique<MemoryLog>(budget_, id.topic + "-" + std::to_string(id.index))};
    }
    Status remove(const PartitionId&) override { return {}; }  // It went with its log.
    Result<std::vector<PartitionId>> partitions() override { return std::vector<PartitionId>{}; }
    Status closed_cleanly() override { return {}; }

private:
    const std::shared_ptr<Budget> budget_;
};

}  // namespace
}  // namespace leat::memory

LEAT_PLUGIN("memory", "1.1.0", [](leat::sdk::Registrar& host) {
    host.storage_engine(
        {.name = "memory",
         .description = "Keeps batches in memory, for tests and small boxes; a restart loses them.",
         .options = {{.name = "budget",
                      .kind = leat::sdk::OptionKind::size,
                      .fallback = std::int64_t{256} << 20,
                      .description = "Bytes that all topics of this instance may hold; when it is "
                                     "spent the oldest batches go.",
                      .least = std::int64_t{64} << 10,
                      .most = std::int64_t{1} << 40}},
         .capabilities =
             {.durable = false, .truncatable = true, .side_files = false, .rewritable = true},
         .make = [](leat::sdk::PluginContext& context, const leat::sdk::Settings& settings)
             -> leat::sdk::Result<std::unique_ptr<leat::sdk::StorageEngine>> {
             std::uint64_t limit = settings.bytes("budget");
             if (context.memory_budget() != 0) limit = std::min(limit, context.memory_budget());
             return std::unique_ptr<leat::sdk::StorageEngine>{
                 std::make_unique<leat::memory::MemoryEngine>(context, limit)};
         }});
});
