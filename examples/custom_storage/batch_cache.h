// Opened batches, so that what was just written or brought in is not opened once more. One for all
// logs of an engine, bounded: the longest unused go first. Any thread.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sealed {

using Batch = std::shared_ptr<const std::vector<std::byte>>;

class BatchCache {
public:
    explicit BatchCache(std::uint64_t limit) : limit_{limit} {}

    // A reader may ask for so much at a time, and find it all.
    std::uint64_t largest_read() const { return limit_ / 4; }

    Batch find(std::uint64_t extent, std::uint64_t position) {
        const std::lock_guard lock{mutex_};
        const auto found = batches_.find({extent, position});
        if (found == batches_.end()) return nullptr;
        order_.splice(order_.end(), order_, found->second);
        return found->second->batch;
    }
    void put(std::uint64_t extent, std::uint64_t position, Batch batch) {
        const std::lock_guard lock{mutex_};
        const Key key{extent, position};
        if (batches_.contains(key)) return;
        bytes_ += batch->size();
        batches_[key] = order_.insert(order_.end(), {key, std::move(batch)});
        while (bytes_ > limit_ && order_.size() > 1) {
            bytes_ -= order_.front().batch->size();
            batches_.erase(order_.front().key);
            order_.pop_front();
        }
    }

private:
    using Key = std::pair<std::uint64_t, std::uint64_t>;
    struct Entry {
        Key key;
        Batch batch;
    };
    const std::uint64_t limit_;
    std::mutex mutex_;
    std::uint64_t bytes_ = 0;
    std::list<Entry> order_;  // The longest unused first.
    std::map<Key, std::list<Entry>::iterator> batches_;
};

}  // namespace sealed
