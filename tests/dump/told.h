// A file on disk for a test, and what a dump tells of it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/app/dump/formats.h"

namespace leat::app {

struct Told final : sdk::FileReport {
    void item(const sdk::FileItem& one) override { items.push_back(one); }
    void damage(std::uint64_t position, const std::string& what) override {
        damages.emplace_back(position, what);
    }

    std::vector<sdk::FileItem> of_kind(const std::string& kind) const {
        std::vector<sdk::FileItem> found;
        for (const auto& one : items) {
            if (one.kind == kind) found.push_back(one);
        }
        return found;
    }

    std::vector<sdk::FileItem> items;
    std::vector<std::pair<std::uint64_t, std::string>> damages;
};

inline sdk::FieldValue field(const sdk::FileItem& item, const std::string& name) {
    for (const auto& [known, value] : item.fields) {
        if (known == name) return value;
    }
    ADD_FAILURE() << item.kind << " has no field " << name;
    return {};
}
inline std::int64_t number(const sdk::FileItem& item, const std::string& name) {
    return std::get<std::int64_t>(field(item, name));
}
inline std::string text(const sdk::FileItem& item, const std::string& name) {
    return std::get<std::string>(field(item, name));
}

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(std::string_view text) {
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
}
inline Bytes operator+(Bytes left, const Bytes& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

class DumpTest : public testing::Test {
protected:
    DumpTest() {
        std::string name = std::filesystem::temp_directory_path() / "leat_dump_XXXXXX";
        folder_ = ::mkdtemp(name.data());
    }
    ~DumpTest() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& name, const Bytes& bytes) const {
        std::ofstream{folder_ / name, std::ios::binary}.write(
            reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
    }
    // The kind comes from the name.
    Told tell(const std::string& name, const Bytes& bytes, DumpOptions options = {}) const {
        write(name, bytes);
        Told told;
        const auto file = FileBytes::open(folder_ / name);
        EXPECT_TRUE(file.has_value());
        const Format format = format_of(*file, {});
        EXPECT_TRUE(format.tell) << name;
        if (format.tell) format.tell(*file, options, told);
        return told;
    }

    std::filesystem::path folder_;
};

// Cut at every byte, each byte changed, and garbage of `seeds` kinds: nothing may crash or hang.
template <class Try>
void garble(const Bytes& good, Try attempt) {
    for (std::size_t i = 0; i < good.size(); ++i) {
        attempt(Bytes{good.begin(), good.begin() + static_cast<std::ptrdiff_t>(i)});
        for (const unsigned mask : {0x01u, 0x80u, 0xffu}) {
            Bytes bad = good;
            bad[i] ^= static_cast<std::byte>(mask);
            attempt(bad);
        }
    }
}

}  // namespace leat::app
