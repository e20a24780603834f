# The kinds of target there are. A module's CMakeLists.txt is one call to one of them.

include(${CMAKE_CURRENT_LIST_DIR}/leat_plugin.cmake)

add_library(leat_options INTERFACE)
target_compile_features(leat_options INTERFACE cxx_std_20)
target_compile_options(leat_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow
  -Wno-missing-field-initializers  # Designated initialisers leave defaults out on purpose.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>  # GCC 12 cries wolf over std::variant.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # GCC 12 at -O2 does so over assigning to a std::string.
  $<$<BOOL:${LEAT_WERROR}>:-Werror>)
if(LEAT_SANITIZE)
  add_compile_options(-fsanitize=${LEAT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LEAT_SANITIZE})
endif()
option(LEAT_FUZZ "Also the fuzz targets of tests/fuzz; everything is built to be seen by libFuzzer (clang)" OFF)
if(LEAT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Makes `cmake --build build --target all_verify_interface_header_sets` compile every header alone.
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
if(NOT LEAT_BUILT_IN_PLUGINS)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

# leat_library(NAME replication HEADERS a.h SOURCES a.cc DEPS leat::sdk PRIVATE_DEPS Boost::headers)
function(leat_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "HEADERS;SOURCES;DEPS;PRIVATE_DEPS")
  set(target leat_${arg_NAME})
  if(arg_SOURCES)
    set(kind STATIC)
    set(scope PUBLIC)
  else()
    set(kind INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(${target} ${kind} ${arg_SOURCES})
  add_library(leat::${arg_NAME} ALIAS ${target})
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${arg_DEPS})
  if(arg_SOURCES)
    target_link_libraries(${target} PRIVATE leat_options ${arg_PRIVATE_DEPS})
  endif()
endfunction()

# leat_test(NAME wire SOURCES messages_test.cc DEPS leat::wire [PLUGINS memory] [DEFINES ...] [LABELS ...])
# A GoogleTest binary run as one ctest. PLUGINS are built first, and each one's path reaches the test
# as a definition: MEMORY_PLUGIN.
# Its LABELS beside "unit": "threads" for tests that ThreadSanitizer should see too. The targets
# unit_tests and threads_tests build just what those labels run.
add_custom_target(unit_tests)
add_custom_target(threads_tests)
function(leat_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPS;PLUGINS;DEFINES;LABELS")
  set(target ${arg_NAME}_test)
  add_executable(${target} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE leat_options ${arg_DEPS} GTest::gtest GTest::gtest_main)
  foreach(plugin IN LISTS arg_PLUGINS)
    string(TOUPPER ${plugin} upper)
    target_compile_definitions(${target} PRIVATE ${upper}_PLUGIN="$<TARGET_FILE:${plugin}>")
    add_dependencies(${target} ${plugin})
  endforeach()
  target_compile_definitions(${target} PRIVATE ${arg_DEFINES})
  add_dependencies(unit_tests ${target})
  if("threads" IN_LIST arg_LABELS)
    add_dependencies(threads_tests ${target})
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${target})
  set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT 300 LABELS "unit;${arg_LABELS}")
endfunction()
