# What a plugin's CMakeLists.txt needs, in this repository and out of it (examples/custom_storage),
# where it comes with the installed SDK:
#
#   find_package(leat-sdk REQUIRED)
#   leat_add_plugin(NAME custom_storage SOURCES custom_storage.cc)

set(LEAT_PLUGIN_CMAKE_FOLDER ${CMAKE_CURRENT_LIST_DIR})

# leat_add_plugin(NAME segment SOURCES segment.cc [DEPS ...] [DEFINES ...] [FOLDER plugins])
#
# Builds FOLDER/NAME.so with every symbol hidden but its entry point, sealed against damage; beside
# it NAME_static: the same sources with the entry point's name suffixed by NAME, so that one binary
# can hold many plugins without dlopen.
# A plugin sees sdk/include and nothing of core/: including a core header does not compile.
function(leat_add_plugin)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;FOLDER" "SOURCES;DEPS;DEFINES")
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${CMAKE_BINARY_DIR}/plugins)
  endif()
  add_library(${arg_NAME} MODULE ${arg_SOURCES})
  add_library(${arg_NAME}_static STATIC EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE leat::sdk ${arg_DEPS})
  target_link_libraries(${arg_NAME}_static PUBLIC leat::sdk ${arg_DEPS})
  target_compile_definitions(${arg_NAME}_static PRIVATE LEAT_PLUGIN_SUFFIX=_${arg_NAME})
  foreach(target ${arg_NAME} ${arg_NAME}_static)
    target_compile_definitions(${target} PRIVATE ${arg_DEFINES})
    if(TARGET leat_options)
      target_link_libraries(${target} PRIVATE leat_options)
    endif()
  endforeach()
  # BUILD_WITH_INSTALL_RPATH: an install that rewrites the search path would break the seal.
  set_target_properties(${arg_NAME} PROPERTIES
    PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    BUILD_WITH_INSTALL_RPATH ON LIBRARY_OUTPUT_DIRECTORY ${arg_FOLDER})
  add_custom_command(TARGET ${arg_NAME} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -DLIBRARY=$<TARGET_FILE:${arg_NAME}>
            -P ${LEAT_PLUGIN_CMAKE_FOLDER}/leat_seal.cmake)
endfunction()

# leat_link_plugins(TARGET segment local single): links the static forms and generates the list from
# which the binary enrols them: `std::span<const leat::sdk::PluginInfo* const> leat_static_plugins()`.
function(leat_link_plugins target)
  set(declarations "")
  set(entries "")
  foreach(plugin IN LISTS ARGN)
    string(APPEND declarations "extern \"C\" const leat::sdk::PluginInfo leat_plugin_v1_${plugin};\n")
    string(APPEND entries "        &leat_plugin_v1_${plugin},\n")
    target_link_libraries(${target} PRIVATE ${plugin}_static)
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_static_plugins.cc)
  file(CONFIGURE OUTPUT ${file} CONTENT
"#include <initializer_list>
#include <span>
#include \"leat/sdk/plugin.h\"
${declarations}
std::span<const leat::sdk::PluginInfo* const> leat_static_plugins();
std::span<const leat::sdk::PluginInfo* const> leat_static_plugins() {
    static constexpr std::initializer_list<const leat::sdk::PluginInfo*> plugins = {
${entries}    };
    return {plugins.begin(), plugins.size()};
}
" @ONLY)
  target_sources(${target} PRIVATE ${file})
endfunction()
