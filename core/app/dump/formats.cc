#include "core/app/dump/formats.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

#include "core/config/source.h"
#include "core/log/leader_epochs.h"

namespace leat::app {
namespace {

// Of a file that one would be sorry to see called unknown.
const std::pair<std::string_view, Format> by_name[] = {
    {log::LeaderEpochs::file_name, {"leader epoch checkpoint", tell_leader_epochs}},
    {"recovery-point-offset-checkpoint", {"recovery point checkpoint", tell_offset_checkpoint}},
    {"log-start-offset-checkpoint", {"log start checkpoint", tell_offset_checkpoint}},
    {"replication-offset-checkpoint", {"high watermark checkpoint", tell_offset_checkpoint}},
    {"cleaner-offset-checkpoint", {"cleaner checkpoint", tell_offset_checkpoint}},
    {"partition.metadata", {"partition metadata", tell_properties}},
    {"meta.properties", {"meta properties", tell_properties}},
    {".kafka_cleanshutdown", {"mark of a clean stop", tell_line}},
    {".lock", {"lock", nullptr}},
    {"lock", {"lock", nullptr}},
};

const std::pair<std::string_view, Format> by_extension[] = {
    {".log", {"segment", tell_segment}},
    {".index", {"offset index", tell_offset_index}},
    {".timeindex", {"time index", tell_time_index}},
    {".txnindex", {"transaction index", tell_transaction_index}},
    {".snapshot", {"producer snapshot", tell_snapshot}},
    {".producers", {"producer windows", tell_producers}},
};

Tell tell_by(const sdk::FileInspector& inspector) {
    return [&inspector](const FileBytes& file, const DumpOptions&, sdk::FileReport& report) {
        if (file.size() > most_whole_file_bytes) {
            report.damage(0, "larger than such a file can be");
            return;
        }
        try {  // Foreign code.
            inspector.inspect(file.whole(most_whole_file_bytes), report);
        } catch (const std::exception& error) {
            report.damage(0, "its plugin threw: " + std::string{error.what()});
        } catch (...) {
            report.damage(0, "its plugin threw");
        }
    };
}

std::string_view first_bytes(const FileBytes& file, std::span<std::byte> into) {
    const auto read = file.read(0, into);
    return {reinterpret_cast<const char*>(read.data()), read.size()};
}

}  // namespace

std::int64_t base_offset_of(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    const std::size_t digits = name.find('.');
    std::int64_t offset = -1;
    const char* end = name.data() + std::min(digits, name.size());
    const auto [rest, error] = std::from_chars(name.data(), end, offset);
    return error == std::errc{} && rest == end && offset >= 0 ? offset : -1;
}

Format format_of(const FileBytes& file, const std::vector<sdk::FileInspector>& plugins) {
    std::string name = file.path().filename().string();
    for (const auto& [known, format] : by_name) {
        if (known == name) return format;
    }
    constexpr std::string_view deleted = ".deleted";
    const bool was_deleted = name.ends_with(deleted);
    if (was_deleted) name.resize(name.size() - deleted.size());
    for (const auto& [extension, format] : by_extension) {
        if (name.ends_with(extension) && base_offset_of(name) >= 0) return format;
    }
    constexpr std::size_t most_magic_bytes = 64;
    std::byte begin[most_magic_bytes];
    const std::string_view head = first_bytes(file, begin);
    for (const auto& inspector : plugins) {
        if (!inspector.magic.empty() && head.starts_with(inspector.magic)) {
            return {inspector.kind, tell_by(inspector)};
        }
    }
    for (const auto& inspector : plugins) {
        if (inspector.name == name) return {inspector.kind, tell_by(inspector)};
    }
    return {};
}

void add_bytes(sdk::FileItem& item, const std::string& name, std::string_view bytes) {
    if (config::is_text(bytes)) {
        item.fields.emplace_back(name, std::string{bytes});
        return;
    }
    std::string hex;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    item.fields.emplace_back(name + "_hex", std::move(hex));
}

}  // namespace leat::app
