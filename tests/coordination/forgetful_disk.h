// A disk in memory for the local backend's journal. It counts system calls, crashes or fails at a
// chosen one, and afterwards holds what a real one might: all that was written, only what was
// synced, or any mixture of both in blocks of 512 bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/coordination/local/files.h"

namespace leat::local {

struct Inode {
    std::string now;
    std::string synced;
};
using Names = std::map<std::string, std::shared_ptr<Inode>>;  // A file may have lost its name.

enum class World { all_written, only_synced, mixture };
enum class Call { open, create, lock, read, write, cut, sync, rename, remove, sync_folder };

class ForgetfulDisk {
public:
    // The call with this number (from 1) is done half, and none after it at all.
    void crash_at(std::uint64_t call) { crash_at_ = call; }
    // The call with this number fails, once, after its first half was done.
    void fail_at(std::uint64_t call, sdk::Errc code) {
        fail_at_ = call;
        fail_code_ = code;
    }
    std::uint64_t calls() const { return calls_; }
    bool crashed() const { return crashed_; }
    std::optional<Call> failed() const { return failed_; }

    // The machine starts again; whoever used the disk is gone.
    void reboot(World world, std::uint64_t seed = 1) {
        std::mt19937_64 random{seed};
        if (world == World::only_synced) names_ = synced_names_;
        if (world == World::mixture) names_ = mixed_names(random);
        for (auto& [name, inode] : names_) {
            if (world == World::only_synced) inode->now = inode->synced;
            if (world == World::mixture) inode->now = mixed(*inode, random);
            inode->synced = inode->now;
        }
        synced_names_ = names_;
        restart();
    }
    // Only the process ends: what was written is still in the page cache, synced or not.
    void restart() {
        locked_.clear();
        calls_ = crash_at_ = fail_at_ = 0;
        crashed_ = false;
        failed_.reset();
    }

    // Nothing if there is no such file.
    std::string* contents(const std::string& name) {
        const auto found = names_.find(name);
        return found == names_.end() ? nullptr : &found->second->now;
    }
    void forget(const std::string& name) { names_.erase(name); }

    std::unique_ptr<Files> files();

private:
    friend class ForgetfulFile;
    friend class ForgetfulFiles;

    enum class Fate { done, half, nothing };

    Fate next(Call call) {
        if (crashed_) return Fate::nothing;
        ++calls_;
        if (calls_ == crash_at_) {
            crashed_ = true;
            return Fate::half;
        }
        if (calls_ != fail_at_) return Fate::done;
        failed_ = call;
        return Fate::half;
    }
    sdk::Error error() const {
        return {crashed_ ? sdk::Errc::io : fail_code_, crashed_ ? "crashed" : "told to fail"};
    }
    void rename(const std::string& from, const std::string& to) {
        names_[to] = names_[from];
        names_.erase(from);
    }
    // Each name by itself is as it was or as it is: some file systems keep no order.
    Names mixed_names(std::mt19937_64& random) const {
        Names mixed;
        Names all = names_;
        all.insert(synced_names_.begin(), synced_names_.end());
        for (const auto& [name, inode] : all) {
            const Names& from = random() % 2 == 0 ? names_ : synced_names_;
            const auto found = from.find(name);
            if (found != from.end()) mixed.insert(*found);
        }
        return mixed;
    }
    static std::string mixed(const Inode& inode, std::mt19937_64& random) {
        std::string bytes = random() % 2 == 0 ? inode.now : inode.synced;
        const std::string& other = bytes == inode.now ? inode.synced : inode.now;
        if (bytes.size() < other.size() && random() % 2 == 0) bytes.resize(other.size());
        constexpr std::size_t block = 512;
        for (std::size_t at = 0; at < bytes.size() && at < other.size(); at += block) {
            if (random() % 2 == 0) continue;
            const std::string_view from = std::string_view{other}.substr(at, block);
            bytes.replace(at, std::min(from.size(), bytes.size() - at),
                          from.substr(0, bytes.size() - at));
        }
        return bytes;
    }

    Names names_;
    Names synced_names_;
    std::set<std::string> locked_;
    std::uint64_t calls_ = 0;
    std::uint64_t crash_at_ = 0;
    std::uint64_t fail_at_ = 0;
    sdk::Errc fail_code_ = sdk::Errc::io;
    std::optional<Call> failed_;
    bool crashed_ = false;
};

class ForgetfulFile final : public File {
public:
    ForgetfulFile(ForgetfulDisk& disk, std::shared_ptr<Inode> inode, std::string locks)
        : disk_{disk}, inode_{std::move(inode)}, locks_{std::move(locks)} {}
    ~ForgetfulFile() override { disk_.locked_.erase(locks_); }

