#include "partition_folder.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>

namespace sealed {

using leat::sdk::Errc;
using leat::sdk::Error;
using leat::sdk::Offset;
using leat::sdk::PartitionId;
using leat::sdk::Result;
using leat::sdk::Status;

namespace {

constexpr std::uint64_t slot_bytes = 4096;  // `begin` has two, written in turns.
constexpr const char* side = "side";
constexpr const char* identity = "partition";

std::string name_of(const PartitionId& id) {
    std::string name;
    for (const std::uint8_t byte : id.topic_id.bytes) {
        name += "0123456789abcdef"[byte >> 4];
        name += "0123456789abcdef"[byte & 15];
    }
    return name + "-" + std::to_string(id.index);
}

Status refused(std::string_view name) {
    if (!name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos)
        return {};
    return Error{Errc::invalid_argument, "\"" + std::string{name} + "\" names no side file"};
}

}  // namespace

PartitionFolder::PartitionFolder(std::shared_ptr<const MasterKey> key, const Path& home,
                                 const PartitionId& id)
    : key_{std::move(key)}, id_{id}, name_{name_of(id)}, path_{home / name_} {}

bool PartitionFolder::exists() const {
    return std::filesystem::exists(path_ / identity);
}

std::string PartitionFolder::said(const Path& file) const {
    return name_ + "/" + file.lexically_relative(path_).string();
}

Status PartitionFolder::keep(const Path& file, std::string_view text) {
    const auto bytes = seal_text(*key_, said(file), text);
    if (!bytes) return bytes.error();
    return replace(file, *bytes);
}

// What has no file that names it was left by a crash, while it was made or removed.
Status PartitionFolder::make() {
    if (exists()) return {};
    std::error_code failure;
    std::filesystem::remove_all(path_, failure);
    std::filesystem::create_directories(path_ / side, failure);
    if (failure) {
        const bool full = failure == std::errc::no_space_on_device;
        return Error{full ? Errc::no_space : Errc::io,
                     path_.string() + " cannot be made: " + failure.message()};
    }
    begin_version_ = 0;
    const std::string room(2 * slot_bytes, '\0');
    if (auto done = replace(path_ / "begin", room); !done) return done;
    if (auto done = keep_begin({0}); !done) return done;
    const std::string text = std::to_string(id_.index) + " " + id_.topic;
    if (auto done = keep(path_ / identity, text); !done) return done;
    return sync_folder(path_.parent_path());
}

Status PartitionFolder::check() const {
    const auto id = read_id(*key_, path_);
    if (!id) return id.error();
    if (!(*id == id_)) return Error{Errc::corrupt, path_.string() + " names another partition"};
    return {};
}

Result<PartitionId> PartitionFolder::read_id(const MasterKey& key, const Path& folder) {
    const auto bytes = read_whole(folder / identity);
    if (!bytes) return bytes.error();
    const std::string name = folder.filename().string();
    const auto text = open_text(key, name + "/" + identity, *bytes);
    const auto space = text ? text->find(' ') : std::string::npos;
    if (space == std::string::npos || name.size() < 34)
        return Error{Errc::corrupt, (folder / identity).string() + " is not what was written"};
    PartitionId id{.topic_id = {},
                   .topic = text->substr(space + 1),
                   .index = std::stoi(text->substr(0, space))};
    for (std::size_t i = 0; i < id.topic_id.bytes.size(); ++i)
        id.topic_id.bytes[i] =
            static_cast<std::uint8_t>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
    return id;
}

Result<Offset> PartitionFolder::begin() const {
    const auto bytes = read_whole(path_ / "begin");
    if (!bytes) return bytes.error();
    Offset begin{-1};
    const std::size_t sealed = sizeof(Salt) + tag_bytes + 16;
    for (const std::size_t slot : {std::size_t{0}, std::size_t{slot_bytes}}) {
        if (bytes->size() < slot + sealed) continue;
        const auto text =
            open_text(*key_, said(path_ / "begin"), std::string_view{*bytes}.substr(slot, sealed));
        if (!text) continue;  // A write that a crash cut, or the one before the first.
        std::uint64_t version = 0;
        std::memcpy(&version, text->data(), 8);
        if (version < begin_version_) continue;
        begin_version_ = version;
        std::memcpy(&begin.value, text->data() + 8, 8);
    }
    if (begin.value < 0)
        return Error{Errc::corrupt, (path_ / "begin").string() + " is not what was written"};
    return begin;
}

Status PartitionFolder::keep_begin(Offset begin) {
    std::string text(16, '\0');
    const std::uint64_t version = begin_version_ + 1;
    std::memcpy(text.data(), &version, 8);
    std::memcpy(text.data() + 8, &begin.value, 8);
    const Path file = path_ / "begin";
    const auto bytes = seal_text(*key_, said(file), text);
    if (!bytes) return bytes.error();
    const auto opened = Descriptor::open(file, O_WRONLY);
    if (!opened) return opened.error();
    auto done =
        write_at(opened->get(), file, version % 2 * slot_bytes, std::as_bytes(std::span{*bytes}));
    if (done) done = sync(opened->get(), file);
    if (done) begin_version_ = version;
    return done;
}

Status PartitionFolder::remove() {
    if (auto done = remove_file(path_ / identity); !done) return done;
    std::error_code failure;
    std::filesystem::remove_all(path_, failure);
    if (failure)
        return Error{Errc::io, path_.string() + " cannot be removed: " + failure.message()};
    return sync_folder(path_.parent_path());
}

Result<std::vector<Path>> PartitionFolder::extents() const {
    std::vector<Path> found;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator{path_, failure})
        if (entry.path().extension() == ".sealed") found.push_back(entry.path());
    if (failure) return Error{Errc::io, path_.string() + ": " + failure.message()};
    std::ranges::sort(found);
    return found;
}

Status PartitionFolder::write(std::string_view name, std::span<const std::byte> bytes) {
    if (auto good = refused(name); !good) return good;
    if (auto done = make(); !done) return done;
    return keep(path_ / side / name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<std::vector<std::byte>> PartitionFolder::read(std::string_view name) {
    if (auto good = refused(name); !good) return good.error();
    const Path file = path_ / side / name;
    const auto bytes = read_whole(file);
    if (!bytes) return bytes.error();
    const auto text = open_text(*key_, said(file), *bytes);
    if (!text) return Error{Errc::corrupt, file.string() + " is not what was written"};
    const auto plain = std::as_bytes(std::span{*text});
    return std::vector<std::byte>{plain.begin(), plain.end()};
}

Status PartitionFolder::remove(std::string_view name) {
    if (auto good = refused(name); !good) return good;
    return remove_file(path_ / side / name);
}

Result<std::vector<std::string>> PartitionFolder::list() {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator{path_ / side, none})
        if (entry.path().extension() != ".new") names.push_back(entry.path().filename().string());
    return names;
}

}  // namespace sealed
