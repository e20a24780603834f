// The broker's data folder: locked while it runs, so that two brokers never share one, and named in
// meta.properties (Kafka's file and keys), so that it is never taken for another node's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "leat/sdk/result.h"
#include "leat/sdk/strong.h"
#include "leat/sdk/uuid.h"

namespace leat::app {

struct MetaProperties {
    std::string cluster_id;  // Empty until the first start has made or learned it.
    sdk::NodeId node_id;
    sdk::Uuid directory_id;  // Made at the first start.
};

class DataFolder {
public:
    // Makes the folder if it is not there. Errc::unavailable: another process has it.
    static sdk::Result<DataFolder> open(const std::filesystem::path& path, sdk::NodeId node,
                                        const std::string& cluster_id);
    DataFolder(DataFolder&& other) noexcept;
    DataFolder& operator=(DataFolder&&) = delete;
    ~DataFolder();

    const std::filesystem::path& path() const { return path_; }
    const MetaProperties& meta() const { return meta_; }

    // Durable when it returns.
    sdk::Status write_cluster_id(const std::string& cluster_id);

private:
    DataFolder(std::filesystem::path path, int lock) : path_{std::move(path)}, lock_{lock} {}

    sdk::Status load(sdk::NodeId node, const std::string& cluster_id);
    sdk::Status store() const;

    std::filesystem::path path_;
    int lock_ = -1;
    MetaProperties meta_;
};

// 16 bytes from the system's random source, as Kafka prints them: base64url without padding.
sdk::Uuid random_uuid();
std::string to_text(const sdk::Uuid& uuid);
bool from_text(const std::string& text, sdk::Uuid& uuid);

}  // namespace leat::app