    sdk::Result<std::string> read_whole(std::uint64_t) override {
        if (disk_.next(Call::read) != Fate::done) return disk_.error();
        return inode_->now;
    }
    sdk::Status write_at(std::uint64_t position, std::string_view bytes) override {
        const Fate fate = disk_.next(Call::write);
        if (fate == Fate::half) bytes = bytes.substr(0, bytes.size() / 2);
        if (fate != Fate::nothing) {
            if (inode_->now.size() < position + bytes.size())
                inode_->now.resize(position + bytes.size());
            inode_->now.replace(position, bytes.size(), bytes);
        }
        return outcome(fate);
    }
    sdk::Status cut(std::uint64_t size) override {
        const Fate fate = disk_.next(Call::cut);
        if (fate == Fate::done) inode_->now.resize(size);
        return outcome(fate);
    }
    // A sync that failed has made half of what is new durable; the rest never will be.
    sdk::Status sync() override {
        const Fate fate = disk_.next(Call::sync);
        std::string& synced = inode_->synced;
        if (fate == Fate::done) synced = inode_->now;
        if (fate == Fate::half && inode_->now.size() > synced.size())
            synced = inode_->now.substr(0, (inode_->now.size() + synced.size()) / 2);
        return outcome(fate);
    }

private:
    using Fate = ForgetfulDisk::Fate;
    sdk::Status outcome(Fate fate) const {
        if (fate == Fate::done) return {};
        return disk_.error();
    }

    ForgetfulDisk& disk_;
    const std::shared_ptr<Inode> inode_;
    const std::string locks_;  // A name, or nothing.
};

class ForgetfulFiles final : public Files {
public:
    explicit ForgetfulFiles(ForgetfulDisk& disk) : disk_{disk} {}

    sdk::Result<std::unique_ptr<File>> open(const std::filesystem::path& path) override {
        if (disk_.next(Call::open) != Fate::done) return disk_.error();
        if (!disk_.names_.contains(path.filename()))
            return sdk::Error{sdk::Errc::not_found, path.string() + " is not there"};
        return file(path.filename(), "");
    }
    sdk::Result<std::unique_ptr<File>> create(const std::filesystem::path& path) override {
        const Fate fate = disk_.next(Call::create);
        if (fate != Fate::nothing) disk_.names_[path.filename()] = std::make_shared<Inode>();
        if (fate != Fate::done) return disk_.error();
        return file(path.filename(), "");
    }
    sdk::Result<std::unique_ptr<File>> lock(const std::filesystem::path& path) override {
        if (disk_.next(Call::lock) != Fate::done) return disk_.error();
        if (!disk_.locked_.insert(path.filename()).second)
            return sdk::Error{sdk::Errc::closed, "is in use"};
        disk_.names_.try_emplace(path.filename(), std::make_shared<Inode>());
        return file(path.filename(), path.filename());
    }
    sdk::Status rename(const std::filesystem::path& from,
                       const std::filesystem::path& to) override {
        const Fate fate = disk_.next(Call::rename);
        if (fate != Fate::nothing) disk_.rename(from.filename(), to.filename());
        return outcome(fate);
    }
    sdk::Status remove(const std::filesystem::path& path) override {
        const Fate fate = disk_.next(Call::remove);
        if (fate != Fate::nothing) disk_.names_.erase(path.filename());
        return outcome(fate);
    }
    sdk::Status sync_folder(const std::filesystem::path&) override {
        const Fate fate = disk_.next(Call::sync_folder);
        if (fate == Fate::done) disk_.synced_names_ = disk_.names_;
        return outcome(fate);
    }

private:
    using Fate = ForgetfulDisk::Fate;
    std::unique_ptr<File> file(const std::string& name, std::string locks) {
        return std::make_unique<ForgetfulFile>(disk_, disk_.names_.at(name), std::move(locks));
    }
    sdk::Status outcome(Fate fate) const {
        if (fate == Fate::done) return {};
        return disk_.error();
    }

    ForgetfulDisk& disk_;
};

inline std::unique_ptr<Files> ForgetfulDisk::files() {
    return std::make_unique<ForgetfulFiles>(*this);
}

}  // namespace leat::local
