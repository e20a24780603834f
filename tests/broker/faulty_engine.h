// Plugins that do as a story tells them: a storage engine around the memory engine, whose calls
// fail, throw and are counted by name, and a policy of one replica that can hold commits back.
//
// The engine keeps its logs when they are closed, so that a story can open them again.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/sdk/plugin.h"
#include "leat/sdk/testing/manual_context.h"
#include "tests/broker/metadata_bed.h"

extern "C" const leat::sdk::PluginInfo leat_plugin_v1_memory;

namespace leat::broker::testing {

// Which calls go wrong, and how often each was made. Calls come from the shard and from workers.
class Faults {
public:
    // The next call of this name, or after `spared` good ones: once.
    void fail(const std::string& call, sdk::Errc code, int spared = 0) {
        const std::scoped_lock held{mutex_};
        planned_[call] = {code, spared};
    }
    void throw_from(const std::string& call, int spared = 0) {
        const std::scoped_lock held{mutex_};
        planned_[call] = {std::nullopt, spared};
    }
    int calls(const std::string& call) const {
        const std::scoped_lock held{mutex_};
        const auto found = calls_.find(call);
        return found == calls_.end() ? 0 : found->second;
    }

    sdk::Status happen(const std::string& call) {
        const std::scoped_lock held{mutex_};
        ++calls_[call];
        const auto found = planned_.find(call);
        if (found == planned_.end() || found->second.spared-- > 0) return {};
        const auto code = found->second.code;
        planned_.erase(found);
        if (!code) throw std::runtime_error{"planned"};
        return sdk::Error{*code, call + " fails as planned"};
    }
    // For a call that returns no Status: it can only throw.
    void happen_or_throw(const std::string& call) {
        if (!happen(call)) throw std::logic_error{call + " cannot fail but by throwing"};
    }

private:
    struct Plan {
        std::optional<sdk::Errc> code;
        int spared = 0;
    };
    mutable std::mutex mutex_;
    std::map<std::string, Plan> planned_;
    std::map<std::string, int> calls_;
};

class KeptSideFiles final : public sdk::SideFiles {
public:
    explicit KeptSideFiles(Faults& faults) : faults_{faults} {}

    sdk::Status write(std::string_view name, std::span<const std::byte> bytes) override {
        if (auto status = faults_.happen("side file write"); !status) return status;
        files_[std::string{name}] = {bytes.begin(), bytes.end()};
        return {};
    }
    sdk::Result<std::vector<std::byte>> read(std::string_view name) override {
        const auto found = files_.find(std::string{name});
        if (found == files_.end()) return sdk::Error{sdk::Errc::not_found, "no such file"};
        return found->second;
    }
    sdk::Status remove(std::string_view name) override {
        files_.erase(std::string{name});
        return {};
    }
    sdk::Result<std::vector<std::string>> list() override {
        if (auto status = faults_.happen("side file list"); !status) return status.error();
        std::vector<std::string> names;
        for (const auto& [name, bytes] : files_) names.push_back(name);
        return names;
    }
    bool have(const std::string& name) const { return files_.contains(name); }

private:
    Faults& faults_;
    std::map<std::string, std::vector<std::byte>> files_;
};

struct KeptLog {
    std::unique_ptr<sdk::Log> log;
    KeptSideFiles files;
};

struct Mood {
    bool cold = false;               // Nothing is resident, however often it is brought in.
    sdk::Task before_a_sync_ends{};  // Once, when it has covered what it covers.
    sdk::LogOptions options{};       // As last heard.
    sdk::Task within_a_call{};       // Once, in the next append or read.
};

class FaultyLog final : public sdk::Log {
public:
    FaultyLog(KeptLog& kept, Faults& faults, Mood& mood)
        : kept_{kept}, faults_{faults}, mood_{mood} {}

