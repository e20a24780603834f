#include "core/net/frame_reader.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace leat::net {

namespace {

std::int32_t length_in(std::span<const std::byte, 4> bytes) {
    std::uint32_t length = 0;
    for (const std::byte b : bytes) length = (length << 8) | std::to_integer<std::uint32_t>(b);
    return static_cast<std::int32_t>(length);
}

// What a first frame with an absurd length really is, or nothing.
std::string foreign_protocol(std::span<const std::byte, 4> bytes) {
    const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    if (text.starts_with("\x16\x03")) {
        return "the peer speaks TLS, this listener does not: set the client's security.protocol to "
               "PLAINTEXT or connect to a TLS listener";
    }
    for (const std::string_view method : {"GET ", "POST", "HEAD", "PUT ", "OPTI", "PRI "}) {
        if (text == method) return "the peer speaks HTTP, this listener speaks Kafka's protocol";
    }
    return {};
}

}  // namespace

bool FrameReader::checked(std::span<const std::byte, 4> bytes, std::size_t largest,
                          Arrival& arrival) {
    const std::int32_t length = length_in(bytes);
    const std::string number = std::to_string(length);
    if (length <= 0) {
        why_ = length == 0 ? "the peer sent a frame of no bytes"
                           : "the peer sent a frame of negative length, " + number;
        return false;
    }
    const auto size = static_cast<std::size_t>(length);
    if (size <= largest && size <= arrival.buffers.largest_frame()) return true;
    if (!any_) why_ = foreign_protocol(bytes);
    if (!why_.empty()) return false;
    const std::string limit = size > largest ? std::to_string(largest) + " that are allowed"
                                             : std::to_string(arrival.buffers.largest_frame()) +
                                                   " that the memory budget has for one";
    why_ = "the peer sent a frame of " + number + " bytes, more than the " + limit;
    return false;
}

bool FrameReader::may_move() const {
    return !body_ || (!body_.seated() && body_.begun().size() <= most_bytes_moved);
}

bool FrameReader::arrive(Buffers& home) {
    if (!body_) return true;
    Filling here = Filling::of(home, body_.size(), body_.begun());
    const bool begun = static_cast<bool>(here);
    Filling::send_home(std::exchange(body_, std::move(here)));
    return begun;
}

FrameReader::Outcome FrameReader::read(int socket, Arrival& arrival, std::size_t largest,
                                       std::vector<sdk::Frame>& frames) {
    bytes_read_ = 0;
    for (;;) {
        switch (step(socket, arrival, largest, frames)) {
            case Step::more:
                if (bytes_read_ >= most_bytes_per_turn) return Outcome::read;
                break;
            case Step::all:
                return Outcome::read;
            case Step::no_room:
                return Outcome::no_room;
            case Step::ended:
                return Outcome::ended;
            case Step::failed:
                return Outcome::failed;
        }
    }
}

FrameReader::Step FrameReader::step(int socket, Arrival& arrival, std::size_t largest,
                                    std::vector<sdk::Frame>& frames) {
    if (body_) return read_body(socket, frames);
    if (header_size_ == 4) {
        if (!checked(header_, largest, arrival)) return Step::failed;
        const auto size = static_cast<std::size_t>(length_in(header_));
        if (size > large_frame) {
            header_size_ = 0;
            return begin_body(arrival, size, {});
        }
    } else if (large_) {
        return read_length(socket);
    }
    return read_arrival(socket, arrival, largest, frames);
}

FrameReader::Step FrameReader::received(ssize_t count) {
    if (count > 0) {
        bytes_read_ += static_cast<std::size_t>(count);
        return Step::more;
    }
    if (count == 0) return Step::ended;
    if (errno == EAGAIN || errno == EINTR) return Step::all;
    why_ = std::string{"reading failed: "} + std::strerror(errno);
    return Step::failed;
}

FrameReader::Step FrameReader::read_length(int socket) {
    const ssize_t count = ::read(socket, header_.data() + header_size_, 4 - header_size_);
    const Step step = received(count);
    if (step == Step::more) header_size_ += static_cast<std::size_t>(count);
    if (header_size_ == 4) large_ = false;  // Decided anew by this length.
    return step;
}

