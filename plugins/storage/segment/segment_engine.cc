#include "segment_engine.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "recovery.h"
#include "segment_log.h"
#include "small_files.h"

namespace leat::segment {
namespace {

constexpr std::size_t longest_folder_name = 255;
constexpr int most_strays = 1000;  // Of one partition, all from the same earlier topic.
const char* const stray_suffix = "stray";
const char* const deleted_suffix = "delete";

// Where the folder of a partition goes that has no right to its name any more.
std::string aside_name(const std::string& name, const sdk::Uuid& id, int attempt,
                       const char* suffix) {
    const std::size_t dash = name.rfind('-');
    std::string ending = name.substr(dash) + "." + to_hex(id);
    if (attempt != 0) ending += "." + std::to_string(attempt);
    ending += std::string{"-"} + suffix;
    return name.substr(0, std::min(dash, longest_folder_name - ending.size())) + ending;
}

std::optional<std::int32_t> index_in(std::string_view folder) {
    const std::size_t dash = folder.rfind('-');
    if (dash == std::string_view::npos || dash == 0) return std::nullopt;
    const std::string_view digits = folder.substr(dash + 1);
    std::int32_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc{} || end != digits.data() + digits.size() || index < 0) {
        return std::nullopt;
    }
    return index;
}

// A folder and the files in it.
sdk::Status remove_all(FileSystem& system, const std::string& folder) {
    std::vector<std::string> names;
    if (const int error = system.list(folder, names); error < 0) {
        return failure(error, "list", folder);
    }
    for (const auto& name : names) {
        const std::string path = folder + "/" + name;
        if (const int error = system.unlink(path); error < 0) return failure(error, "remove", path);
    }
    const int error = system.remove_folder(folder);
    if (error < 0) return failure(error, "remove", folder);
    return {};
}

}  // namespace

sdk::Result<std::unique_ptr<sdk::StorageEngine>> SegmentEngine::start(
    sdk::PluginContext& context, std::shared_ptr<FileSystem> system, EngineOptions options) {
    auto state = std::make_shared<EngineState>(context, std::move(system),
                                               context.data_folder().string(), options);
    std::string damaged;
    if (auto loaded = state->checkpoints.load(damaged); !loaded) return loaded.error();
    if (!damaged.empty()) {
        context.log(sdk::LogLevel::warn, "a damaged checkpoint is ignored", {{"file", damaged}});
    }
    std::vector<std::string> names;
    if (const int error = state->system->list(state->root, names); error < 0) {
        return failure(error, "list", state->root);
    }
    for (auto& name : names) {
        if (name.ends_with("-delete")) {
            if (auto gone = remove_all(*state->system, state->path_of(name)); !gone) {
                context.log(sdk::LogLevel::warn, "a deleted partition could not be removed",
                            {{"folder", name}, {"error", gone.error().what}});
            }
        } else if (index_in(name)) {
            state->folders.insert(std::move(name));
        }
    }
    if (!state->checkpoints.was_clean() && !state->folders.empty()) {
        context.log(sdk::LogLevel::warn,
                    "the last stop was not clean: logs are checked when opened",
                    {{"logs", std::to_string(state->folders.size())}});
    }
    if (auto kept = state->checkpoints.keep_only(state->folders); !kept) return kept.error();
    return std::unique_ptr<sdk::StorageEngine>{std::make_unique<SegmentEngine>(std::move(state))};
}

