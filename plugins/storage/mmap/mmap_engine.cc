#include "mmap_engine.h"

namespace leat::mmap {

sdk::Result<std::unique_ptr<sdk::StorageEngine>> MmapEngine::start(
    sdk::PluginContext& context, std::shared_ptr<segment::FileSystem> files,
    std::shared_ptr<MappingDisk> disk, segment::EngineOptions options, SpareOptions spare_options) {
    auto spares = std::make_shared<Spares>(context, files, std::move(disk),
                                           context.data_folder().string(), spare_options);
    if (auto started = spares->start(); !started) return started.error();
    options.preallocates = true;
    options.most_segment_bytes = spare_options.file_bytes;
    auto mapped = std::make_shared<MappedFiles>(std::move(files), spares);
    auto engine = segment::SegmentEngine::start(context, std::move(mapped), options);
    if (!engine) return engine.error();
    return std::unique_ptr<sdk::StorageEngine>{
        std::make_unique<MmapEngine>(std::move(spares), std::move(*engine))};
}

MmapEngine::~MmapEngine() {
    files_ = nullptr;
    spares_->stop();
}

sdk::Result<std::unique_ptr<sdk::Log>> MmapEngine::open(const sdk::PartitionId& id,
                                                        const sdk::LogOptions& options) {
    // A topic that was just made gets its first batch right after this.
    spares_->have_one_ready();
    auto log = files_->open(id, options);
    // What recovery left is as long as its batches; the next ones get a prepared file.
    if (log) {
        if (auto sealed = (*log)->seal(); !sealed) return sealed.error();
    }
    return log;
}

sdk::Status MmapEngine::closed_cleanly() {
    spares_->stop();
    return files_->closed_cleanly();
}

}  // namespace leat::mmap
