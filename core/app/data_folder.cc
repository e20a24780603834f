#include "core/app/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "core/config/file_text.h"

namespace leat::app {
namespace {

constexpr std::size_t most_properties_bytes = 64 << 10;
constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// What the operator can do about it.
const char* remedy(int number) {
    switch (number) {
        case ENOSPC:
        case EDQUOT:
            return "; make room there, or name another data_dir";
        case EACCES:
        case EPERM:
        case EROFS:
            return "; let the broker's user write there, or name another data_dir";
        default:
            return "; mend that, or name another data_dir";
    }
}

sdk::Error failed(const std::string& doing, const std::filesystem::path& path, int number) {
    return {
        number == ENOSPC ? sdk::Errc::no_space : sdk::Errc::io,
        "cannot " + doing + " " + path.string() + ": " + std::strerror(number) + remedy(number)};
}
sdk::Error failed(const std::string& doing, const std::filesystem::path& path) {
    return failed(doing, path, errno);
}

std::map<std::string, std::string> read_properties(const std::filesystem::path& path) {
    std::map<std::string, std::string> properties;
    std::string text;
    const config::OpenFile file{path};
    if (file.descriptor() < 0 ||
        !config::read_up_to(file.descriptor(), most_properties_bytes, text))
        return properties;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
        end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        const auto equals = line.find('=');
        if (line.empty() || line[0] == '#' || equals == std::string::npos) continue;
        properties[line.substr(0, equals)] = line.substr(equals + 1);
    }
    return properties;
}

sdk::Status write_durably(const std::filesystem::path& path, const std::string& text) {
    const std::filesystem::path next = path.string() + ".tmp";
    const int file = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return failed("write", next);
    const bool written =
        ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const bool synced = written && ::fsync(file) == 0;
    const int number = errno;
    ::close(file);
    if (!synced) return failed("write", path, number);
    if (::rename(next.c_str(), path.c_str()) != 0) return failed("write", path);
    const int folder = ::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return failed("open", path.parent_path());
    const bool folder_synced = ::fsync(folder) == 0;
    ::close(folder);
    if (!folder_synced) return failed("sync", path.parent_path());
    return {};
}

}  // namespace

sdk::Uuid random_uuid() {
    sdk::Uuid uuid;
    while (::getrandom(uuid.bytes.data(), uuid.bytes.size(), 0) !=
           static_cast<ssize_t>(uuid.bytes.size())) {
    }
    uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0f) | 0x40);
    uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3f) | 0x80);
    return uuid;
}

std::string to_text(const sdk::Uuid& uuid) {
    std::string text;
    std::uint32_t bits = 0;
    int have = 0;
    for (const std::uint8_t byte : uuid.bytes) {
        bits = (bits << 8) | byte;
        for (have += 8; have >= 6; have -= 6) text += alphabet[(bits >> (have - 6)) & 63];
    }
    text += alphabet[(bits << (6 - have)) & 63];
    return text;
}

bool from_text(const std::string& text, sdk::Uuid& uuid) {
    if (text.size() != 22) return false;
    std::uint32_t bits = 0;
    int have = 0;
    std::size_t next = 0;
    for (const char character : text) {
        const auto value = alphabet.find(character);
        if (value == std::string_view::npos) return false;
        bits = (bits << 6) | static_cast<std::uint32_t>(value);
        have += 6;
        if (have >= 8 && next < uuid.bytes.size()) {
            have -= 8;
            uuid.bytes[next++] = static_cast<std::uint8_t>(bits >> have);
        }
    }
    return next == uuid.bytes.size();
}

sdk::Result<DataFolder> DataFolder::open(const std::filesystem::path& path, sdk::NodeId node,
                                         const std::string& cluster_id) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return failed("make the data folder", path, error.value());
    const auto lock_path = path / ".lock";
    const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) return failed("open", lock_path);
    DataFolder folder{path, lock};
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
        return sdk::Error{sdk::Errc::unavailable,
                          "the data folder " + path.string() +
                              " is in use by another broker: stop it, or name another data_dir"};
    }
    if (const auto status = folder.load(node, cluster_id); !status) return status.error();
    return folder;
}

DataFolder::DataFolder(DataFolder&& other) noexcept
    : path_{std::move(other.path_)},
      lock_{std::exchange(other.lock_, -1)},
      meta_{std::move(other.meta_)} {}

DataFolder::~DataFolder() {
    if (lock_ >= 0) ::close(lock_);
}

sdk::Status DataFolder::load(sdk::NodeId node, const std::string& cluster_id) {
    const auto path = path_ / "meta.properties";
    if (!std::filesystem::exists(path)) {
        meta_ = {cluster_id, node, random_uuid()};
        return store();
    }
    auto properties = read_properties(path);
    if (properties["node.id"].empty()) {
        return sdk::Error{sdk::Errc::corrupt, path.string() +
                                                  " has no node.id: restore the file from a "
                                                  "backup, or name another data_dir"};
    }
    if (properties["node.id"] != std::to_string(node.value)) {
        return sdk::Error{sdk::Errc::invalid_argument,
                          "the data folder " + path_.string() + " belongs to node " +
                              properties["node.id"] + ", not " + std::to_string(node.value) +
                              ": set node_id, or name another data_dir"};
    }
    if (!cluster_id.empty() && !properties["cluster.id"].empty() &&
        properties["cluster.id"] != cluster_id) {
        return sdk::Error{sdk::Errc::invalid_argument,
                          "the data folder " + path_.string() + " belongs to cluster " +
                              properties["cluster.id"] + ", not " + cluster_id +
                              ": set cluster_id, or name another data_dir"};
    }
    meta_.node_id = node;
    meta_.cluster_id = properties["cluster.id"];
    if (!from_text(properties["directory.id"], meta_.directory_id)) {
        return sdk::Error{sdk::Errc::corrupt, path.string() +
                                                  " has no directory.id of 22 letters: "
                                                  "restore the file from a backup"};
    }
    return {};
}

sdk::Status DataFolder::write_cluster_id(const std::string& cluster_id) {
    if (meta_.cluster_id == cluster_id) return {};
    meta_.cluster_id = cluster_id;
    return store();
}

sdk::Status DataFolder::store() const {
    return write_durably(path_ / "meta.properties",
                         "version=1\ncluster.id=" + meta_.cluster_id +
                             "\nnode.id=" + std::to_string(meta_.node_id.value) +
                             "\ndirectory.id=" + to_text(meta_.directory_id) + "\n");
}

}  // namespace leat::app