sdk::Result<sdk::Uuid> SegmentEngine::stored_topic_id(const std::string& name) const {
    const std::string path = state_->path_of(name) + "/" + std::string{metadata_name};
    const auto bytes = read_small_file(*state_->system, path);
    if (!bytes && bytes.error().code == sdk::Errc::not_found) return sdk::Uuid{};
    if (!bytes) return bytes.error();
    return topic_id_in({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

sdk::Result<std::string> SegmentEngine::set_aside(const std::string& name, const sdk::Uuid& id,
                                                  const char* suffix) {
    FileSystem& system = *state_->system;
    std::string aside;
    for (int attempt = 0; attempt < most_strays; ++attempt) {
        aside = aside_name(name, id, attempt, suffix);
        const int error = system.rename(state_->path_of(name), state_->path_of(aside));
        if (error == -ENOTEMPTY || error == -EEXIST) continue;
        if (error < 0) return failure(error, "rename", state_->path_of(name));
        break;
    }
    if (const int error = system.sync_folder(state_->root); error < 0) {
        return failure(error, "sync", state_->root);
    }
    {
        const std::lock_guard lock{state_->folders_mutex};
        state_->folders.erase(name);
    }
    if (auto forgot = state_->checkpoints.forget(name); !forgot) return forgot.error();
    return aside;
}

// Whether there is a folder that belongs to the partition; another's is out of the way then.
sdk::Result<bool> SegmentEngine::adopt(const sdk::PartitionId& id, const std::string& name) {
    const std::lock_guard lock{state_->owner_mutex(name)};
    if (!state_->has_folder(name)) return false;
    const auto stored = stored_topic_id(name);
    if (!stored) return stored.error();
    if (id.topic_id.is_zero() || *stored == id.topic_id) return true;
    if (stored->is_zero()) {
        const std::string text = metadata_text(id.topic_id);
        auto wrote = replace_small_file(*state_->system, state_->path_of(name), metadata_name,
                                        bytes_of(text));
        if (!wrote) return wrote.error();
        return true;
    }
    const auto aside = set_aside(name, *stored, stray_suffix);
    if (!aside) return aside.error();
    state_->context.log(sdk::LogLevel::warn, "a folder of an earlier topic was set aside",
                        {{"partition", name},
                         {"its_topic_id", to_text(*stored)},
                         {"topic_id", to_text(id.topic_id)},
                         {"folder", *aside}});
    return false;
}

sdk::Result<std::unique_ptr<sdk::Log>> SegmentEngine::open(const sdk::PartitionId& id,
                                                           const sdk::LogOptions& options) {
    const std::string name = folder_name(id);
    const std::uint64_t step =
        std::max<std::uint64_t>(options.index_interval_bytes, state_->options.index_step);
    const auto adopted = adopt(id, name);
    if (!adopted) return adopted.error();
    const bool exists = *adopted;
    Recovered found;
    if (exists) {
        auto recovered = recover(*state_, name, step);
        if (!recovered) return recovered.error();
        found = std::move(*recovered);
    }
    return std::unique_ptr<sdk::Log>{
        std::make_unique<SegmentLog>(*state_, id, step, exists, std::move(found))};
}

// Forgotten it is already; what cannot be removed goes at the next start, or by the operator.
sdk::Status SegmentEngine::remove_folder(const std::string& name) {
    auto gone = remove_all(*state_->system, state_->path_of(name));
    if (!gone && gone.error().code != sdk::Errc::not_found) {
        state_->context.log(sdk::LogLevel::warn, "a deleted partition could not be removed",
                            {{"folder", name}, {"error", gone.error().what}});
    }
    return {};
}

sdk::Status SegmentEngine::remove(const sdk::PartitionId& id) {
    const std::string name = folder_name(id);
    const std::lock_guard lock{state_->owner_mutex(name)};
    const std::string stray = aside_name(name, id.topic_id, 0, stray_suffix);
    if (!state_->has_folder(name)) return remove_folder(stray);
    const auto stored = stored_topic_id(name);
    const bool newer =
        stored && !stored->is_zero() && !id.topic_id.is_zero() && *stored != id.topic_id;
    // A topic that was made since under the same name has the folder.
    if (newer) return remove_folder(stray);
    const auto aside = set_aside(name, stored ? *stored : id.topic_id, deleted_suffix);
    if (!aside) return aside.error();
    return remove_folder(*aside);
}

sdk::Result<std::vector<sdk::PartitionId>> SegmentEngine::partitions() {
    std::vector<std::string> names;
    {
        const std::lock_guard lock{state_->folders_mutex};
        names.assign(state_->folders.begin(), state_->folders.end());
    }
    std::vector<sdk::PartitionId> found;
    for (const auto& name : names) {
        const auto topic_id = stored_topic_id(name);
        if (!topic_id) return topic_id.error();
        found.push_back({.topic_id = *topic_id,
                         .topic = name.substr(0, name.rfind('-')),
                         .index = index_in(name).value_or(0)});
    }
    return found;
}

sdk::Status SegmentEngine::closed_cleanly() {
    // Index files were written without a sync each: ten thousand logs close faster with one for
    // all.
    if (const int error = state_->system->sync_everything(state_->root); error < 0) {
        return failure(error, "sync", state_->root);
    }
    return state_->checkpoints.write_all_and_marker();
}

}  // namespace leat::segment
