#include "memory_log.h"

namespace leat::memory {

Status Budget::make_room(std::uint64_t bytes) {
    if (bytes > limit_) {
        return Error{Errc::no_space, "one append is larger than the budget of this storage"};
    }
    const std::lock_guard lock{mutex_};
    std::uint64_t dropped = 0;
    while (used + bytes > limit_ && dropped < bytes && !blocks_.empty()) {
        const auto [number, log] = *blocks_.begin();
        blocks_.erase(blocks_.begin());
        dropped += log->drop(number);
    }
    if (used + bytes <= limit_) return {};
    return Error{Errc::no_space, "readers hold what would have to go for the budget's sake"};
}

void Budget::add(std::uint64_t number, MemoryLog& log) {
    const std::lock_guard lock{mutex_};
    blocks_.emplace(number, &log);
}

void Budget::forget(std::span<const std::uint64_t> numbers) {
    if (numbers.empty()) return;
    const std::lock_guard lock{mutex_};
    for (const std::uint64_t number : numbers) blocks_.erase(number);
}

void Budget::forget(const MemoryLog& log) {
    const std::lock_guard lock{mutex_};
    std::erase_if(blocks_, [&](const auto& one) { return one.second == &log; });
}

// Beside the log, in blocks that count in the budget like any other; but nothing is dropped for
// their sake.
class MemoryLog::Rewriting final : public Rewrite {
public:
    Rewriting(MemoryLog& log, std::vector<std::shared_ptr<Block>> old)
        : log_{log},
          old_{std::move(old)},
          next_{old_.front()->batches.front().base},
          end_{old_.back()->batches.back().next} {}
    ~Rewriting() override { log_.rewriting_ = false; }

    Status append(std::span<const StampedBatch> batches) override {
        for (const StampedBatch& batch : batches) {
            if (batch.base < next_ || batch.next > end_) {
                return Error{Errc::invalid_argument, "offsets out of the range"};
            }
            const std::size_t size = batch.bytes.size();
            if (made_.empty() || made_.back()->capacity - made_.back()->used() < size) {
                const std::size_t wanted = std::max(size, block_);
                if (!log_.budget_->has_room(wanted)) {
                    return Error{Errc::no_space, "the budget has no room for a second copy"};
                }
                made_.push_back(std::make_shared<Block>(log_.budget_, wanted));
                block_ = std::min(2 * block_, largest_block);
            }
            Block& block = *made_.back();
            const std::size_t at = block.used();
            std::memcpy(block.data.get() + at, batch.bytes.data(), size);
            block.batches.push_back({batch.base, batch.next, batch.max_timestamp, at, size});
            next_ = batch.next;
        }
        return {};
    }
    Status flush() override { return {}; }
    Status commit() override {
        if (made_.empty() || next_ != end_) {
            return Error{Errc::invalid_argument, "the last offsets are missing"};
        }
        if (log_.replace(old_, std::move(made_))) return {};
        return Error{Errc::conflict, "what it replaces has gone since"};
    }

private:
    MemoryLog& log_;
    const std::vector<std::shared_ptr<Block>> old_;
    std::vector<std::shared_ptr<Block>> made_;
    std::size_t block_ = smallest_block;
    Offset next_;
    const Offset end_;
};

Result<std::unique_ptr<Rewrite>> MemoryLog::rewrite(Offset begin, Offset end) {
    auto old = blocks_of(begin, end);
    if (old.empty()) {
        return Error{Errc::invalid_argument,
                     "no flushed extents in front of the last one span this range"};
    }
    if (rewriting_.exchange(true)) {
        return Error{Errc::unavailable, name_ + " is being rewritten"};
    }
    return std::unique_ptr<Rewrite>{std::make_unique<Rewriting>(*this, std::move(old))};
}

std::vector<std::shared_ptr<Block>> MemoryLog::blocks_of(Offset begin, Offset end) const {
    const std::lock_guard lock{mutex_};
    std::vector<std::shared_ptr<Block>> found;
    if (end > flushed_) return found;
    for (std::size_t i = 0; i + 1 < blocks_.size(); ++i) {
        const auto& batches = blocks_[i]->batches;
        if (batches.front().base >= begin && batches.back().next <= end) {
            found.push_back(blocks_[i]);
        }
    }
    const bool spanned = !found.empty() && found.front()->batches.front().base == begin &&
                         found.back()->batches.back().next == end;
    if (!spanned) found.clear();
    return found;
}

bool MemoryLog::replace(const std::vector<std::shared_ptr<Block>>& old,
                        std::vector<std::shared_ptr<Block>> made) {
    std::vector<std::uint64_t> gone;
    std::vector<std::uint64_t> begun;
    {
        const Forget after_the_lock{*budget_, gone};
        const std::lock_guard lock{mutex_};
        const auto first = std::ranges::find(blocks_, old.front());
        const auto left = static_cast<std::size_t>(blocks_.end() - first);
        if (left <= old.size() || !std::equal(old.begin(), old.end(), first)) return false;
        // A truncation takes batches out of a block.
        const Offset end = made.back()->batches.back().next;
        if (old.back()->batches.empty() || old.back()->batches.back().next != end) return false;
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (i < old.size()) made[i]->number = old[i]->number;
            if (i >= old.size()) begun.push_back(made[i]->number);
        }
        for (std::size_t i = made.size(); i < old.size(); ++i) gone.push_back(old[i]->number);
        const auto at = blocks_.erase(first, first + static_cast<std::ptrdiff_t>(old.size()));
        blocks_.insert(at, made.begin(), made.end());
    }
    for (const std::uint64_t number : begun) budget_->add(number, *this);
    return true;
}

}  // namespace leat::memory
