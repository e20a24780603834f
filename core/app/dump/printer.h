// What a dump says on the standard output, file by file, as it finds it: nothing is kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "leat/sdk/inspection.h"

namespace leat::app {

class Printer final : public sdk::FileReport {
public:
    explicit Printer(bool json) : json_{json} {}

    void begin();
    void begin_file(const std::filesystem::path& path, const std::string& kind,
                    std::uint64_t bytes);
    void item(const sdk::FileItem& item) override;
    void damage(std::uint64_t position, const std::string& what) override;
    void end_file();
    void end();

    std::uint64_t damages() const { return damages_; }
    std::uint64_t files() const { return files_; }

private:
    void print_json(const std::string& text);

    const bool json_;
    std::uint64_t damages_ = 0;
    std::uint64_t files_ = 0;
    bool first_item_ = true;
};

}  // namespace leat::app
