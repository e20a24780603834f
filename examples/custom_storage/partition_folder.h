// The folder of one partition, made when the first thing is kept in it: extents, a file that names
// the partition, one that says where the log begins, and the core's side files, all of them sealed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cipher.h"
#include "files.h"
#include "leat/sdk/storage.h"

namespace sealed {

class PartitionFolder final : public leat::sdk::SideFiles {
public:
    PartitionFolder(std::shared_ptr<const MasterKey> key, const Path& home,
                    const leat::sdk::PartitionId& id);

    const Path& path() const { return path_; }
    const std::string& name() const { return name_; }
    bool exists() const;
    leat::sdk::Status make();
    // Errc::corrupt if the folder's own file does not name this partition.
    leat::sdk::Status check() const;
    leat::sdk::Result<leat::sdk::Offset> begin() const;
    // Durable when it returns, and takes no room on a full device.
    leat::sdk::Status keep_begin(leat::sdk::Offset begin);
    leat::sdk::Status remove();
    leat::sdk::Result<std::vector<Path>> extents() const;  // In order.

    static leat::sdk::Result<leat::sdk::PartitionId> read_id(const MasterKey& key,
                                                             const Path& folder);

    leat::sdk::Status write(std::string_view name, std::span<const std::byte> bytes) override;
    leat::sdk::Result<std::vector<std::byte>> read(std::string_view name) override;
    leat::sdk::Status remove(std::string_view name) override;
    leat::sdk::Result<std::vector<std::string>> list() override;

private:
    leat::sdk::Status keep(const Path& file, std::string_view text);
    std::string said(const Path& file) const;

    const std::shared_ptr<const MasterKey> key_;
    const leat::sdk::PartitionId id_;
    const std::string name_;
    const Path path_;
    mutable std::uint64_t begin_version_ = 0;
};

}  // namespace sealed
