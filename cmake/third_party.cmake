# Every third-party library that a target may link, found once. Each has one home in the tree
# (tools/check_layers.py says which), so a module names its target here and nothing else.

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)        # Headers; Boost.DLL with std::filesystem needs no library.
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
find_library(SNAPPY_LIBRARY snappy REQUIRED)
find_package(CLI11 REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  pkg_check_modules(RDKAFKA IMPORTED_TARGET rdkafka)
endif()
