// A file system in memory that knows what would survive a power cut, fails when it is told to, and
// stops for good at the call where the process is to die.
//
// Survives a power cut: the bytes of a file as of its last sync, the names in a folder as of the
// last sync_folder of it. Strict POSIX: syncing a file does not make its name durable.
//
// Stores into a mapping are no system calls, so a process can die between any two bytes of one, and
// the device may have any of the pages that were stored into since the last sync, whatever their
// order. Here: the process dies in the middle of a call of store(), and of the pages (64 bytes, so
// that a batch has several) each one survives a power cut or not, as a seeded coin says. Not
// simulated: pages torn inside, stores that another processor sees in another order.
#pragma once

#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "file_system.h"
#include "mapping_disk.h"

namespace leat::storage_test {

enum class World { all_written_survived, only_synced_survived };

class SimulatedDisk final : public segment::FileSystem, public mmap::MappingDisk {
public:
    SimulatedDisk() : root_{std::make_shared<Node>()} { root_->folder = true; }

    // The process dies at the n-th call that changes anything, counted from now; of a write, half
    // is done. Every later call fails, as there is nobody left to make it.
    void die_at(std::uint64_t n) { die_at_ = changes_ + n; }
    bool is_dead() const { return dead_; }
    std::uint64_t changes() const { return changes_; }
    // The n-th call from now fails with this error, once.
    void fail_at(std::uint64_t n, int error) {
        fail_at_ = calls_ + n;
        fail_with_ = error;
    }
    bool has_failed() const { return fail_at_ != 0 && calls_ >= fail_at_; }
    // After the death: what the next process finds.
    void come_back(World world);

    bool read_all(int file, std::uint64_t at, std::span<std::byte> into) {
        return read(file, into, at) == static_cast<std::int64_t>(into.size());
    }
    std::vector<std::string> paths() const;
    std::size_t open_files() const { return open_.size(); }

    int open(const std::string& path, Open how) override;
    int close(int file) override;
    std::int64_t size(int file) override;
    std::int64_t write(int file, std::span<const iovec> parts, std::uint64_t at) override;
    std::int64_t read(int file, std::span<std::byte> into, std::uint64_t at) override;
    std::int64_t read_resident(int file, std::span<std::byte> into, std::uint64_t at) override {
        return read(file, into, at);
    }
    bool resident(int, std::uint64_t, std::uint64_t) override { return true; }
    int truncate(int file, std::uint64_t size) override;
    int sync(int file) override;
    int sync_folder(const std::string& path) override;
    int sync_everything(const std::string& path) override;
    void start_writeback(int, std::uint64_t, std::uint64_t) override {}
    void read_ahead(int, std::uint64_t, std::uint64_t) override {}
    int rename(const std::string& from, const std::string& to) override;
    int unlink(const std::string& path) override;
    int make_folder(const std::string& path) override;
    int remove_folder(const std::string& path) override;
    int list(const std::string& path, std::vector<std::string>& names) override;

    int fill_with_zeros(int file, std::uint64_t bytes) override;
    int map(int file, std::uint64_t bytes, std::byte*& start) override;
    void unmap(std::byte* start, std::uint64_t) override { mapped_.erase(start); }
    int store(int file, std::byte* to, std::span<const iovec> parts) override;

private:
    struct Node;
    using Names = std::map<std::string, std::shared_ptr<Node>>;
    struct Node {
        bool folder = false;
        std::vector<std::byte> bytes;
        std::vector<std::byte> durable_bytes;
        std::set<std::size_t> stored;  // Pages that were stored into since the last sync.
        Names names;
        Names durable_names;
    };

    int begin_call();                  // 0, or -errno.
    int begin_change(bool& last_one);  // The process dies in it.
    std::shared_ptr<Node> find(const std::string& path) const;
    std::shared_ptr<Node> parent_of(const std::string& path, std::string& name) const;
    void survive(Node& node, World world);
    static void make_durable(Node& node);
    static std::vector<std::byte> data_of(std::span<const iovec> parts);
    static void collect(const Node& node, const std::string& path, std::vector<std::string>& out);

    const std::shared_ptr<Node> root_;
    std::map<int, std::shared_ptr<Node>> open_;
    std::map<std::byte*, std::shared_ptr<Node>> mapped_;
    std::mt19937 coin_{1};
    int next_file_ = 1000;
    std::uint64_t calls_ = 0;
    std::uint64_t changes_ = 0;
    std::uint64_t die_at_ = 0;
    std::uint64_t fail_at_ = 0;
    int fail_with_ = 0;
    bool dead_ = false;
};

}  // namespace leat::storage_test
