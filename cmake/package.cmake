# What is installed to run a broker, and the Debian package made of it (scripts/package, docs/packaging.md).
#
#   cmake --install build/release --prefix X --component broker    bin/leat and lib/leat/plugins
#   cd build/release && cpack                                      leat_VERSION_ARCHITECTURE.deb
#
# Both take what is built, and build nothing.

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

install(TARGETS leat RUNTIME DESTINATION bin COMPONENT broker)

# Stripped and then sealed again: the seal is over the file's bytes, so that no installer may strip
# these for us. Their modes are those that a broker insists on.
find_program(LEAT_STRIP strip REQUIRED)
foreach(plugin segment mmap memory local single uniform range sticky rack_aware lag_aware)
  install(CODE "
    set(installed \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/leat/plugins)
    file(INSTALL \"$<TARGET_FILE:${plugin}>\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/leat/plugins\")
    execute_process(COMMAND \"${LEAT_STRIP}\" --strip-unneeded \"\${installed}/$<TARGET_FILE_NAME:${plugin}>\"
                    COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \"${CMAKE_COMMAND}\" -DLIBRARY=\${installed}/$<TARGET_FILE_NAME:${plugin}>
                            -P \"${LEAT_PLUGIN_CMAKE_FOLDER}/leat_seal.cmake\" COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT broker)
endforeach()

set(debian ${PROJECT_SOURCE_DIR}/packaging/debian)
set(modes OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
install(FILES config/leat.toml DESTINATION /etc/leat PERMISSIONS ${modes} COMPONENT debian)
install(FILES ${debian}/leat.service DESTINATION lib/systemd/system PERMISSIONS ${modes} COMPONENT debian)
install(FILES ${debian}/leat.sysusers DESTINATION lib/sysusers.d RENAME leat.conf
        PERMISSIONS ${modes} COMPONENT debian)
file(GLOB pages CONFIGURE_DEPENDS docs/*.md)
install(FILES CHANGELOG.md ${pages} DESTINATION share/doc/leat PERMISSIONS ${modes} COMPONENT debian)

# What the program says of itself; names and folders are what each shell looks for.
install(CODE "
  foreach(shell_and_file bash:bash-completion/completions/leat zsh:zsh/vendor-completions/_leat)
    string(REPLACE : \";\" shell_and_file \${shell_and_file})
    list(POP_FRONT shell_and_file shell path)
    set(file \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/\${path})
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY \${folder})
    execute_process(COMMAND \"$<TARGET_FILE:leat>\" completion \${shell}
                    OUTPUT_FILE \${file} COMMAND_ERROR_IS_FATAL ANY)
    file(CHMOD \${file} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endforeach()"
  COMPONENT debian)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Leat maintainers <maintainers@leat.invalid>" CACHE STRING "Who answers for the package")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "message broker for Kafka clients, assembled from plugins")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${PROJECT_BINARY_DIR};leat;broker;/;${PROJECT_BINARY_DIR};leat;debian;/")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "One node that unmodified Kafka clients produce to and fetch from. How bytes
are kept and where metadata lives comes from plugins, named in one file.")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${debian}/conffiles ${debian}/postinst ${debian}/prerm ${debian}/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
