#include "core/net/send_queue.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace leat::net {

namespace {

bool goes_by_sendfile(const sdk::Slice& slice, FileSending mode) {
    const auto* file = std::get_if<sdk::FileSlice>(&slice);
    return file != nullptr && mode == FileSending::sendfile &&
           file->size > SendQueue::small_file_slice;
}

std::size_t held_by(const sdk::Slice& slice) {
    const auto* memory = std::get_if<sdk::MemorySlice>(&slice);
    return memory == nullptr || memory->lent ? 0 : memory->bytes.size();
}

}  // namespace

void SendQueue::push(std::vector<sdk::Slice> slices) {
    for (sdk::Slice& slice : slices) {
        const std::size_t size = size_of(slice);
        if (size == 0) continue;
        unsent_ += size;
        held_ += held_by(slice);
        slices_.push_back(std::move(slice));
    }
}

SendQueue::Outcome SendQueue::send(int socket, Departure& departure, FileSending mode) {
    sent_ = 0;
    while (unsent_ != 0) {
        if (sent_ >= most_bytes_per_turn) return Outcome::more;
        switch (step(socket, departure, mode)) {
            case Step::more:
                break;
            case Step::blocked:
                return Outcome::blocked;
            case Step::failed:
                return Outcome::failed;
        }
    }
    return Outcome::empty;
}

SendQueue::Step SendQueue::step(int socket, Departure& departure, FileSending mode) {
    if (goes_by_sendfile(slices_[first_], mode)) return send_file(socket);
    std::size_t bytes = 0;
    const int count = gather(departure, mode, bytes);
    if (count < 0) return Step::failed;
    msghdr message{};
    message.msg_iov = departure.pieces.data();
    message.msg_iovlen = static_cast<std::size_t>(count);
    const int more_follows = bytes < unsent_ ? MSG_MORE : 0;
    return taken(::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT | more_follows), bytes);
}

int SendQueue::gather(Departure& departure, FileSending mode, std::size_t& bytes) {
    std::size_t count = 0;
    std::size_t skip = first_sent_;
    std::size_t copied = 0;
    for (std::size_t i = first_; i < slices_.size() && count < Departure::most_pieces; ++i) {
        std::span<const std::byte> piece;
        if (const auto* memory = std::get_if<sdk::MemorySlice>(&slices_[i])) {
            piece = memory->bytes.subspan(skip);
        } else {
            const auto& file = std::get<sdk::FileSlice>(slices_[i]);
            if (goes_by_sendfile(slices_[i], mode) || copied == Departure::bytes) break;
            if (!departure.buffer) departure.buffer.reset(new std::byte[Departure::bytes]);
            const std::size_t size = std::min(file.size - skip, Departure::bytes - copied);
            const std::span into{departure.buffer.get() + copied, size};
            if (!read_piece(file, skip, into)) return -1;
            copied += size;
            piece = into;
        }
        departure.pieces[count++] = {const_cast<std::byte*>(piece.data()), piece.size()};
        bytes += piece.size();
        if (piece.size() + skip < size_of(slices_[i])) break;  // The rest of this one comes first.
        skip = 0;
    }
    return static_cast<int>(count);
}

bool SendQueue::read_piece(const sdk::FileSlice& slice, std::size_t skip,
                           std::span<std::byte> into) {
    auto position = static_cast<off_t>(slice.position + skip);
    while (!into.empty()) {
        const ssize_t count = ::pread(slice.descriptor, into.data(), into.size(), position);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            why_ = count < 0
                       ? std::string{"reading what should be sent failed: "} + std::strerror(errno)
                       : "a file that is being sent ended before its slice does";
            return false;
        }
        position += count;
        into = into.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

SendQueue::Step SendQueue::send_file(int socket) {
    const auto& file = std::get<sdk::FileSlice>(slices_[first_]);
    const std::size_t size = std::min(file.size - first_sent_, most_bytes_per_turn);
    auto position = static_cast<off_t>(file.position + first_sent_);
    const ssize_t count = ::sendfile(socket, file.descriptor, &position, size);
    if (count == 0) {
        why_ = "a file that is being sent ended before its slice does";
        return Step::failed;
    }
    return taken(count, size);
}

SendQueue::Step SendQueue::taken(ssize_t count, std::size_t wanted) {
    if (count < 0) {
        if (errno == EINTR) return Step::more;
        if (errno == EAGAIN) return Step::blocked;
        why_ = std::string{"sending failed: "} + std::strerror(errno);
        return Step::failed;
    }
    const auto size = static_cast<std::size_t>(count);
    unsent_ -= size;
    sent_ += size;
    first_sent_ += size;
    while (first_ < slices_.size() && first_sent_ >= size_of(slices_[first_])) {
        first_sent_ -= size_of(slices_[first_]);
        held_ -= held_by(slices_[first_]);
        slices_[first_] = sdk::MemorySlice{};  // Lets go of the memory or the file now.
        ++first_;
    }
    constexpr std::size_t worth_keeping = 64;
    if (first_ == slices_.size()) {
        if (slices_.capacity() > worth_keeping) {
            slices_ = {};
        } else {
            slices_.clear();
        }
        first_ = 0;
    } else if (first_ > worth_keeping && first_ > slices_.size() / 2) {
        slices_.erase(slices_.begin(), slices_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }
    return size < wanted ? Step::blocked : Step::more;
}

}  // namespace leat::net
