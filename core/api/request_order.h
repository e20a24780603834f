// Keeps a connection's promise: requests execute one at a time and are answered in order, except
// that consecutive Produce requests run together (idempotent producers keep five of them in flight,
// and the partitions keep their order). A machine: it holds tickets and answers, no socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "leat/sdk/ensure.h"
#include "leat/sdk/slice.h"

namespace leat::api {

// What goes back on the wire for one request; no slices: nothing does (Produce with acks=0).
using Answer = std::vector<sdk::Slice>;

class RequestOrder {
public:
    using Ticket = std::uint64_t;
    enum class Kind { alone, together };

    explicit RequestOrder(std::size_t most_together) : most_together_{most_together} {}

    bool may_start(Kind kind) const {
        if (unfinished_ == 0) return true;
        return kind == Kind::together && running_together_ && unfinished_ < most_together_;
    }

    Ticket start(Kind kind) {
        sdk::ensure(may_start(kind), "a request starts when its turn has come");
        running_together_ = kind == Kind::together;
        ++unfinished_;
        slots_.emplace_back();
        return first_ + slots_.size() - 1;
    }

    void finish(Ticket ticket, Answer answer) {
        sdk::ensure(ticket >= first_ && ticket - first_ < slots_.size(), "a ticket was handed out");
        auto& slot = slots_[static_cast<std::size_t>(ticket - first_)];
        sdk::ensure(!slot.has_value(), "a request is answered once");
        slot = std::move(answer);
        --unfinished_;
    }

    // The next answer that is due on the wire, in request order.
    std::optional<Answer> take_due() {
        if (slots_.empty() || !slots_.front()) return std::nullopt;
        std::optional<Answer> due = std::move(slots_.front());
        slots_.pop_front();
        ++first_;
        return due;
    }

    std::size_t unfinished() const { return unfinished_; }

private:
    std::size_t most_together_;
    std::deque<std::optional<Answer>> slots_;
    Ticket first_ = 1;
    std::size_t unfinished_ = 0;
    bool running_together_ = false;
};

}  // namespace leat::api
