#include <gtest/gtest.h>

#include <random>

#include "core/host/library_file.h"
#include "tests/host/host_under_test.h"

namespace leat::host {
namespace {

std::span<const std::byte> as_bytes(const std::string& text) {
    return std::as_bytes(std::span{text});
}

TEST(Damage, RefusesEveryOneOf200DamagedCopiesByNameAndLoadsTheRest) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const auto below = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>{0, n - 1}(random);
    };
    const std::string good = bytes_of(HOST_ECHO_PLUGIN);
    Folder folder;
    folder.add("good.so", HOST_ECHO_PLUGIN);
    for (int i = 0; i < 200; ++i) {
        std::string bad = good;
        if (i % 4 == 0) {
            // A cut right before the seal leaves a whole library: that one is not damaged.
            bad.resize(below(good.size() - seal_bytes));
        } else if (i % 4 == 1) {
            bad[below(256)] ^= static_cast<char>(1 << below(8));  // The headers.
        } else {
            for (std::size_t flips = 1 + below(8); flips > 0; --flips)
                bad[below(bad.size())] ^= static_cast<char>(1 << below(8));
        }
        if (bad == good) bad[64] ^= 1;  // Two flips of one bit.
        folder.write("bad_" + std::to_string(i) + ".so", bad);
    }
    KeptLines logger;
    PluginHost host{logger};
    discover(host, folder.path());
    EXPECT_EQ(host.storage().count("echo"), 1u);
    EXPECT_EQ(host.refusals().size(), 200u);
    for (int i = 0; i < 200; ++i) {
        const std::string name = "bad_" + std::to_string(i) + ".so";
        EXPECT_TRUE(refusal_of(host, name).starts_with("not a plugin: ")) << name;
    }
}

TEST(Damage, IsFoundWithoutASealToo) {
    const std::string good = bytes_of(HOST_ECHO_PLUGIN);
    const std::string unsealed = good.substr(0, good.size() - seal_bytes);
    EXPECT_TRUE(check_elf(as_bytes(unsealed))) << "as after strip";
    EXPECT_FALSE(check_elf(as_bytes(good.substr(0, good.size() - 1))));
    EXPECT_FALSE(check_elf(as_bytes(unsealed + "x")));
    for (std::size_t size = 0; size < unsealed.size(); size += 61)
        EXPECT_FALSE(check_elf(as_bytes(unsealed.substr(0, size)))) << size;
}

// Mapping a file that shrinks ends the process with SIGBUS.
TEST(Damage, DoesNotReachALibraryThatIsCutAfterItWasRead) {
    Folder folder;
    const auto file = folder.add("echo.so", HOST_ECHO_PLUGIN);
    const auto bytes = read_library(file);
    ASSERT_TRUE(bytes);
    std::filesystem::resize_file(file, 100);
    const auto info = load_library(*bytes);
    ASSERT_TRUE(info) << info.error().what;
    EXPECT_STREQ((*info)->version, "1.2.3");
}

}  // namespace
}  // namespace leat::host