// The rest of the frame, and the length of the next one.
FrameReader::Step FrameReader::read_body(int socket, std::vector<sdk::Frame>& frames) {
    const std::span<std::byte> room = body_.room(most_bytes_per_turn);
    if (room.empty()) return Step::no_room;
    const bool rest = room.size() == body_.missing();
    std::array<iovec, 2> parts{iovec{room.data(), room.size()}, iovec{header_.data(), 4}};
    const ssize_t count = ::readv(socket, parts.data(), rest ? 2 : 1);
    const Step step = received(count);
    const std::size_t size = step == Step::more ? static_cast<std::size_t>(count) : 0;
    body_.filled(std::min(size, room.size()));
    if (step != Step::more) return step;
    if (size < room.size()) return Step::all;
    if (!rest) return Step::more;
    header_size_ = size - room.size();
    large_ = body_.size() > large_frame && header_size_ != 4;
    any_ = true;
    Buffers::Block whole = body_.finish();
    frames.push_back({std::move(whole.owner), whole.bytes});
    return header_size_ == 4 ? Step::more : Step::all;
}

FrameReader::Step FrameReader::begin_body(Arrival& arrival, std::size_t size,
                                          std::span<const std::byte> begin) {
    body_ = Filling::of(arrival.buffers, size, begin);
    if (body_) return Step::more;
    why_ = "the system has no memory for a frame of " + std::to_string(size) + " bytes";
    return Step::failed;
}

FrameReader::Step FrameReader::read_arrival(int socket, Arrival& arrival, std::size_t largest,
                                            std::vector<sdk::Frame>& frames) {
    // Room for what will be read must be there before it is read.
    if (!arrival.buffers.charge(Arrival::bytes)) return Step::no_room;
    if (!arrival.block.owner) {
        arrival.block = arrival.buffers.make(Arrival::bytes);
        if (!arrival.buffers.charge(Arrival::bytes)) {
            arrival.block = {};
            return Step::no_room;
        }
    }
    const std::span<std::byte> all = arrival.block.bytes;
    const std::size_t before = header_size_;
    std::copy_n(header_.begin(), before, all.begin());
    const ssize_t count = ::read(socket, all.data() + before, all.size() - before);
    if (const Step step = received(count); step != Step::more) {
        arrival.buffers.uncharge(Arrival::bytes);
        return step;
    }
    header_size_ = 0;
    const std::size_t size = before + static_cast<std::size_t>(count);
    const Step step = take_arrival(all.first(size), arrival, largest, frames);
    return step == Step::more && size < all.size() ? Step::all : step;
}

// Parts what has arrived into frames. Arrival::bytes are charged; what is not used goes back.
FrameReader::Step FrameReader::take_arrival(std::span<std::byte> bytes, Arrival& arrival,
                                            std::size_t largest, std::vector<sdk::Frame>& frames) {
    const std::size_t first = frames.size();
    std::size_t complete = 0;
    bool sound = true;
    while (bytes.size() - complete >= 4) {
        const auto length = bytes.subspan(complete).first<4>();
        sound = checked(length, largest, arrival);
        if (!sound) break;
        const auto size = static_cast<std::size_t>(length_in(length));
        if (size > bytes.size() - complete - 4) break;
        frames.push_back({nullptr, bytes.subspan(complete + 4, size)});
        complete += 4 + size;
        large_ = size > large_frame;
        any_ = true;
    }
    const Step rest = sound ? keep_rest(arrival, bytes.subspan(complete)) : Step::failed;
    const std::span<sdk::Frame> found = std::span{frames}.subspan(first);
    if (complete >= Arrival::bytes / 2) {  // Copying so much would cost more than a new buffer.
        for (sdk::Frame& frame : found) frame.owner = arrival.block.owner;
        arrival.block = {};
        arrival.buffers.uncharge(Arrival::bytes);
        return rest;
    }
    if (complete != 0) {
        const Buffers::Block block = arrival.buffers.make(complete);
        std::copy_n(bytes.begin(), complete, block.bytes.begin());
        for (sdk::Frame& frame : found) {
            frame.owner = block.owner;
            frame.bytes = block.bytes.subspan(
                static_cast<std::size_t>(frame.bytes.data() - bytes.data()), frame.bytes.size());
        }
    }
    arrival.buffers.uncharge(Arrival::bytes - complete);
    return rest;
}

// The beginning of a frame, whose length has been checked, or of its length.
FrameReader::Step FrameReader::keep_rest(Arrival& arrival, std::span<std::byte> rest) {
    if (rest.size() < 4) {
        std::copy(rest.begin(), rest.end(), header_.begin());
        header_size_ = rest.size();
        return Step::more;
    }
    const auto size = static_cast<std::size_t>(length_in(rest.first<4>()));
    return begin_body(arrival, size, rest.subspan(4));
}

}  // namespace leat::net
