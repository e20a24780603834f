#include "core/runtime/load_slices.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace leat::runtime {
namespace {

class LoadSlices : public testing::Test {
protected:
    LoadSlices() {
        std::fputs("0123456789", file);
        std::fflush(file);
    }
    ~LoadSlices() override { std::fclose(file); }

    std::FILE* file = std::tmpfile();
    const std::string memory = "abc";
    const sdk::Slice of_memory = sdk::MemorySlice{nullptr, std::as_bytes(std::span{memory})};
    std::vector<std::byte> bytes;
};

TEST_F(LoadSlices, PutsMemoryAndFilesTogetherInOrder) {
    const std::vector<sdk::Slice> slices{sdk::FileSlice{nullptr, ::fileno(file), 2, 3}, of_memory,
                                         sdk::FileSlice{nullptr, ::fileno(file), 9, 1}};
    bytes.resize(100);
    ASSERT_TRUE(load(slices, bytes));
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "234abc9");
}

TEST_F(LoadSlices, AFileThatIsShorterThanItsSliceIsAnError) {
    const std::vector<sdk::Slice> slices{sdk::FileSlice{nullptr, ::fileno(file), 8, 3}};
    const auto loaded = load(slices, bytes);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, sdk::Errc::io);
}

}  // namespace
}  // namespace leat::runtime
