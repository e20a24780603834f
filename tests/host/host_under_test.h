// What the host's tests share: a logger that keeps lines, a folder that goes away, a shard that
// must not be used.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/plugin_host.h"
#include "core/logging/logger.h"
#include "leat/sdk/shard.h"

namespace leat::host {

struct KeptLines final : logging::Logger {
    using logging::Logger::log;
    void log(logging::Level, std::string_view event,
             std::span<const logging::Field> fields) override {
        std::string line{event};
        for (const auto& [key, value] : fields) line.append(" ").append(key).append("=") += value;
        lines.push_back(std::move(line));
    }
    bool keeps(logging::Level) const override { return true; }

    std::vector<std::string> lines;
};

struct IdleShard final : sdk::Shard {
    sdk::Instant now() const override { return {}; }
    sdk::Timestamp wall_clock() const override { return {}; }
    void post(sdk::Task) override { ADD_FAILURE() << "nobody posts"; }
    sdk::TimerId after(std::chrono::nanoseconds, sdk::Task) override { return {}; }
    void cancel(sdk::TimerId) override {}
    void offload(sdk::Task, sdk::Task) override { ADD_FAILURE() << "nobody offloads"; }
};

class Folder {
public:
    Folder() {
        std::string path = testing::TempDir() + "/leat_host_XXXXXX";
        path_ = ::mkdtemp(path.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path add(const std::string& name, const std::filesystem::path& from) {
        std::filesystem::copy_file(from, path_ / name,
                                   std::filesystem::copy_options::overwrite_existing);
        return path_ / name;
    }
    std::filesystem::path write(const std::string& name, std::string_view bytes) {
        std::ofstream{path_ / name, std::ios::binary}
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        ::chmod((path_ / name).c_str(), 0644);
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

inline void discover(PluginHost& host, const std::filesystem::path& folder) {
    host.discover(std::vector<std::filesystem::path>{folder});
}

// The reason why the file of that name was refused; "" if it was not.
inline std::string refusal_of(const PluginHost& host, std::string_view file_name) {
    for (const Refusal& refusal : host.refusals())
        if (std::filesystem::path{refusal.file}.filename() == file_name) return refusal.reason;
    return {};
}

}  // namespace leat::host