    sdk::LogBounds bounds() const override {
        faults_.happen_or_throw("bounds");
        return kept_.log->bounds();
    }
    std::vector<sdk::Extent> extents() const override {
        faults_.happen_or_throw("extents");
        return kept_.log->extents();
    }
    sdk::Status append(std::span<const sdk::StampedBatch> batches) override {
        if (auto status = faults_.happen("append"); !status) return status;
        if (mood_.within_a_call) std::exchange(mood_.within_a_call, {})();
        return kept_.log->append(batches);
    }
    sdk::Result<sdk::ReadAnswer> read(sdk::Offset from, sdk::Offset below,
                                      std::size_t max_bytes) override {
        if (auto status = faults_.happen("read"); !status) return status.error();
        if (mood_.within_a_call) std::exchange(mood_.within_a_call, {})();
        if (mood_.cold) return sdk::ReadAnswer{{}, [this] { faults_.happen_or_throw("bring in"); }};
        return kept_.log->read(from, below, max_bytes);
    }
    std::optional<sdk::Offset> seek(sdk::Timestamp not_before) const override {
        faults_.happen_or_throw("seek");
        return kept_.log->seek(not_before);
    }
    sdk::Status flush() override {
        if (auto status = faults_.happen("flush"); !status) return status;
        auto status = kept_.log->flush();
        if (mood_.before_a_sync_ends) std::exchange(mood_.before_a_sync_ends, {})();
        return status;
    }
    sdk::Status truncate(sdk::Offset end) override { return kept_.log->truncate(end); }
    sdk::Status trim(sdk::Offset begin) override {
        if (auto status = faults_.happen("trim"); !status) return status;
        return kept_.log->trim(begin);
    }
    sdk::Status seal() override {
        if (auto status = faults_.happen("seal"); !status) return status;
        return kept_.log->seal();
    }
    sdk::SideFiles* side_files() override {
        faults_.happen_or_throw("side files");
        return &kept_.files;
    }
    void options_changed(const sdk::LogOptions& options) override {
        faults_.happen_or_throw("options");
        mood_.options = options;
    }

private:
    KeptLog& kept_;
    Faults& faults_;
    Mood& mood_;
};

class FaultyEngine final : public sdk::StorageEngine {
public:
    explicit FaultyEngine(sdk::testing::ManualContext& context) {
        struct Taken final : sdk::Registrar {
            void storage_engine(sdk::StorageDeclaration made) override { made_ = std::move(made); }
            void coordination_backend(sdk::CoordinationDeclaration) override {}
            void replication_policy(sdk::ReplicationDeclaration) override {}
            void group_assignor(sdk::AssignmentDeclaration) override {}
            sdk::StorageDeclaration made_;
        } taken;
        leat_plugin_v1_memory.enroll(taken);
        std::map<std::string, sdk::OptionValue, std::less<>> defaults;
        for (const auto& option : taken.made_.options) defaults[option.name] = option.fallback;
        memory_ = *taken.made_.make(context, sdk::Settings{std::move(defaults)});
    }

    sdk::Result<std::unique_ptr<sdk::Log>> open(const sdk::PartitionId& id,
                                                const sdk::LogOptions& options) override {
        if (auto status = faults.happen("open"); !status) return status.error();
        auto& kept = logs_[id.index];
        if (!kept) {
            kept = std::make_unique<KeptLog>(
                KeptLog{std::move(*memory_->open(id, options)), KeptSideFiles{faults}});
        }
        return std::unique_ptr<sdk::Log>{std::make_unique<FaultyLog>(*kept, faults, mood)};
    }
    sdk::Status remove(const sdk::PartitionId& id) override {
        if (auto status = faults.happen("remove"); !status) return status;
        logs_.erase(id.index);
        return {};
    }
    sdk::Result<std::vector<sdk::PartitionId>> partitions() override {
        return std::vector<sdk::PartitionId>{};
    }
    sdk::Status closed_cleanly() override { return {}; }

    const KeptLog& kept(std::int32_t index = 0) const { return *logs_.at(index); }
    bool holds(std::int32_t index) const { return logs_.contains(index); }

    Faults faults;
    Mood mood;

private:
    std::unique_ptr<sdk::StorageEngine> memory_;
    std::map<std::int32_t, std::unique_ptr<KeptLog>> logs_;
};

class FaultyPolicy final : public OneReplica {
public:
    sdk::Offset high_watermark(const sdk::LeaderView& view) const override {
        faults.happen_or_throw("high_watermark");
        return std::min(view.log_end, commits_below);
    }
    sdk::AckDecision before_append(const sdk::LeaderView& view) const override {
        faults.happen_or_throw("before_append");
        return OneReplica::before_append(view);
    }

    mutable Faults faults;
    sdk::Offset commits_below{INT64_MAX};
};

}  // namespace leat::broker::testing
