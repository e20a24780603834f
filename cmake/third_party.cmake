# Every third-party library that a target may link, found once. Each has one home in the tree
# (tools/check_layers.py says which), so a module names its target here and nothing else.

if(LEAT_BUILT_IN_PLUGINS)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)  # For one static program.
endif()
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)        # Headers; Boost.DLL with std::filesystem needs no library.
if(NOT LEAT_SMALL_PROGRAM)
  find_package(spdlog REQUIRED)
  find_package(CLI11 REQUIRED)
endif()
if(LEAT_BUILT_IN_PLUGINS)
  # Debian's library is shared only; the headers hold all of it.
  find_path(TOML_INCLUDE_DIR toml++/toml.h REQUIRED)
  add_library(leat_toml INTERFACE)
  target_compile_definitions(leat_toml INTERFACE
    TOML_HEADER_ONLY=1 TOML_ENABLE_FORMATTERS=0
    TOML_FLOAT_CHARCONV=1)
else()
  find_package(tomlplusplus REQUIRED)
  add_library(leat_toml ALIAS tomlplusplus::tomlplusplus)
endif()
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
find_library(SNAPPY_LIBRARY snappy REQUIRED)
if(LEAT_CONSUMER_GROUPS)
  pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
endif()
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  pkg_check_modules(RDKAFKA IMPORTED_TARGET rdkafka)
endif()
