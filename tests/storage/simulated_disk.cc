#include "tests/storage/simulated_disk.h"

#include <algorithm>
#include <cstring>

#include "leat/sdk/ensure.h"

namespace leat::storage_test {
namespace {

constexpr std::size_t page = 64;
// A mapped file may grow by plain writes, and must not move while it does.
constexpr std::size_t room_behind_mapping = 256 * 1024;

}  // namespace

int SimulatedDisk::begin_call() {
    if (dead_) return -EIO;
    return ++calls_ == fail_at_ ? -fail_with_ : 0;
}

int SimulatedDisk::begin_change(bool& last_one) {
    if (const int error = begin_call(); error < 0) return error;
    last_one = ++changes_ == die_at_;
    dead_ = last_one;
    return 0;
}

std::shared_ptr<SimulatedDisk::Node> SimulatedDisk::find(const std::string& path) const {
    std::shared_ptr<Node> node = root_;
    std::size_t at = 1;
    while (node != nullptr && at < path.size()) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const auto found = node->names.find(path.substr(at, end - at));
        node = found == node->names.end() ? nullptr : found->second;
        at = end + 1;
    }
    return node;
}

std::shared_ptr<SimulatedDisk::Node> SimulatedDisk::parent_of(const std::string& path,
                                                              std::string& name) const {
    const std::size_t slash = path.rfind('/');
    name = path.substr(slash + 1);
    return find(path.substr(0, slash));
}

int SimulatedDisk::open(const std::string& path, Open how) {
    std::shared_ptr<Node> node = find(path);
    if (how == Open::fresh) {
        bool last_one = false;
        if (const int error = begin_change(last_one); error < 0) return error;
        std::string name;
        const auto parent = parent_of(path, name);
        if (parent == nullptr) return -ENOENT;
        if (node == nullptr) node = parent->names[name] = std::make_shared<Node>();
        node->bytes.clear();
        if (last_one) return -EIO;
    } else {
        if (const int error = begin_call(); error < 0) return error;
        if (node == nullptr) return -ENOENT;
    }
    open_.emplace(++next_file_, std::move(node));
    return next_file_;
}

int SimulatedDisk::close(int file) {
    return open_.erase(file) == 1 ? 0 : -EBADF;
}

std::int64_t SimulatedDisk::size(int file) {
    if (const int error = begin_call(); error < 0) return error;
    return static_cast<std::int64_t>(open_.at(file)->bytes.size());
}

std::int64_t SimulatedDisk::write(int file, std::span<const iovec> parts, std::uint64_t at) {
    bool last_one = false;
    if (const int error = begin_change(last_one); error < 0) return error;
    std::vector<std::byte> data = data_of(parts);
    // Now and then a short write, so that the loops around it are walked.
    if (last_one || (data.size() > 100 && changes_ % 5 == 0)) data.resize(data.size() / 2);
    auto& bytes = open_.at(file)->bytes;
    sdk::ensure(!mapped_.contains(bytes.data()) || at + data.size() <= bytes.capacity(),
                "a mapped file does not move");
    bytes.resize(std::max<std::size_t>(bytes.size(), at + data.size()));
    std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    return last_one ? -EIO : static_cast<std::int64_t>(data.size());
}

std::vector<std::byte> SimulatedDisk::data_of(std::span<const iovec> parts) {
    std::vector<std::byte> data;
    for (const iovec& part : parts) {
        const auto* from = static_cast<const std::byte*>(part.iov_base);
        data.insert(data.end(), from, from + part.iov_len);
    }
    return data;
}

int SimulatedDisk::fill_with_zeros(int file, std::uint64_t bytes) {
    bool last_one = false;
    if (const int error = begin_change(last_one); error < 0) return error;
    Node& node = *open_.at(file);
    node.bytes.resize(bytes);
    std::fill_n(node.bytes.begin(), last_one ? bytes / 2 : bytes, std::byte{0});
    if (last_one) return -EIO;
    node.durable_bytes = node.bytes;
    return 0;
}

int SimulatedDisk::map(int file, std::uint64_t bytes, std::byte*& start) {
    if (const int error = begin_call(); error < 0) return error;
    const auto& node = open_.at(file);
    node->bytes.reserve(bytes + room_behind_mapping);
    start = node->bytes.data();
    mapped_[start] = node;
    return 0;
}

int SimulatedDisk::store(int file, std::byte* to, std::span<const iovec> parts) {
    bool last_one = false;
    std::vector<std::byte> data = data_of(parts);
    const int error = begin_change(last_one);
    if (dead_ && !last_one) return -EIO;
    if (error < 0 || last_one) data.resize(data.size() / 2);
    Node& node = *open_.at(file);
    const auto at = static_cast<std::size_t>(to - node.bytes.data());
    sdk::ensure(at + data.size() <= node.bytes.size(), "a store lies inside the file");
    std::copy(data.begin(), data.end(), to);
    for (std::size_t byte = at; byte < at + data.size(); ++byte) node.stored.insert(byte / page);
    return error < 0 || last_one ? -EIO : 0;
}

