#include "extent.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace sealed {

using leat::sdk::Errc;
using leat::sdk::Error;
using leat::sdk::Result;
using leat::sdk::Status;

namespace {

constexpr std::uint64_t magic = 0x3164656c6165536cull;  // "lSealed1"
constexpr std::uint32_t batch_kind = 0x68637442, mark_kind = 0x6b72614d;
constexpr std::size_t said_bytes = head_bytes - tag_bytes;
constexpr std::size_t salt_at = 32, header_tag_at = 64;

template <class Number>
void put(std::byte* at, Number number) {
    std::memcpy(at, &number, sizeof number);
}
template <class Number>
Number get(const std::byte* at) {
    Number number;
    std::memcpy(&number, at, sizeof number);
    return number;
}

std::string name_of(Offset base) {
    std::string digits = std::to_string(base.value);
    return std::string(20 - digits.size(), '0') + digits + ".sealed";
}

std::string said_of_header(const std::string& partition, const std::byte* header) {
    return partition + std::string{reinterpret_cast<const char*>(header), salt_at};
}

// What head and file say of a frame; nothing if it cannot be one.
std::optional<Frame> frame_in(const std::byte* head, std::uint64_t position, std::uint64_t size) {
    const auto kind = get<std::uint32_t>(head);
    Frame frame{.base = {get<std::int64_t>(head + 8)},
                .next = {get<std::int64_t>(head + 16)},
                .max_timestamp = {get<std::int64_t>(head + 24)},
                .position = position,
                .size = get<std::uint32_t>(head + 4)};
    const bool known = kind == batch_kind ? frame.size > 0 : kind == mark_kind && frame.size == 0;
    if (!known || position + head_bytes + frame.size > size) return std::nullopt;
    return frame;
}

}  // namespace

Extent::Extent(std::shared_ptr<Shared> shared, Path at, std::string of, const Salt& salt)
    : path{std::move(at)},
      partition{std::move(of)},
      number{++shared->last_number},
      shared_{std::move(shared)},
      salt_{salt},
      cipher_{*shared_->key, salt} {}

Extent::~Extent() {
    release();
}

std::string Extent::said(const std::byte* head) const {
    return partition + path.filename().string() +
           std::string{reinterpret_cast<const char*>(head), said_bytes};
}

Result<std::shared_ptr<Extent>> Extent::create(std::shared_ptr<Shared> shared, const Path& folder,
                                               std::string partition, Offset base, Offset follows,
                                               Offset synced) {
    const auto salt = new_salt();
    if (!salt) return salt.error();
    std::array<std::byte, header_bytes> header{};
    put(header.data(), magic);
    put(header.data() + 8, base.value);
    put(header.data() + 16, follows.value);
    put(header.data() + 24, synced.value);
    std::memcpy(header.data() + salt_at, salt->data(), salt->size());
    auto extent = std::make_shared<Extent>(shared, folder / name_of(base), partition, *salt);
    const std::string about = said_of_header(partition, header.data());
    if (auto done = extent->cipher_.seal(0, std::as_bytes(std::span{about}), {}, nullptr,
                                         header.data() + header_tag_at);
        !done)
        return done.error();
    auto file = Descriptor::open(extent->path, O_RDWR | O_CREAT | O_EXCL);
    if (!file) return file.error();
    if (auto done = write_at(file->get(), extent->path, 0, header); !done) {
        ::unlink(extent->path.c_str());
        return done.error();
    }
    if (shared->writers.fetch_add(1) < most_writers)
        extent->writer_ = std::move(*file);
    else
        --shared->writers;
    extent->end = header_bytes;
    extent->closed = false;
    extent->dirty = true;
    return extent;
}

Status Extent::write(std::uint64_t position, std::span<const std::byte> bytes) {
    if (writer_) return write_at(writer_->get(), path, position, bytes);
    const auto file = Descriptor::open(path, O_WRONLY);
    if (!file) return file.error();
    return write_at(file->get(), path, position, bytes);
}

void Extent::put_frame(std::vector<std::byte>& out, std::uint32_t kind, const Frame& frame,
                       std::span<const std::byte> bytes) {
    const std::size_t at = out.size();
    out.resize(at + head_bytes + bytes.size());
    std::byte* const head = out.data() + at;
    put(head, kind);
    put(head + 4, frame.size);
    put(head + 8, frame.base.value);
    put(head + 16, frame.next.value);
    put(head + 24, frame.max_timestamp.value);
    const std::string about = said(head);
    const Status done = cipher_.seal(frame.position, std::as_bytes(std::span{about}), bytes,
                                     head + head_bytes, head + said_bytes);
    leat::sdk::ensure(done.has_value(), "OpenSSL seals what it is given");
}

Status Extent::append(std::span<const leat::sdk::StampedBatch> batches) {
    std::vector<std::byte> out;
    std::vector<Frame> added;
    for (const auto& [base, next, max_timestamp, bytes] : batches) {
        added.push_back({base, next, max_timestamp, end + out.size(),
                         static_cast<std::uint32_t>(bytes.size())});
        put_frame(out, batch_kind, added.back(), bytes);
    }
    dirty = true;
    if (auto done = write(end, out); !done) {
        // Some of it may be there: those positions are spent.
        closed = true;
        if (::truncate(path.c_str(), static_cast<off_t>(end)) != 0)
            return failed("cannot be cut", path);
        return done;
    }
    frames.insert(frames.end(), added.begin(), added.end());
    end += out.size();
    return {};
}

