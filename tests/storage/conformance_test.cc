// The engines of this repository, as any other.
#include "leat/sdk/testing/storage_conformance.h"

extern "C" const leat::sdk::PluginInfo leat_plugin_v1_memory;
extern "C" const leat::sdk::PluginInfo leat_plugin_v1_mmap;
extern "C" const leat::sdk::PluginInfo leat_plugin_v1_segment;

namespace leat::sdk::testing {
namespace {

std::filesystem::path last_log_file(const std::filesystem::path& folder, const PartitionId& id) {
    std::filesystem::path last;
    const auto partition = folder / (id.topic + "-" + std::to_string(id.index));
    for (const auto& entry : std::filesystem::directory_iterator{partition}) {
        if (entry.path().extension() == ".log" && entry.path() > last) last = entry.path();
    }
    return last;
}

std::vector<std::filesystem::path> indexes(const std::filesystem::path& folder,
                                           const PartitionId& id) {
    std::vector<std::filesystem::path> found;
    const auto partition = folder / (id.topic + "-" + std::to_string(id.index));
    for (const auto& entry : std::filesystem::directory_iterator{partition}) {
        const auto kind = entry.path().extension();
        if (kind == ".index" || kind == ".timeindex") found.push_back(entry.path());
    }
    return found;
}

StorageUnderTest segment(const char* name, std::int64_t most_open_files, std::int64_t index_step) {
    auto storage = storage_plugin(leat_plugin_v1_segment,
                                  {{"most_open_files", OptionValue{most_open_files}},
                                   {"index_step", OptionValue{index_step}},
                                   {"checkpoint_interval", OptionValue{std::int64_t{0}}}});
    storage.name = name;
    storage.log_options.index_interval_bytes = 1;
    storage.tail_file = last_log_file;
    storage.rebuildable = indexes;
    return storage;
}

StorageUnderTest mmap(const char* name, std::int64_t segment_size, std::int64_t most_mapped) {
    auto storage = storage_plugin(leat_plugin_v1_mmap,
                                  {{"segment_size", OptionValue{segment_size}},
                                   {"spare_segments", OptionValue{std::int64_t{1}}},
                                   {"most_mapped", OptionValue{most_mapped}},
                                   {"checkpoint_interval", OptionValue{std::int64_t{0}}}});
    storage.name = name;
    storage.log_options.index_interval_bytes = 1;
    storage.tail_file = last_log_file;
    storage.rebuildable = indexes;
    return storage;
}

StorageUnderTest memory(const char* name, std::int64_t budget) {
    auto storage = storage_plugin(leat_plugin_v1_memory, {{"budget", OptionValue{budget}}});
    storage.name = name;
    storage.budget = static_cast<std::uint64_t>(budget);
    return storage;
}

std::string name_of(const ::testing::TestParamInfo<StorageUnderTest>& one) {
    return one.param.name;
}

const auto engines =
    ::testing::Values(storage_plugin(leat_plugin_v1_memory), segment("segment", 1000, 32 * 1024),
                      segment("segment_dense_index_few_files", 1, 0), mmap("mmap", 4 << 20, 64),
                      mmap("mmap_small_segments", 64 << 10, 3));

INSTANTIATE_TEST_SUITE_P(Ours, StorageConformance, engines, name_of);
INSTANTIATE_TEST_SUITE_P(Ours, StorageBudget,
                         ::testing::Values(memory("memory_in_1MiB", 1 << 20),
                                           memory("memory_in_10MiB", 10 << 20)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Ours, StorageRewrites, engines, name_of);
INSTANTIATE_TEST_SUITE_P(Ours, StorageTailDamage, engines, name_of);
INSTANTIATE_TEST_SUITE_P(Ours, StorageHistory, engines, name_of);
INSTANTIATE_TEST_SUITE_P(Ours, StorageOnSmallDevice, engines, name_of);
INSTANTIATE_TEST_SUITE_P(Ours, StorageRebuilds, engines, name_of);

}  // namespace
}  // namespace leat::sdk::testing
