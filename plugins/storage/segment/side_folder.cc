#include "side_folder.h"

#include <cerrno>

#include "small_files.h"

namespace leat::segment {
namespace {

constexpr std::string_view engine_owned[] = {".log", ".index", ".timeindex", ".deleted",
                                            unfinished};
constexpr std::size_t longest_name = 200;

bool is_engine_owned(std::string_view name) {
    for (const std::string_view extension : engine_owned) {
        if (name.ends_with(extension)) return true;
    }
    return false;
}

sdk::Status legal(std::string_view name) {
    if (name.empty() || name.size() > longest_name || name.front() == '.' ||
        name.find('/') != std::string_view::npos || name.find('\0') != std::string_view::npos ||
        is_engine_owned(name)) {
        return sdk::Error{sdk::Errc::invalid_argument,
                          "\"" + std::string{name} + "\" is no name for a side file"};
    }
    return {};
}

}  // namespace

sdk::Status SideFolder::make() {
    if (exists_.load(std::memory_order_acquire)) return {};
    const std::lock_guard lock{mutex_};
    if (exists_) return {};
    FileSystem& system = *engine_.system;
    const int made = system.make_folder(path());
    if (made < 0 && made != -EEXIST) return failure(made, "create", path());
    if (!topic_id_.is_zero()) {
        const std::string text = metadata_text(topic_id_);
        auto wrote = write_small_file(system, path(metadata_name), bytes_of(text));
        if (!wrote) return wrote;
    }
    {
        const std::lock_guard folders{engine_.folders_mutex};
        engine_.folders.insert(name_);
    }
    unsynced_ = true;
    exists_.store(true, std::memory_order_release);
    return {};
}

sdk::Status SideFolder::sync_new() {
    const std::lock_guard lock{mutex_};
    if (!unsynced_) return {};
    FileSystem& system = *engine_.system;
    if (!topic_id_.is_zero()) {
        auto file = engine_.files.open(path(metadata_name), FileSystem::Open::existing);
        if (!file) return file.error();
        const int error = system.sync((*file)->descriptor());
        if (error < 0) return failure(error, "sync", path(metadata_name));
    }
    for (const std::string& folder : {path(), engine_.root}) {
        const int error = system.sync_folder(folder);
        if (error < 0) return failure(error, "sync", folder);
    }
    unsynced_ = false;
    return {};
}

sdk::Status SideFolder::write(std::string_view name, std::span<const std::byte> bytes) {
    if (auto fine = legal(name); !fine) return fine;
    if (auto made = make(); !made) return made;
    if (auto synced = sync_new(); !synced) return synced;
    return replace_small_file(*engine_.system, path(), name, bytes);
}

sdk::Result<std::vector<std::byte>> SideFolder::read(std::string_view name) {
    if (auto fine = legal(name); !fine) return fine.error();
    if (!exists_) {
        return sdk::Error{sdk::Errc::not_found, "there is no " + path(name)};
    }
    return read_small_file(*engine_.system, path(name));
}

sdk::Status SideFolder::remove(std::string_view name) {
    if (auto fine = legal(name); !fine) return fine;
    if (!exists_) return {};
    const int error = engine_.system->unlink(path(name));
    if (error == -ENOENT) return {};
    if (error < 0) return failure(error, "remove", path(name));
    const int synced = engine_.system->sync_folder(path());
    if (synced < 0) return failure(synced, "sync", path());
    return {};
}

sdk::Result<std::vector<std::string>> SideFolder::list() {
    std::vector<std::string> names;
    if (!exists_) return names;
    if (const int error = engine_.system->list(path(), names); error < 0) {
        return failure(error, "list", path());
    }
    std::erase_if(names, [](const std::string& name) {
        return is_engine_owned(name) || name == metadata_name || name.front() == '.';
    });
    return names;
}

}  // namespace leat::segment
