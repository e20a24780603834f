// Enrols the engine `sealed`.
#include "leat/sdk/plugin.h"

#include <algorithm>

#include "sealed_log.h"

namespace sealed {
namespace {

using leat::sdk::Errc;
using leat::sdk::Error;
using leat::sdk::PartitionId;
using leat::sdk::PluginContext;
using leat::sdk::Result;
using leat::sdk::Settings;
using leat::sdk::Status;
using leat::sdk::StorageEngine;

class SealedEngine final : public StorageEngine {
public:
    SealedEngine(PluginContext& context, std::shared_ptr<const MasterKey> key,
                 std::uint64_t cache_bytes)
        : context_{context},
          shared_{std::make_shared<Shared>()},
          cache_{std::make_shared<BatchCache>(cache_bytes)} {
        shared_->key = std::move(key);
    }

    Result<std::unique_ptr<leat::sdk::Log>> open(const PartitionId& id,
                                                 const leat::sdk::LogOptions&) override {
        return SealedLog::open(shared_, cache_, context_.data_folder(), id);
    }
    Status remove(const PartitionId& id) override {
        PartitionFolder folder{shared_->key, context_.data_folder(), id};
        return folder.exists() ? folder.remove() : Status{};
    }
    Result<std::vector<PartitionId>> partitions() override {
        std::vector<PartitionId> kept;
        for (const auto& entry : std::filesystem::directory_iterator{context_.data_folder()}) {
            if (!entry.is_directory() || !std::filesystem::exists(entry.path() / "partition"))
                continue;
            auto id = PartitionFolder::read_id(*shared_->key, entry.path());
            if (id)
                kept.push_back(std::move(*id));
            else
                context_.log(leat::sdk::LogLevel::error, "a partition's folder is damaged",
                             {{"reason", id.error().what}});
        }
        return kept;
    }
    Status closed_cleanly() override { return {}; }

private:
    PluginContext& context_;
    const std::shared_ptr<Shared> shared_;
    const std::shared_ptr<BatchCache> cache_;
};

// A folder opens with the key that made it only.
Status check_key(const MasterKey& key, const Path& folder) {
    constexpr std::string_view about = "the key of this folder";
    const Path file = folder / "key-check";
    const auto bytes = read_whole(file);
    if (bytes) {
        if (open_text(key, about, *bytes)) return {};
        return Error{Errc::invalid_argument,
                     "key_file holds another key than the one that sealed " + folder.string()};
    }
    if (bytes.error().code != Errc::not_found) return bytes.error();
    const auto made = seal_text(key, about, "");
    return made ? replace(file, *made) : made.error();
}

Result<std::unique_ptr<StorageEngine>> make(PluginContext& context, const Settings& settings) {
    const auto key = MasterKey::from_file(settings.text("key_file"));
    if (!key) return key.error();
    if (auto good = check_key(**key, context.data_folder()); !good) return good.error();
    return std::unique_ptr<StorageEngine>{
        std::make_unique<SealedEngine>(context, *key, settings.bytes("cache"))};
}

}  // namespace
}  // namespace sealed

LEAT_PLUGIN("custom_storage", "1.0.0", [](leat::sdk::Registrar& host) {
    host.storage_engine(
        {.name = "sealed",
         .description = "An example: every batch on disk is sealed with AES-256-GCM.",
         .options = {{.name = "key_file",
                      .kind = leat::sdk::OptionKind::text,
                      .fallback = std::string{},
                      .description = "Absolute path of a file with 64 hex digits, mode 0600."},
                     {.name = "cache",
                      .kind = leat::sdk::OptionKind::size,
                      .fallback = std::int64_t{64} << 20,
                      .description = "Memory for opened batches, of all partitions together.",
                      .least = 1 << 20}},
         .capabilities = {.durable = true, .truncatable = true, .side_files = true},
         .make = sealed::make});
});
