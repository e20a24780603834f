#include "tests/simulation/offset_model.h"

#include "core/wire/record_batch.h"
#include "tests/simulation/checker.h"

namespace leat::simulation {

namespace {

wire::BatchView view(const StoredBatch& batch) {
    return wire::BatchView{*batch.bytes};
}

std::optional<FoundRecord> first_in(const StoredBatch& batch, std::int64_t target) {
    if (view(batch).max_timestamp().value < target) return std::nullopt;
    for (const SeenRecord& record : records_in(*batch.bytes)) {
        if (record.timestamp.value < target) continue;
        return FoundRecord{record.offset, record.timestamp.value, view(batch).leader_epoch().value};
    }
    return std::nullopt;
}

}  // namespace

std::optional<FoundRecord> first_not_older(const StoredLog& log, std::int64_t target,
                                           sdk::Offset end) {
    for (const StoredBatch& batch : log.batches) {
        if (batch.next > end) break;
        if (auto found = first_in(batch, target)) return found;
    }
    return std::nullopt;
}

std::vector<std::optional<FoundRecord>> newest_between(const StoredLog& log, sdk::Offset least,
                                                       sdk::Offset most) {
    std::vector<std::optional<FoundRecord>> all;
    std::optional<FoundRecord> newest;
    if (least <= log.begin) all.push_back(newest);
    for (const StoredBatch& batch : log.batches) {
        if (batch.next > most) break;
        const std::int64_t youngest = view(batch).max_timestamp().value;
        if (!newest || youngest > newest->timestamp) newest = first_in(batch, youngest);
        if (batch.next >= least) all.push_back(newest);
    }
    return all;
}

std::optional<std::int32_t> first_epoch(const StoredLog& log) {
    if (log.batches.empty()) return std::nullopt;
    return view(log.batches.front()).leader_epoch().value;
}

}  // namespace leat::simulation
