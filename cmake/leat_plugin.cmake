# leat_add_plugin(NAME segment SOURCES segment.cc [DEPS ...])
#
# Builds plugins/NAME.so with every symbol hidden but its entry point, and beside it NAME_static: the
# same sources with the entry point's name suffixed by NAME, so that one binary can hold many plugins
# without dlopen. leat_link_plugins(TARGET a b) enrols static ones into a binary.
# A plugin sees sdk/include and nothing of core/: including a core header does not compile.
function(leat_add_plugin)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPS")
  add_library(${arg_NAME} MODULE ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE leat::sdk ${arg_DEPS})
  if(TARGET leat_options)
    target_link_libraries(${arg_NAME} PRIVATE leat_options)
  endif()
  set_target_properties(${arg_NAME} PROPERTIES
    PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  add_library(${arg_NAME}_static STATIC EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${arg_NAME}_static PUBLIC leat::sdk ${arg_DEPS})
  if(TARGET leat_options)
    target_link_libraries(${arg_NAME}_static PRIVATE leat_options)
  endif()
  target_compile_definitions(${arg_NAME}_static PRIVATE LEAT_PLUGIN_SUFFIX=_${arg_NAME})
  set_property(GLOBAL APPEND PROPERTY LEAT_PLUGINS ${arg_NAME})
endfunction()

# leat_link_plugins(TARGET segment local single): links the static forms and generates the list from
# which the binary enrols them: `std::span<const leat::sdk::PluginInfo* const> leat_static_plugins()`.
function(leat_link_plugins target)
  set(declarations "")
  set(entries "")
  foreach(plugin IN LISTS ARGN)
    string(APPEND declarations "extern \"C\" const leat::sdk::PluginInfo leat_plugin_v1_${plugin};\n")
    string(APPEND entries "    &leat_plugin_v1_${plugin},\n")
    target_link_libraries(${target} PRIVATE ${plugin}_static)
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_static_plugins.cc)
  file(CONFIGURE OUTPUT ${file} CONTENT
"#include <span>
#include \"leat/sdk/plugin.h\"
${declarations}
std::span<const leat::sdk::PluginInfo* const> leat_static_plugins();
std::span<const leat::sdk::PluginInfo* const> leat_static_plugins() {
    static constexpr const leat::sdk::PluginInfo* plugins[] = {
${entries}    };
    return plugins;
}
" @ONLY)
  target_sources(${target} PRIVATE ${file})
endfunction()