void Extent::mark(Offset synced) {
    if (closed) return;
    std::vector<std::byte> out;
    put_frame(out, mark_kind, {.base = synced, .next = synced, .position = end}, {});
    if (write(end, out)) {
        end += out.size();
    } else {
        closed = true;
        static_cast<void>(::truncate(path.c_str(), static_cast<off_t>(end)));
    }
}

Status Extent::sync() {
    if (writer_) return sealed::sync(writer_->get(), path);
    const auto file = Descriptor::open(path, O_WRONLY);
    return file ? sealed::sync(file->get(), path) : file.error();
}

void Extent::release() {
    if (writer_) --shared_->writers;
    writer_.reset();
}

Status Extent::cut(std::size_t kept) {
    closed = true;
    if (kept < frames.size()) {
        end = frames[kept].position;
        frames.resize(kept);
    }
    if (::truncate(path.c_str(), static_cast<off_t>(end)) != 0)
        return failed("cannot be cut", path);
    return sync();
}

Result<std::shared_ptr<const std::vector<std::byte>>> Extent::read(const Frame& frame) const {
    const auto file = Descriptor::open(path, O_RDONLY);
    if (!file) return file.error();
    std::vector<std::byte> stored(head_bytes + frame.size);
    const auto got = read_at(file->get(), path, frame.position, stored);
    if (!got) return got.error();
    auto batch = std::make_shared<std::vector<std::byte>>(frame.size);
    FileCipher cipher{*shared_->key, salt_};
    const std::string about = said(stored.data());
    if (*got != stored.size() ||
        !cipher.open(frame.position, std::as_bytes(std::span{about}),
                     Bytes{stored}.subspan(head_bytes), stored.data() + said_bytes, batch->data()))
        return Error{Errc::corrupt, path.string() + " is not what was written at byte " +
                                        std::to_string(frame.position)};
    return std::shared_ptr<const std::vector<std::byte>>{std::move(batch)};
}

// Behind damage: what marks say that can still be told to be good.
Offset Extent::highest_mark(Extent& extent, std::uint64_t from, Offset known) {
    const auto bytes = read_whole(extent.path);
    if (!bytes) return known;
    std::string kind(4, '\0');
    std::memcpy(kind.data(), &mark_kind, 4);
    for (auto at = bytes->find(kind, from); at != bytes->npos; at = bytes->find(kind, at + 1)) {
        if (at + head_bytes > bytes->size()) break;
        const auto* const head = reinterpret_cast<const std::byte*>(bytes->data() + at);
        const std::string about = extent.said(head);
        if (extent.cipher_.open(at, std::as_bytes(std::span{about}), {}, head + said_bytes,
                                nullptr))
            known = std::max(known, Offset{get<std::int64_t>(head + 16)});
    }
    return known;
}

Result<Extent::Walked> Extent::walk(std::shared_ptr<Shared> shared, const Path& path,
                                    std::string partition) {
    const auto file = Descriptor::open(path, O_RDONLY);
    if (!file) return file.error();
    const std::uint64_t size = std::filesystem::file_size(path);
    std::array<std::byte, header_bytes> header{};
    const auto got = read_at(file->get(), path, 0, header);
    if (!got) return got.error();
    if (*got < header_bytes ||
        std::ranges::all_of(header, [](std::byte each) { return each == std::byte{0}; }))
        return Walked{};
    Salt salt;
    std::memcpy(salt.data(), header.data() + salt_at, salt.size());
    auto extent = std::make_shared<Extent>(std::move(shared), path, std::move(partition), salt);
    const std::string about = said_of_header(extent->partition, header.data());
    if (get<std::uint64_t>(header.data()) != magic ||
        path.filename() != name_of({get<std::int64_t>(header.data() + 8)}) ||
        !extent->cipher_.open(0, std::as_bytes(std::span{about}), {}, header.data() + header_tag_at,
                              nullptr))
        return Error{Errc::corrupt, path.string() + " is not what was written in its header"};
    Walked walked{.extent = extent,
                  .follows = {get<std::int64_t>(header.data() + 16)},
                  .synced = {get<std::int64_t>(header.data() + 24)}};
    std::vector<std::byte> stored, text;
    extent->end = header_bytes;
    while (extent->end < size) {
        std::array<std::byte, head_bytes> head{};
        const auto some = read_at(file->get(), path, extent->end, head);
        if (!some) return some.error();
        const auto frame =
            *some == head_bytes ? frame_in(head.data(), extent->end, size) : std::nullopt;
        if (!frame) break;
        stored.resize(frame->size);
        text.resize(frame->size);
        const auto rest = read_at(file->get(), path, extent->end + head_bytes, stored);
        if (!rest) return rest.error();
        const std::string said = extent->said(head.data());
        if (!extent->cipher_.open(frame->position, std::as_bytes(std::span{said}), stored,
                                  head.data() + said_bytes, text.data()))
            break;
        if (frame->size > 0)
            extent->frames.push_back(*frame);
        else
            walked.synced = std::max(walked.synced, frame->next);
        extent->end += head_bytes + frame->size;
    }
    walked.whole = extent->end == size;
    if (!walked.whole) walked.synced = highest_mark(*extent, extent->end, walked.synced);
    return walked;
}

}  // namespace sealed
