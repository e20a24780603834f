// A frame that is arriving. It has room for all of it and is charged for what has come, page for
// page, so that who announces much and sends little holds little: memory that was never touched is
// address space, not memory.
//
// The first 64 KiB are a small use of the memory budget, what follows a large one. When there is
// nothing left for large uses, the budget has a seat in which one frame at a time arrives whole.
#pragma once

#include <cstddef>
#include <span>

#include "core/net/buffers.h"

namespace leat::net {

// [shard]
class Filling {
public:
    static constexpr std::size_t page = 4096;
    static constexpr std::size_t small_part = 64 * 1024;

    Filling() = default;
    Filling(Filling&& other) noexcept;
    Filling& operator=(Filling&& other) noexcept;
    ~Filling();

    // A frame of `size` bytes, of which `begin` is here already. Empty: the system has no memory.
    static Filling of(Buffers& home, std::size_t size, std::span<const std::byte> begin = {});

    explicit operator bool() const { return memory_ != nullptr; }
    std::size_t size() const { return size_; }
    std::size_t missing() const { return size_ - filled_; }

    // Room for the next bytes, up to `most`, which are charged; empty: none is left for use().
    std::span<std::byte> room(std::size_t most);
    // So many of them came; the charge for the others goes back.
    void filled(std::size_t bytes);

    Buffers::Use use() const {
        return filled_ >= small_part ? Buffers::Use::large : Buffers::Use::small;
    }

    // What has come.
    std::span<const std::byte> begun() const { return {memory_, filled_}; }
    bool seated() const { return seated_; }
    // [any thread] It is let go on the shard that it belongs to.
    static void send_home(Filling filling);

    // The whole frame, when nothing is missing; this is empty then.
    Buffers::Block finish();

private:
    std::size_t pages(std::size_t bytes) const;
    bool charge(std::size_t bytes, Buffers::Use use);
    void let_go();

    Buffers* home_ = nullptr;
    std::byte* memory_ = nullptr;
    std::size_t size_ = 0;
    std::size_t filled_ = 0;
    std::size_t charged_ = 0;
    bool seated_ = false;
};

}  // namespace leat::net
