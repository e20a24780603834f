#include "core/broker/side_files.h"

#include "core/log/recovery.h"

namespace leat::broker {

sdk::Status store(sdk::SideFiles& side_files, std::span<const log::SideFile> files,
                  sdk::Offset begin, sdk::Offset end) {
    for (const log::SideFile& file : files) {
        if (const auto status = side_files.write(file.name, file.bytes); !status) return status;
    }
    const auto names = side_files.list();
    if (!names) return names.error();
    for (const std::string& name : log::stale_files(*names, begin, end)) {
        if (const auto status = side_files.remove(name); !status) return status;
    }
    return {};
}

}  // namespace leat::broker