std::int64_t SimulatedDisk::read(int file, std::span<std::byte> into, std::uint64_t at) {
    if (const int error = begin_call(); error < 0) return error;
    const auto& bytes = open_.at(file)->bytes;
    if (at >= bytes.size()) return 0;
    const std::size_t size = std::min<std::size_t>(into.size(), bytes.size() - at);
    std::memcpy(into.data(), bytes.data() + at, size);
    return static_cast<std::int64_t>(size);
}

int SimulatedDisk::truncate(int file, std::uint64_t size) {
    bool last_one = false;
    if (const int error = begin_change(last_one); error < 0) return error;
    open_.at(file)->bytes.resize(size);
    return last_one ? -EIO : 0;
}

int SimulatedDisk::sync(int file) {
    bool last_one = false;
    if (const int error = begin_change(last_one); error < 0) return error;
    if (last_one) return -EIO;
    open_.at(file)->durable_bytes = open_.at(file)->bytes;
    open_.at(file)->stored.clear();
    return 0;
}

int SimulatedDisk::sync_folder(const std::string& path) {
    bool last_one = false;
    if (const int error = begin_change(last_one); error < 0) return error;
    const auto node = find(path);
    if (node == nullptr) return -ENOENT;
    if (last_one) return -EIO;
    node->durable_names = node->names;
    return 0;
}

int SimulatedDisk::sync_everything(const std::string&) {
    bool last_one = false;
    if (const int error = begin_change(last_one); error < 0) return error;
    if (last_one) return -EIO;
    make_durable(*root_);
    return 0;
}

int SimulatedDisk::rename(const std::string& from, const std::string& to) {
    bool last_one = false;
    if (const int error = begin_change(last_one); error < 0) return error;
    std::string old_name;
    std::string new_name;
    const auto old_parent = parent_of(from, old_name);
    const auto new_parent = parent_of(to, new_name);
    if (old_parent == nullptr || new_parent == nullptr || !old_parent->names.contains(old_name)) {
        return -ENOENT;
    }
    const auto there = new_parent->names.find(new_name);
    if (there != new_parent->names.end() && !there->second->names.empty()) return -ENOTEMPTY;
    new_parent->names[new_name] = old_parent->names[old_name];
    old_parent->names.erase(old_name);
    return last_one ? -EIO : 0;
}

int SimulatedDisk::unlink(const std::string& path) {
    bool last_one = false;
    if (const int error = begin_change(last_one); error < 0) return error;
    std::string name;
    const auto parent = parent_of(path, name);
    if (parent == nullptr || parent->names.erase(name) == 0) return -ENOENT;
    return last_one ? -EIO : 0;
}

int SimulatedDisk::make_folder(const std::string& path) {
    bool last_one = false;
    if (const int error = begin_change(last_one); error < 0) return error;
    std::string name;
    const auto parent = parent_of(path, name);
    if (parent == nullptr) return -ENOENT;
    if (parent->names.contains(name)) return -EEXIST;
    auto node = std::make_shared<Node>();
    node->folder = true;
    parent->names[name] = std::move(node);
    return last_one ? -EIO : 0;
}

int SimulatedDisk::remove_folder(const std::string& path) {
    const auto node = find(path);
    if (node != nullptr && !node->names.empty()) return -ENOTEMPTY;
    return unlink(path);
}

int SimulatedDisk::list(const std::string& path, std::vector<std::string>& names) {
    if (const int error = begin_call(); error < 0) return error;
    const auto node = find(path);
    if (node == nullptr) return -ENOENT;
    for (const auto& [name, child] : node->names) names.push_back(name);
    return 0;
}

void SimulatedDisk::come_back(World world) {
    survive(*root_, world);
    open_.clear();
    die_at_ = fail_at_ = 0;
    dead_ = false;
}

void SimulatedDisk::survive(Node& node, World world) {
    if (world == World::only_synced_survived) {
        for (const std::size_t stored : node.stored) {
            const std::size_t from = stored * page;
            const std::size_t to =
                std::min({from + page, node.bytes.size(), node.durable_bytes.size()});
            if (coin_() % 2 == 0) continue;
            for (std::size_t i = from; i < to; ++i) node.durable_bytes[i] = node.bytes[i];
        }
        node.bytes = node.durable_bytes;
        node.names = node.durable_names;
    }
    node.stored.clear();
    node.durable_bytes = node.bytes;
    node.durable_names = node.names;
    for (auto& [name, child] : node.names) survive(*child, world);
}

void SimulatedDisk::make_durable(Node& node) {
    node.stored.clear();
    node.durable_bytes = node.bytes;
    node.durable_names = node.names;
    for (auto& [name, child] : node.names) make_durable(*child);
}

void SimulatedDisk::collect(const Node& node, const std::string& path,
                            std::vector<std::string>& out) {
    for (const auto& [name, child] : node.names) {
        const std::string below = path + "/" + name;
        out.push_back(below);
        collect(*child, below, out);
    }
}

std::vector<std::string> SimulatedDisk::paths() const {
    std::vector<std::string> out;
    collect(*root_, "", out);
    return out;
}

}  // namespace leat::storage_test
