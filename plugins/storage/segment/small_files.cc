#include "small_files.h"

#include <algorithm>

#include "open_files.h"

namespace leat::segment {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

struct Closer {
    FileSystem& system;
    int file;
    ~Closer() { system.close(file); }
};

std::int64_t write_all(FileSystem& system, int file, std::span<const std::byte> bytes) {
    std::uint64_t at = 0;
    while (at < bytes.size()) {
        const auto rest = bytes.subspan(at);
        const iovec part{const_cast<std::byte*>(rest.data()), rest.size()};
        const std::int64_t wrote = system.write(file, {&part, 1}, at);
        if (wrote < 0) return wrote;
        at += static_cast<std::uint64_t>(wrote);
    }
    return 0;
}

}  // namespace

sdk::Result<std::vector<std::byte>> read_small_file(FileSystem& system, const std::string& path) {
    const int file = system.open(path, FileSystem::Open::existing);
    if (file < 0) return failure(file, "open", path);
    const Closer closer{system, file};
    const std::int64_t size = system.size(file);
    if (size < 0) return failure(size, "read", path);
    if (static_cast<std::uint64_t>(size) > most_small_file_bytes) {
        return sdk::Error{sdk::Errc::limit, path + " is larger than such a file can be"};
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const std::int64_t got = system.read(file, std::span{bytes}.subspan(filled), filled);
        if (got < 0) return failure(got, "read", path);
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
}

sdk::Status write_small_file(FileSystem& system, const std::string& path,
                             std::span<const std::byte> bytes) {
    const int file = system.open(path, FileSystem::Open::fresh);
    if (file < 0) return failure(file, "create", path);
    const Closer closer{system, file};
    if (const auto error = write_all(system, file, bytes); error < 0) {
        return failure(error, "write", path);
    }
    return {};
}

sdk::Status replace_small_file(FileSystem& system, const std::string& folder, std::string_view name,
                               std::span<const std::byte> bytes) {
    const std::string path = folder + "/" + std::string{name};
    const std::string temporary = path + std::string{unfinished};
    {
        const int file = system.open(temporary, FileSystem::Open::fresh);
        if (file < 0) return failure(file, "create", temporary);
        const Closer closer{system, file};
        std::int64_t error = write_all(system, file, bytes);
        if (error == 0) error = system.sync(file);
        if (error < 0) {
            system.unlink(temporary);
            return failure(error, "write", temporary);
        }
    }
    if (const int error = system.rename(temporary, path); error < 0) {
        return failure(error, "rename", temporary);
    }
    if (const int error = system.sync_folder(folder); error < 0) {
        return failure(error, "sync", folder);
    }
    return {};
}

std::string to_text(const sdk::Uuid& id) {
    std::string text;
    std::uint32_t bits = 0;
    int held = 0;
    for (const std::uint8_t byte : id.bytes) {
        bits = bits << 8 | byte;
        for (held += 8; held >= 6; held -= 6) text += digits[(bits >> (held - 6)) & 63];
    }
    text += digits[(bits << (6 - held)) & 63];
    return text;
}

bool from_text(std::string_view text, sdk::Uuid& id) {
    if (text.size() != 22) return false;
    std::uint32_t bits = 0;
    int held = 0;
    std::size_t filled = 0;
    for (const char c : text) {
        const std::size_t digit = digits.find(c);
        if (digit == std::string_view::npos) return false;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        id.bytes[filled++] = static_cast<std::uint8_t>(bits >> held);
    }
    return true;
}

std::string to_hex(const sdk::Uuid& id) {
    std::string text;
    for (const std::uint8_t byte : id.bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::string metadata_text(const sdk::Uuid& topic_id) {
    return "version: 0\ntopic_id: " + to_text(topic_id);
}

sdk::Uuid topic_id_in(std::string_view metadata) {
    constexpr std::string_view label = "topic_id: ";
    const std::size_t at = metadata.find(label);
    sdk::Uuid id;
    if (at == std::string_view::npos) return {};
    if (!from_text(metadata.substr(at + label.size(), 22), id)) return {};
    return id;
}

}  // namespace leat::segment
