#include "core/net/filling.h"

#include <algorithm>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::net {

Filling::Filling(Filling&& other) noexcept
    : home_{other.home_},
      memory_{std::exchange(other.memory_, nullptr)},
      size_{other.size_},
      filled_{other.filled_},
      charged_{other.charged_},
      seated_{other.seated_} {}

Filling& Filling::operator=(Filling&& other) noexcept {
    if (this == &other) return *this;
    let_go();
    home_ = other.home_;
    memory_ = std::exchange(other.memory_, nullptr);
    size_ = other.size_;
    filled_ = other.filled_;
    charged_ = other.charged_;
    seated_ = other.seated_;
    return *this;
}

void Filling::send_home(Filling filling) {
    if (!filling) return;
    Loop& loop = filling.home_->loop_;
    loop.post([filling = std::move(filling)] {});
}

Filling::~Filling() {
    let_go();
}

Filling Filling::of(Buffers& home, std::size_t size, std::span<const std::byte> begin) {
    Filling filling;
    filling.memory_ = home.allocate(size);
    if (filling.memory_ == nullptr) return filling;
    filling.home_ = &home;
    filling.size_ = size;
    filling.filled_ = begin.size();
    filling.charged_ = filling.pages(begin.size());
    home.lease_.overdraw(filling.charged_);  // It is here, whatever the budget says.
    std::copy(begin.begin(), begin.end(), filling.memory_);
    return filling;
}

std::size_t Filling::pages(std::size_t bytes) const {
    return std::min(size_, (bytes + page - 1) / page * page);
}

bool Filling::charge(std::size_t bytes, Buffers::Use use) {
    const std::size_t more = pages(bytes) - charged_;
    if (!home_->charge(more, use)) return false;
    charged_ += more;
    return true;
}

std::span<std::byte> Filling::room(std::size_t most) {
    const std::size_t wanted = std::min(most, missing());
    std::byte* const next = memory_ + filled_;
    if (seated_) return {next, wanted};
    const std::size_t less = std::min(wanted, small_part);
    if (charge(filled_ + wanted,
               filled_ + wanted > small_part ? Buffers::Use::large : Buffers::Use::small)) {
        return {next, wanted};
    }
    if (charge(filled_ + less, use())) return {next, less};
    if (use() == Buffers::Use::small || !home_->take_seat()) return {};
    seated_ = true;
    home_->discharge(std::exchange(charged_, 0));
    return {next, wanted};
}

void Filling::filled(std::size_t bytes) {
    filled_ += bytes;
    if (seated_) return;
    const std::size_t unused = charged_ - pages(filled_);
    if (unused != 0) home_->uncharge(unused);
    charged_ -= unused;
}

Buffers::Block Filling::finish() {
    sdk::ensure(missing() == 0, "a frame is finished when all of it is here");
    // Others may sit down, if there is room for it beside them now.
    if (seated_ && home_->lease_.take(size_, Buffers::Use::large)) {
        seated_ = false;
        home_->leave_seat();
    }
    return home_->block(std::exchange(memory_, nullptr), size_, seated_);
}

void Filling::let_go() {
    if (memory_ == nullptr) return;
    home_->recycle(std::exchange(memory_, nullptr), size_);
    if (seated_) {
        home_->leave_seat();
    } else {
        home_->discharge(charged_);
    }
}

}  // namespace leat::net
